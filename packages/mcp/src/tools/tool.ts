import type { Engine, Sessions } from '@workflowlookup/core';
import type { JsonObject } from '@workflowlookup/schema';
import type { ServerIdentity } from '../introduction.ts';

/** What a client may assume of a tool; all four are always said. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** What tools work with, whoever calls. */
export interface Services {
  readonly engine: Engine;
  readonly sessions: Sessions;
}

/** What is put to a person: one choice. */
export interface Question {
  readonly message: string;
  /** Its answers, in order. */
  readonly options: readonly { readonly id: string; readonly label: string; readonly description?: string }[];
}

/** What a person said; `undefined` when they did not choose. */
export type Choice = string | undefined;

/** What a tool works with in one call. */
export interface ToolContext extends Services {
  readonly identity: ServerIdentity;
  /**
   * Puts a question to the person in front of the client; absent where the client can't. On some wires it ends the run,
   * which begins anew with the answer: let what it throws pass, and do nothing lasting before it.
   *
   * @see docs/decisions/0005-elicitation.md
   */
  readonly elicit?: (question: Question) => Promise<Choice>;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
}

/** What a tool answers: JSON, a text, or both. */
export interface ToolAnswer {
  /** Structured content where the tool has an output schema; else its text, unless there is one. */
  readonly json?: object;
  /** What a model reads. */
  readonly text?: string;
  /** What goes beside it. */
  readonly meta?: JsonObject;
}

/** A row of the tool table: what `tools/list` shows of a tool, and what runs when it is called. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Says when to use the tool, in one or two sentences. */
  readonly description: string;
  /** JSON Schema of the arguments: an object that allows no others, every property described. */
  readonly inputSchema: JsonObject;
  /** JSON Schema of the structured result: an object, without remote references. Absent where the result is a text. */
  readonly outputSchema?: JsonObject;
  readonly annotations: ToolAnnotations;
  /** A request and its answer, as the handshake specification shows them. */
  readonly examples: { readonly request: JsonObject; readonly response: JsonObject };
  /** Whether a call may wait for a person: then later calls do not wait for it. */
  waits?(args: unknown): boolean;
  /** Runs the tool over arguments its schema accepts. @throws WorkflowError */
  run(context: ToolContext, args: unknown): Promise<ToolAnswer>;
}

/** A tool whose arguments have a type; the schema is what makes the type true. */
export interface ToolDefinition<Args> extends Omit<Tool, 'run' | 'waits'> {
  waits?(args: Args): boolean;
  run(context: ToolContext, args: Args): Promise<ToolAnswer>;
}

/** Makes a row of the table. */
export function defineTool<Args>(definition: ToolDefinition<Args>): Tool {
  const { waits, run } = definition;
  return {
    ...definition,
    ...(waits === undefined ? {} : { waits: (args) => waits(args as Args) }),
    run: (context, args) => run(context, args as Args),
  };
}

/** Makes a row of a tool that only looks things up: its result is structured. */
export function defineLookupTool<Args>(
  definition: Omit<ToolDefinition<Args>, 'run' | 'outputSchema'> & {
    readonly outputSchema: JsonObject;
    run(engine: Engine, args: Args): Promise<object>;
  },
): Tool {
  const { run } = definition;
  return defineTool<Args>({
    ...definition,
    run: async ({ engine }, args) => ({ json: await run(engine, args) }),
  });
}

/** What holds for every tool that only looks things up. */
export const lookupAnnotations: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** What holds for a tool that moves a session: nothing is lost, and the same call again moves nothing more. */
export const writeAnnotations: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
