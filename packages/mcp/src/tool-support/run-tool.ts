import type { Caller } from '@workflowlookup/core/sessions';
import type { ErrorCode } from '@workflowlookup/schema';
import { WorkflowError, didYouMean, isStoreFailure } from '@workflowlookup/schema';
import type { RpcError } from '../json-rpc/rpc-messages.ts';
import { invalidParams } from '../json-rpc/rpc-messages.ts';
import type { SchemaError, Validator } from '../generated/validate-arguments.js';
import { validators } from '../generated/validate-arguments.js';
import { describeValue, expectations, messages } from '../messages.ts';
import type { ServerIdentity } from '../server-info.ts';
import { toRpcError, toToolError } from './replies.ts';
import type { Services, Tool, ToolAnswer, ToolContext, ToolResult } from './tool.ts';

/** Calls tools, in the same way for every transport. */
export interface ToolRunner {
  /**
   * Handles `tools/call` with these parameters. An error of the tool, or a question to a person, is part of the result.
   */
  call(
    params: { readonly name?: unknown; readonly arguments?: unknown; readonly _meta?: unknown },
    context: CallContext,
  ): Promise<Outcome>;
  /** Calls a tool as a JSON-RPC method of its own. An error of the tool is the error of the reply. */
  callDirectly(name: string, args: unknown, context: CallContext): Promise<Outcome>;
}

/** A call that its client gave an id, and the session token that the client got for it. */
export interface IdentifiedCall {
  /** The id of the call in the conversation of the client's model. */
  readonly toolUseId: string;
  readonly tool: string;
  readonly sessionToken: string;
}

/** Options for {@link createToolRunner}. */
export interface ToolRunnerOptions extends CallWatchers {
  /** Called before the answer is sent, if the client gave the call an id and the answer has a session token. */
  onIdentifiedCall?(call: IdentifiedCall): void;
  readonly tools: readonly Tool[];
  readonly identity: ServerIdentity;
  /** Returns the engine and the sessions of this caller. It is called for every call. */
  services(caller?: Caller): Services | Promise<Services>;
  /** Called with errors that the caller did not cause, except failures of the store. */
  onError(error: unknown): void;
  /** Called with failures of the store. The answer of the call reports them too. */
  onStoreFailure?(error: WorkflowError): void;
}

/** The circumstances of one call: who calls, and how to reach the person. */
export interface CallContext extends Pick<ToolContext, 'elicit' | 'signal'> {
  /** The caller, on a server that has several. */
  readonly caller?: Caller;
  /** Called when the call begins to wait for a person, so that later calls need not wait for it. */
  onWait?(): void;
  /** Sends a notification to the client on behalf of this call. */
  notify?(method: string, params: object): void;
}

/** The outcome of a request: a result, or the error of a JSON-RPC reply. */
export type Outcome = { readonly result: object } | { readonly error: RpcError };

export function createToolRunner(parts: ToolRunnerOptions): ToolRunner {
  const { tools, identity, services, onError, onStoreFailure, onIdentifiedCall } = parts;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));

  async function run(tool: Tool, args: unknown, context: CallContext, meta?: unknown): Promise<ToolAnswer> {
    checkArguments(tool, args);
    const own = toolContext(await services(context.caller), identity, context, meta);
    if (tool.waits?.(args) !== true) return withReply(await tool.run(own, args));
    context.onWait?.();
    return withReply(await untilAborted(tool.run(own, args), context.signal));
  }

  /** Returns the error to show the caller, and reports it if the caller did not cause it. */
  function failure(error: unknown, { signal }: CallContext): unknown {
    if (error instanceof WorkflowError) {
      if (isStoreFailure(error.code)) onStoreFailure?.(error);
      return error;
    }
    if (signal.aborted) return abortedError();
    onError(error);
    return error;
  }

  /** Adds the text of an error to what the agent of the session has read. */
  async function countError(
    tool: Tool,
    error: unknown,
    { caller }: CallContext,
    text: string,
  ): Promise<void> {
    if (!takesToken(tool) || !(error instanceof WorkflowError)) return;
    const read = (await services(caller)).sessions.readTextOf(error);
    if (read !== undefined) read.chars += text.length;
  }

  return {
    async call({ name, arguments: args, _meta: meta }, context) {
      const tool = typeof name === 'string' ? byName.get(name) : undefined;
      if (tool === undefined) return { error: unknownToolError(name) };
      try {
        const call = { tool: tool.name, method: 'tools/call', meta };
        const answer = await runObserved(parts, call, () => run(tool, args ?? {}, context, meta));
        const identified = identifiedCall(tool, answer, meta);
        if (identified !== undefined) onIdentifiedCall?.(identified);
        const result = toolResult(tool, answer);
        if (answer.read !== undefined) answer.read.chars += result.content[0].text.length;
        return { result };
      } catch (error) {
        if (error instanceof InputRequired) return { result: error.result };
        const result = toToolError(failure(error, context));
        await countError(tool, error, context, result.content[0].text);
        return { result };
      }
    },
    async callDirectly(name, args, context) {
      const tool = byName.get(name);
      if (tool === undefined) return { error: unknownToolError(name) };
      try {
        const call = { tool: name, method: name };
        const answer = await runObserved(parts, call, () => run(tool, args, context));
        if (answer.read !== undefined) answer.read.chars += textOf(answer).length;
        return { result: methodResult(tool, answer) };
      } catch (error) {
        const rpc = toRpcError(failure(error, context));
        await countError(tool, error, context, JSON.stringify(rpc.data ?? rpc.message));
        return { error: rpc };
      }
    },
  };
}

