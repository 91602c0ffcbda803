import type { Caller } from '@workflowlookup/core/sessions';
import type { ErrorCode } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { RpcError } from '../json-rpc/rpc-types.ts';
import { invalidParams } from '../json-rpc/rpc-types.ts';
import { messages } from '../messages.ts';
import type { ServerIdentity } from '../server-info.ts';
import { checkArguments } from './check-arguments.ts';
import { toRpcError, toToolError } from './error-replies.ts';
import type { Services, Tool, ToolAnswer, ToolContext } from './tool.ts';

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

/** Options for {@link createToolRunner}. */
export interface ToolRunnerOptions extends CallWatchers {
  readonly tools: readonly Tool[];
  readonly identity: ServerIdentity;
  /** Loads the engine and the sessions of this caller; returns the same ones each time. */
  services(caller?: Caller): Promise<Services>;
  /** Called with errors that the caller did not cause. */
  onError(error: unknown): void;
}

/** The circumstances of one call: who calls, and how to reach the person. */
export interface CallContext extends Pick<ToolContext, 'elicit' | 'signal'> {
  /** The caller, on a server that has several. */
  readonly caller?: Caller;
  /** Called when the call begins to wait for a person, so that later calls need not wait for it. */
  onWait?(): void;
}

/** The outcome of a request: a result, or the error of a JSON-RPC reply. */
export type Outcome = { readonly result: object } | { readonly error: RpcError };

export function createToolRunner(parts: ToolRunnerOptions): ToolRunner {
  const { tools, identity, services, onError } = parts;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));

  async function run(tool: Tool, args: unknown, context: CallContext): Promise<ToolAnswer> {
    checkArguments(tool, args);
    const own = toolContext(await services(context.caller), identity, context);
    if (tool.waits?.(args) !== true) return tool.run(own, args);
    context.onWait?.();
    return untilAborted(tool.run(own, args), context.signal);
  }

  /** Returns the error to show the caller, and logs it if the caller did not cause it. */
  function failure(error: unknown, { signal }: CallContext): unknown {
    if (error instanceof WorkflowError) return error;
    if (signal.aborted) return abortedError();
    onError(error);
    return error;
  }

  return {
    async call({ name, arguments: args, _meta: meta }, context) {
      const tool = typeof name === 'string' ? byName.get(name) : undefined;
      if (tool === undefined) return { error: unknownToolError(name) };
      try {
        const call = { tool: tool.name, method: 'tools/call', meta };
        const answer = await runObserved(parts, call, () => run(tool, args ?? {}, context));
        return { result: toolResult(tool, answer) };
      } catch (error) {
        if (error instanceof InputRequired) return { result: error.result };
        return { result: toToolError(failure(error, context)) };
      }
    },
    async callDirectly(name, args, context) {
      const tool = byName.get(name);
      if (tool === undefined) return { error: unknownToolError(name) };
      try {
        const call = { tool: name, method: name };
        const answer = await runObserved(parts, call, () => run(tool, args, context));
        return { result: methodResult(tool, answer) };
      } catch (error) {
        return { error: toRpcError(failure(error, context)) };
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

interface ToolResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  /** Present if the tool has an output schema. */
  readonly structuredContent?: object;
  readonly _meta?: object;
}

/** Returns the context of a tool. `sessions` and `signal` are getters, because creating them costs time few tools need. */
function toolContext(services: Services, identity: ServerIdentity, call: CallContext): ToolContext {
  const { elicit } = call;
  return {
    engine: services.engine,
    get sessions() {
      return services.sessions;
    },
    get signal() {
      return call.signal;
    },
    identity,
    ...(elicit !== undefined && { elicit }),
  };
}

function toolResult({ outputSchema }: Tool, { json, text, meta }: ToolAnswer): ToolResult {
  return {
    content: [{ type: 'text', text: text ?? JSON.stringify(json ?? {}) }],
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
