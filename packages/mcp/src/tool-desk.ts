import type { Engine } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import { checkArguments } from './arguments.ts';
import type { ToolError } from './error-reply.ts';
import { rpcErrorOf, toolErrorOf } from './error-reply.ts';
import type { RpcError } from './front-door/json-rpc.ts';
import { rpcCodes } from './front-door/json-rpc.ts';
import type { Tool } from './tools/tool.ts';

/** What `tools/list` shows of a tool. */
type ToolDescription = Omit<Tool, 'run'>;

/** The result of a tool call that went well: the answer, and its JSON as text. */
interface ToolResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  readonly structuredContent: object;
}

/** A result, or the error a JSON-RPC reply carries. */
export type Outcome = { readonly result: object } | { readonly error: RpcError };

/** Everything that can be done with tools, on every wire. */
export interface ToolDesk {
  /** The result of `tools/list`. */
  readonly listing: { readonly tools: readonly ToolDescription[] };
  /** Carries out `tools/call`; a failure of the tool is part of the result. */
  call(
    name: unknown,
    args: unknown,
  ): Promise<{ readonly result: ToolResult | ToolError } | { readonly error: RpcError }>;
  /** Calls a tool as a method of its own; a failure of the tool is the error. */
  callDirectly(name: string, args: unknown): Promise<Outcome>;
}

/** What a desk is made of. */
export interface ToolDeskParts {
  readonly tools: readonly Tool[];
  /** Loads the engine; called again it gives the same one. */
  engine(): Promise<Engine>;
  /** Told of failures that are not the caller's. */
  onError(error: unknown): void;
}

/** Makes the desk that the front door and the SDK's server both go to, so that a call is the same by every way. */
export function createToolDesk({ tools, engine, onError }: ToolDeskParts): ToolDesk {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));

  async function run(tool: Tool, args: unknown): Promise<object> {
    checkArguments(tool, args);
    return tool.run(await engine(), args);
  }

  function report(error: unknown): void {
    if (!(error instanceof WorkflowError)) onError(error);
  }

  return {
    listing: { tools: tools.map(({ run: _run, ...shown }) => shown) },
    async call(name, args) {
      const tool = typeof name === 'string' ? byName.get(name) : undefined;
      if (tool === undefined) return { error: unknownTool(name) };
      try {
        const result = await run(tool, args ?? {});
        return {
          result: { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result },
        };
      } catch (error) {
        report(error);
        return { result: toolErrorOf(error) };
      }
    },
    async callDirectly(name, args) {
      const tool = byName.get(name);
      if (tool === undefined) return { error: unknownTool(name) };
      try {
        return { result: await run(tool, args) };
      } catch (error) {
        report(error);
        return { error: rpcErrorOf(error) };
      }
    },
  };
}

function unknownTool(name: unknown): RpcError {
  const details =
    typeof name === 'string' ? `There is no tool '${name.slice(0, 64)}'` : 'name must be the name of a tool';
  return { code: rpcCodes.invalidParams, message: 'Invalid params', data: { details } };
}
