import type { Caller } from '@workflowlookup/core';
import type { ErrorCode } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { checkArguments } from './arguments.ts';
import { InputRequired } from './elicitation/input-required.ts';
import { endedEarly, endSoon } from './end-soon.ts';
import { rpcErrorOf, toolErrorOf } from './error-reply.ts';
import type { RpcError } from './front-door/json-rpc.ts';
import { rpcCodes } from './front-door/json-rpc.ts';
import type { ServerIdentity } from './introduction.ts';
import type { Services, Tool, ToolAnswer, ToolContext } from './tools/tool.ts';

/** What `tools/list` shows of a tool. */
type ToolDescription = Omit<Tool, 'run' | 'waits'>;

/** The result of a tool call that went well. */
interface ToolResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  /** Present where the tool has an output schema. */
  readonly structuredContent?: object;
  readonly _meta?: object;
}

/** A result, or the error a JSON-RPC reply carries. */
export type Outcome = { readonly result: object } | { readonly error: RpcError };

/** One call as the wire it came by sees it. */
export interface CallContext extends Pick<ToolContext, 'elicit' | 'signal'> {
  /** Who calls, where a server has several callers. */
  readonly caller?: Caller;
  /** Told once the call begins to wait for a person: those that come after it need not wait for it. */
  onWait?(): void;
}

/** Everything that can be done with tools, on every wire. */
export interface ToolDesk {
  /** The result of `tools/list`. */
  readonly listing: { readonly tools: readonly ToolDescription[] };
  /**
   * Carries out `tools/call`, given its parameters. A failure of the tool, or a question that has to be answered first, is
   * part of the result.
   */
  call(
    params: { readonly name?: unknown; readonly arguments?: unknown },
    context: CallContext,
  ): Promise<Outcome>;
  /** Calls a tool as a method of its own; a failure of the tool is the error. */
  callDirectly(name: string, args: unknown, context: CallContext): Promise<Outcome>;
}

/** What a desk is made of. */
export interface ToolDeskParts {
  readonly tools: readonly Tool[];
  readonly identity: ServerIdentity;
  /** Loads what tools work with for this caller; called again it gives the same. */
  services(caller?: Caller): Promise<Services>;
  /** Told of failures that are not the caller's. */
  onError(error: unknown): void;
  /** Told of every call that ran, and how it came out. */
  onCall?(call: FinishedCall): void;
}

/** A call that is over. */
export interface FinishedCall {
  readonly tool: string;
  /** Of a call that failed: why. */
  readonly code?: ErrorCode;
}

/** Makes the desk that the front door and the SDK's server both go to, so that a call is the same by every way. */
export function createToolDesk({ tools, identity, services, onError, onCall }: ToolDeskParts): ToolDesk {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));

  /** Runs a tool and tells how that came out; a question to be answered first is no end. */
  async function observed(tool: Tool, args: unknown, context: CallContext): Promise<ToolAnswer> {
    try {
      const answer = await run(tool, args, context);
      onCall?.({ tool: tool.name });
      return answer;
    } catch (error) {
      if (!(error instanceof InputRequired))
        onCall?.({ tool: tool.name, code: error instanceof WorkflowError ? error.code : 'INTERNAL' });
      throw error;
    }
  }

  async function run(tool: Tool, args: unknown, context: CallContext): Promise<ToolAnswer> {
    checkArguments(tool, args);
    const { signal, elicit } = context;
    const loaded = await services(context.caller);
    const own = { ...loaded, identity, signal, ...(elicit === undefined ? {} : { elicit }) };
    if (tool.waits?.(args) !== true) return tool.run(own, args);
    context.onWait?.();
    return endSoon(tool.run(own, args), signal);
  }

  /** The failure as the caller is told it; told to the log where it is not the caller's. */
  function failure(error: unknown, { signal }: CallContext): unknown {
    if (error instanceof WorkflowError) return error;
    if (signal.aborted) return endedEarly();
    onError(error);
    return error;
  }

  return {
    listing: { tools: tools.map(({ run: _run, waits: _waits, ...shown }) => shown) },
    async call({ name, arguments: args }, context) {
      const tool = typeof name === 'string' ? byName.get(name) : undefined;
      if (tool === undefined) return { error: unknownTool(name) };
      try {
        return { result: resultOf(tool, await observed(tool, args ?? {}, context)) };
      } catch (error) {
        if (error instanceof InputRequired) return { result: error.result };
        return { result: toolErrorOf(failure(error, context)) };
      }
    },
    async callDirectly(name, args, context) {
      const tool = byName.get(name);
      if (tool === undefined) return { error: unknownTool(name) };
      try {
        return { result: directResultOf(tool, await observed(tool, args, context)) };
      } catch (error) {
        return { error: rpcErrorOf(failure(error, context)) };
      }
    },
  };
}

function resultOf({ outputSchema }: Tool, { json, text, meta }: ToolAnswer): ToolResult {
  return {
    content: [{ type: 'text', text: text ?? JSON.stringify(json ?? {}) }],
    ...(outputSchema === undefined || json === undefined ? {} : { structuredContent: json }),
    ...(meta === undefined ? {} : { _meta: meta }),
  };
}

function directResultOf({ outputSchema }: Tool, { json, text, meta }: ToolAnswer): object {
  if (outputSchema !== undefined) return json ?? {};
  return { ...(json ?? { text }), ...(meta === undefined ? {} : { _meta: meta }) };
}

function unknownTool(name: unknown): RpcError {
  const details =
    typeof name === 'string' ? `There is no tool '${name.slice(0, 64)}'` : 'name must be the name of a tool';
  return { code: rpcCodes.invalidParams, message: 'Invalid params', data: { details } };
}