/** A tool call that is about to run. */
export interface BegunCall {
  readonly tool: string;
  /** The JSON-RPC method: `tools/call`, or the name of the tool. */
  readonly method: string;
  /** `_meta` of the request as the client sent it. Only `tools/call` has one. */
  readonly meta?: unknown;
}

/** A tool call that has finished. */
export interface FinishedCall {
  readonly tool: string;
  /** The error code, if the call failed. */
  readonly code?: ErrorCode;
}

/** Callbacks that observe tool calls, for logs and traces. They see neither arguments nor results. */
export interface CallWatchers {
  /** Called after every call. */
  onCall?(call: FinishedCall): void;
  /** Called around every call. It must call `run` exactly once and must not throw; `run` never rejects. */
  wrapCall?(call: BegunCall, run: () => Promise<FinishedCall>): Promise<unknown>;
}

/** Runs a call with its observers. A call that ends with a question to a person is not reported as finished. */
async function runObserved<T>(
  { onCall, wrapCall }: CallWatchers,
  call: BegunCall,
  run: () => Promise<T>,
): Promise<T> {
  if (onCall === undefined && wrapCall === undefined) return run();
  const begun: { result?: Promise<T> } = {};
  const carryOut = async (): Promise<FinishedCall> => {
    begun.result = run();
    const failure = await begun.result.then(() => undefined, failureOf);
    const finished = { tool: call.tool, ...failure };
    if (failure !== needsAnswer) onCall?.(finished);
    return finished;
  };
  await (wrapCall === undefined ? carryOut() : wrapCall(call, carryOut));
  return begun.result ?? run();
}

/** Marks a call that ended with a question to a person. */
const needsAnswer: Pick<FinishedCall, 'code'> = {};

function failureOf(error: unknown): Pick<FinishedCall, 'code'> {
  if (error instanceof InputRequired) return needsAnswer;
  return { code: error instanceof WorkflowError ? error.code : 'INTERNAL' };
}

/** How long a tool may continue after its call was aborted. */
const abortGraceMs = 500;

/** Returns the result of `work`. If `work` ignores the abort signal, rejects {@link abortGraceMs} after it. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    let moment: NodeJS.Timeout | undefined;
    const giveUp = (): void => {
      moment = setTimeout(() => reject(abortedError()), abortGraceMs);
    };
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
    void work.then(resolve, reject).finally(() => {
      clearTimeout(moment);
      signal.removeEventListener('abort', giveUp);
    });
  });
}

function abortedError(): WorkflowError {
  return new WorkflowError('CANCELLED', messages.callCancelled());
}

function toolContext(
  services: Services,
  identity: ServerIdentity,
  call: CallContext,
  meta: unknown,
): ToolContext {
  const { elicit } = call;
  const progress = progressOf(call, meta);
  return {
    // Created only for the tools that use it.
    get engine() {
      return services.engine;
    },
    sessions: services.sessions,
    signal: call.signal,
    identity,
    ...(elicit !== undefined && { elicit }),
    ...(progress !== undefined && { progress }),
  };
}

/** The `_meta` key in which Claude Code sends the id that its hooks get as `tool_use_id`. */
const toolUseIdKey = 'claudecode/toolUseId';

function identifiedCall({ name }: Tool, answer: ToolAnswer, meta: unknown): IdentifiedCall | undefined {
  const toolUseId = (meta as Readonly<Record<string, unknown>> | undefined | null)?.[toolUseIdKey];
  const sessionToken = answer.meta?.['session_token'];
  return typeof toolUseId === 'string' && toolUseId !== '' && typeof sessionToken === 'string'
    ? { toolUseId, tool: name, sessionToken }
    : undefined;
}

/** Returns how a call tells its progress; `undefined` if its client did not ask for it. */
function progressOf({ notify }: CallContext, meta: unknown): ToolContext['progress'] {
  const token = (meta as { readonly progressToken?: unknown } | undefined | null)?.progressToken;
  if (notify === undefined || (typeof token !== 'string' && typeof token !== 'number')) return undefined;
  return (progress) => notify('notifications/progress', { progressToken: token, ...progress });
}

/** Adds what the client needs of the session's reply to an answer. */
function withReply(answer: ToolAnswer): ToolAnswer {
  const { json, reply } = answer;
  if (reply === undefined) return answer;
  const { token, warnings, traceToken, read } = reply;
  const { shownWarnings = warnings } = answer;
  const added = { session_token: token, ...(shownWarnings.length > 0 && { warnings: shownWarnings }) };
  const meta = {
    session_token: token,
    ...(traceToken !== undefined && { trace_token: traceToken }),
    validation: { status: warnings.length > 0 ? 'warning' : 'valid', warnings },
  };
  return { ...answer, ...(json && { json: { ...json, ...added } }), meta, read };
}

