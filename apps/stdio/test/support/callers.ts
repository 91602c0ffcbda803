import type { Host } from '@workflowlookup/host';
import type { Tool } from '@workflowlookup/mcp';
import { tools } from '@workflowlookup/mcp';
import { expect } from 'vitest';
import type { Caller, Outcome } from './session-script.ts';

/** The part of a client that is the same in both SDKs. */
interface ToolClient {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

/** Sends a JSON-RPC request, and returns the reply. */
export type Request = (method: string, params: object) => Promise<Reply>;

type ToolAnswer = Awaited<ReturnType<Tool['run']>>;

interface Reply {
  readonly result?: unknown;
  readonly error?: { readonly data?: Readonly<Record<string, unknown>> };
}

/** Returns a caller that uses the client of an SDK. */
export function byClient(client: ToolClient): Caller {
  return async (name, args) => outcomeOf(await client.callTool({ name, arguments: { ...args } }));
}

/** Returns a caller that uses `tools/call`. */
export function byToolsCall(request: Request): Caller {
  return async (name, args) => {
    const { result } = await request('tools/call', { name, arguments: args });
    return outcomeOf(result);
  };
}

/** Returns a caller that calls each tool as a method with its name. */
export function byMethod(request: Request): Caller {
  return async (name, args) => {
    const { result, error } = await request(name, args);
    if (error !== undefined) return { isError: true, text: String(error.data?.['details']), meta: {} };
    const { _meta: meta = {}, ...fields } = result as { _meta?: Outcome['meta']; text?: string };
    const text = typeof fields.text === 'string' ? fields.text : JSON.stringify(fields);
    return { isError: false, text, ...(isStructured(name) && { data: fields }), meta: tellingOf(meta) };
  };
}

/** Returns a caller that runs the tools directly, without a protocol. */
export function inProcess(host: Host, version: string): Caller {
  const identity = { name: 'workflowlookup', title: '', version, description: '' };
  return async (name, args) => {
    const tool = tools.find((one) => one.name === name);
    try {
      const answer = await tool?.run({ ...host, identity, signal: AbortSignal.timeout(10_000) }, args);
      const { json, meta } = withToken(answer ?? {});
      const text = answer?.text ?? JSON.stringify(json);
      return { isError: false, text, ...(isStructured(name) && { data: json }), meta: tellingOf(meta) };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error)) throw error;
      return { isError: true, text: '', meta: {} };
    }
  };
}

/** Adds to the answer of a tool what clients get from the reply of its session. */
function withToken({ json, reply, shownWarnings = reply?.warnings ?? [] }: ToolAnswer): {
  readonly json: object | undefined;
  readonly meta: Outcome['meta'];
} {
  if (reply === undefined) return { json, meta: {} };
  const { token: session_token, warnings, traceToken: trace_token } = reply;
  const added = { session_token, ...(shownWarnings.length > 0 && { warnings: shownWarnings }) };
  const validation = { status: warnings.length > 0 ? 'warning' : 'valid', warnings };
  return { json: { ...json, ...added }, meta: { session_token, trace_token, validation } };
}

/** Removes the text of a refusal, because without a protocol it is an error of another form. */
export function wordless(outcome: object): object {
  return 'isError' in outcome && outcome.isError === true ? { ...outcome, text: '', meta: {} } : outcome;
}

function isStructured(name: string): boolean {
  return tools.find((tool) => tool.name === name)?.outputSchema !== undefined;
}

function outcomeOf(result: unknown): Outcome {
  const {
    content,
    isError = false,
    structuredContent: data,
    _meta: meta = {},
  } = result as {
    readonly content: readonly [{ readonly text: string }];
    readonly isError?: boolean;
    readonly structuredContent?: unknown;
    readonly _meta?: Outcome['meta'];
  };
  const text = content[0].text;
  return { isError, text, ...(data !== undefined && { data }), meta: tellingOf(meta) };
}

/** Returns the metadata to compare. The servers of the SDKs may add more. */
function tellingOf({ session_token, trace_token, validation }: Outcome['meta']): Outcome['meta'] {
  return { session_token, trace_token, validation };
}

/** Expects the same outcomes, except for the text of three errors, which direct methods don't return. */
export function expectSameMethods(found: readonly object[], expected: readonly object[]): void {
  const isExact = (outcome: object): boolean => 'text' in outcome && outcome.text === 'undefined';
  expect(found.map((one, at) => (isExact(one) ? expected[at] : one))).toEqual(expected);
  expect(found.filter(isExact)).toMatchObject([
    { name: 'workflow_get' },
    { name: 'start_session' },
    { name: 'get_skill' },
  ]);
}
