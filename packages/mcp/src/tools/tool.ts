import type { Engine } from '@workflowlookup/core';
import type { JsonObject } from '@workflowlookup/schema';

/** What a client may assume of a tool; all four are always said. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** A row of the tool table: what `tools/list` shows of a tool, and what runs when it is called. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Says when to use the tool, in one or two sentences. */
  readonly description: string;
  /** JSON Schema of the arguments: an object that allows no others, every property described. */
  readonly inputSchema: JsonObject;
  /** JSON Schema of the structured result: an object, without remote references. */
  readonly outputSchema: JsonObject;
  readonly annotations: ToolAnnotations;
  /** A request and its answer, as the handshake specification shows them. */
  readonly examples: { readonly request: JsonObject; readonly response: JsonObject };
  /** Runs the tool over arguments its schema accepts. @throws WorkflowError */
  run(engine: Engine, args: unknown): Promise<object>;
}

/** A tool whose arguments have a type; the schema is what makes the type true. */
export interface ToolDefinition<Args> extends Omit<Tool, 'run'> {
  run(engine: Engine, args: Args): Promise<object>;
}

/** Makes a row of the table. */
export function defineTool<Args>(definition: ToolDefinition<Args>): Tool {
  return { ...definition, run: (engine, args) => definition.run(engine, args as Args) };
}

/** What holds for every tool that only looks things up. */
export const lookupAnnotations: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