/** Returns the text that a model reads. */
function textOf({ json, text }: ToolAnswer): string {
  return text ?? JSON.stringify(json ?? {});
}

/** Returns whether a tool can be called in a session. */
function takesToken({ inputSchema: { properties } }: Tool): boolean {
  return typeof properties === 'object' && properties !== null && 'session_token' in properties;
}

function toolResult({ outputSchema }: Tool, answer: ToolAnswer): ToolResult {
  const { json, meta } = answer;
  return {
    content: [{ type: 'text', text: textOf(answer) }],
    ...(outputSchema === undefined || json === undefined ? {} : { structuredContent: json }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

function methodResult({ outputSchema }: Tool, { json, text, meta }: ToolAnswer): object {
  if (outputSchema !== undefined) return json ?? {};
  return { ...(json ?? { text }), ...(meta === undefined ? {} : { _meta: meta }) };
}

function unknownToolError(name: unknown): RpcError {
  return invalidParams(
    typeof name === 'string' ? messages.unknownTool(name.slice(0, 64)) : messages.toolNameMissing(),
  );
}

/** Thrown by a call that needs the answer of a person first. The client asks the person and repeats the call. */
export class InputRequired extends Error {
  override readonly name = 'InputRequired';
  readonly result: object;

  constructor(result: object) {
    super('The call has to be repeated with the answer of a person');
    this.result = result;
  }
}

/** The maximum number of errors in a message. Describing thousands of them would keep other callers waiting. */
const maxDescribed = 20;

/**
 * Checks arguments against the tool's input schema.
 *
 * @throws WorkflowError INVALID_INPUT, whose message names each invalid field and what is expected
 */
function checkArguments({ name }: Tool, args: unknown): void {
  const validate = (validators as Readonly<Record<string, Validator>>)[name];
  const isValid = validate === undefined || validate(args);
  const details = isValid ? findUnstorable(args) : describeErrors(validate.errors ?? []);
  if (details !== undefined)
    throw new WorkflowError('INVALID_INPUT', messages.invalidArguments(name, details), { data: { details } });
}

function describeErrors(errors: readonly SchemaError[]): string {
  const sentences = errors.slice(0, maxDescribed).map(describeError);
  const more = errors.length - sentences.length;
  return [...sentences, ...(more === 0 ? [] : [messages.moreProblems(more)])].join('; ');
}

/** Matches a lone surrogate. With the flag `u`, a surrogate pair is one character and does not match. */
const loneSurrogate = /\p{Surrogate}/u;

/**
 * Returns a message about the first value that JSON can express but that can't be stored, or `undefined` if there is none:
 * `1e400` is read as infinity, which is written as null, and a lone surrogate can't be written as UTF-8.
 */
function findUnstorable(args: unknown): string | undefined {
  const waiting: NestedValue[] = [{ name: '', value: args }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value } = next;
    if (typeof value === 'number' && !Number.isFinite(value)) return messages.numberTooLarge(pathOf(next));
    if (typeof value === 'string' && loneSurrogate.test(value))
      return messages.loneSurrogate(pathOf(next), value.search(loneSurrogate));
    if (typeof value !== 'object' || value === null) continue;
    // `for in` is faster than Object.entries for large objects.
    for (const name in value) {
      if (loneSurrogate.test(name)) return messages.loneSurrogateInName(pathOf(next));
      waiting.push({ name, value: (value as Readonly<Record<string, unknown>>)[name], parent: next });
    }
  }
  return undefined;
}

/** A value within the arguments, and the value that contains it. */
interface NestedValue {
  readonly name: string;
  readonly value: unknown;
  readonly parent?: NestedValue;
}

/** Returns the path to a value, shortened for a message. */
function pathOf(inner: NestedValue): string {
  const names: string[] = [];
  for (let at: NestedValue | undefined = inner; at?.parent !== undefined; at = at.parent)
    names.unshift(at.name);
  return names.length === 0 ? 'arguments' : names.join('.').slice(0, 128);
}

function describeError({ instancePath, keyword, params, data, parentSchema }: SchemaError): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const within = path === '' ? '' : `${path}.`;
  if (keyword === 'required') return messages.fieldRequired(`${within}${String(params['missingProperty'])}`);
  if (keyword === 'additionalProperties') {
    const fields = Object.keys(parentSchema['properties'] ?? {});
    const name = String(params['additionalProperty']);
    const shown = name.length > 64 ? `${name.slice(0, 64)}…` : name;
    return messages.unknownArgument(`${within}${shown}`, didYouMean(name, fields), fields);
  }
  const field = path === '' ? 'arguments' : path;
  const expected = (expectations[keyword] ?? expectations.others)(params);
  return messages.argumentMustBe(field, expected, describeValue(data));
}
