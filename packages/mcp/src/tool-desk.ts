import type { Caller } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import { checkArguments } from './arguments.ts';
import { InputRequired } from './elicitation/input-required.ts';
import { endedEarly, endSoon } from './end-soon.ts';
import { rpcErrorOf, toolErrorOf } from './error-reply.ts';
import type { RpcError } from './front-door/json-rpc.ts';
import { rpcCodes } from './front-door/json-rpc.ts';
import type { ServerIdentity } from './introduction.ts';
import type { Services, Tool, ToolAnswer, ToolContext } from './tools/tool.ts';
import type { CallWatchers } from './watched-call.ts';
import { watchedCall } from './watched-call.ts';

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
    params: { readonly name?: unknown; readonly arguments?: unknown; readonly _meta?: unknown },
    context: CallContext,
  ): Promise<Outcome>;
  /** Calls a tool as a method of its own; a failure of the tool is the error. */
  callDirectly(name: string, args: unknown, context: CallContext): Promise<Outcome>;
}

/** What a desk is made of. */
export interface ToolDeskParts extends CallWatchers {
  readonly tools: readonly Tool[];
  readonly identity: ServerIdentity;
  /** Loads what tools work with for this caller; called again it gives the same. */
  services(caller?: Caller): Promise<Services>;
  /** Told of failures that are not the caller's. */
  onError(error: unknown): void;
}

/** Makes the desk that the front door and the SDK's server both go to, so that a call is the same by every way. */
export function createToolDesk(parts: ToolDeskParts): ToolDesk {
  const { tools, identity, services, onError } = parts;
  const byName = new Map(tools.map((tool) => [tool.name, tool]));

  async function run(tool: Tool, args: unknown, context: CallContext): Promise<ToolAnswer> {
    checkArguments(tool, args);
    const own = contextOf(await services(context.caller), identity, context);
    if (tool.waits?.(args) !== true) return tool.run(own, args);
    context.onWait?.();
    return endSoon(tool.run(own, args), context.signal);
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
    async call({ name, arguments: args, _meta: meta }, context) {
      const tool = typeof name === 'string' ? byName.get(name) : undefined;
      if (tool === undefined) return { error: unknownTool(name) };
      try {
        const call = { tool: tool.name, method: 'tools/call', meta };
        const answer = await watchedCall(parts, call, () => run(tool, args ?? {}, context));
        return { result: resultOf(tool, answer) };
      } catch (error) {
        if (error instanceof InputRequired) return { result: error.result };
        return { result: toolErrorOf(failure(error, context)) };
      }
    },
    async callDirectly(name, args, context) {
      const tool = byName.get(name);
      if (tool === undefined) return { error: unknownTool(name) };
      try {
        const call = { tool: name, method: name };
        const answer = await watchedCall(parts, call, () => run(tool, args, context));
        return { result: directResultOf(tool, answer) };
      } catch (error) {
        return { error: rpcErrorOf(failure(error, context)) };
      }
    },
  };
}

/** What a tool works with. What few tools look at is made when they do. */
function contextOf(services: Services, identity: ServerIdentity, call: CallContext): ToolContext {
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
