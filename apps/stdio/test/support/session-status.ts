import { expect } from 'vitest';
import type { Answer, ServedHost } from './served-host.ts';
import { output } from './release-workflow.ts';

/** Everything the status of a session says, beside the token. */
export async function sessionStatus(server: ServedHost, token: string): Promise<object> {
  const { json, isError, raw } = await server.call('get_workflow_status', { session_token: token });
  if (isError) throw new Error(raw);
  const { session_token: current, warnings: _warnings, ...rest } = json;
  // The next calls name the token too, and what an agent that works alone can ask for at once.
  const text = JSON.stringify(rest).replaceAll(String(current), '…');
  return JSON.parse(text.replaceAll(/,"(include_activity|include_checkpoint|full)":true/g, '')) as object;
}

const tokenShapes = /wl_[\w-]{39,44}(?![\w-])|[\w-]{40,}\.[0-9a-f]{64}/g;

/** What a refusal must say, and what it must not. */
export interface Refusal {
  readonly code: string;
  /** What its text names. */
  readonly names: string;
  /** Where the server keeps things: it is never said. */
  readonly root: string;
}

/** A refusal has a name, says what it is about, and gives nothing away. */
export function expectRefusal(answer: Answer, { code, names, root }: Refusal): void {
  expect(answer, answer.raw).toMatchObject({ isError: true, error: code });
  expect(answer.text).toContain(names);
  expect(answer.raw).not.toMatch(/\\n +at |\.[cm]?[jt]s:\d|node:|\/tmp\/|\/work\//);
  expect(answer.raw).not.toContain(root);
  expect(answer.raw).not.toContain(output);
  const shown = new Set(answer.raw.match(tokenShapes));
  expect([...shown], 'tokens in a refusal').toEqual(answer.token === '' ? [] : [answer.token]);
}

/** The warnings of an answer stand where clients look, where models read, and in the trace. */
export async function expectWarned(server: ServedHost, answer: Answer, names: string): Promise<void> {
  expect(answer, answer.raw).toMatchObject({ isError: false, meta: { validation: { status: 'warning' } } });
  const { warnings } = answer.meta['validation'] as { readonly warnings: readonly string[] };
  expect(warnings.join('\n')).toContain(names);
  expect(answer.json['warnings']).toEqual(warnings);
  const trace = await server.call('get_trace', { session_token: answer.token });
  const calls = trace.json['events'] as readonly { readonly vw?: readonly string[] }[];
  expect(calls.map(({ vw }) => vw)).toContainEqual(warnings);
}
