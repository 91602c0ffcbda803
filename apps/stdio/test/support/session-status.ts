import { expect } from 'vitest';
import type { Answer, ServedHost } from './served-host.ts';
import { output } from './release-workflow.ts';

/** Returns the status of a session without its token. */
export async function sessionStatus(server: ServedHost, token: string): Promise<object> {
  const { json, isError, raw } = await server.call('get_workflow_status', { session_token: token });
  if (isError) throw new Error(raw);
  const { session_token: current, warnings: _warnings, ...rest } = json;
  // The next calls contain the token, and optional arguments for an agent that works alone.
  const text = JSON.stringify(rest).replaceAll(String(current), '…');
  return JSON.parse(text.replaceAll(/,"(include_activity|include_checkpoint|full)":true/g, '')) as object;
}

const tokenShapes = /wl_[\w-]{39,44}(?![\w-])|[\w-]{40,}\.[0-9a-f]{64}/g;

/** What a refusal must contain, and what it must not. */
export interface Refusal {
  readonly code: string;
  /** A text that the message must contain, or match. */
  readonly names: string | RegExp;
  /** The folder of the server, which must not be in the refusal. */
  readonly root: string;
}

/** Returns a pattern for a message in which each number may be another one. */
export function withAnyNumbers(message: string): RegExp {
  const literal = message.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&');
  return new RegExp(literal.replaceAll(/\d+/g, '\\d+'));
}

/** Expects a refusal with this code and text, which shows no internals. */
export function expectRefusal(answer: Answer, { code, names, root }: Refusal): void {
  expect(answer, answer.raw).toMatchObject({ isError: true, error: code });
  expect(answer.text).toMatch(names);
  expect(answer.raw).not.toMatch(/\\n +at |\.[cm]?[jt]s:\d|node:|\/tmp\/|\/work\//);
  expect(answer.raw).not.toContain(root);
  expect(answer.raw).not.toContain(output);
  const shown = new Set(answer.raw.match(tokenShapes));
  expect([...shown], 'tokens in a refusal').toEqual(answer.token === '' ? [] : [answer.token]);
}

/** Expects that the warnings of an answer are in its metadata, in its JSON and in the trace. */
export async function expectWarned(server: ServedHost, answer: Answer, names: string): Promise<void> {
  expect(answer, answer.raw).toMatchObject({ isError: false, meta: { validation: { status: 'warning' } } });
  const { warnings } = answer.meta['validation'] as { readonly warnings: readonly string[] };
  expect(warnings.join('\n')).toContain(names);
  expect(answer.json['warnings']).toEqual(warnings);
  const trace = await server.call('get_trace', { session_token: answer.token });
  const calls = trace.json['events'] as readonly { readonly vw?: readonly string[] }[];
  expect(calls.map(({ vw }) => vw)).toContainEqual(warnings);
}
