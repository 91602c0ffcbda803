import type { Engine } from '@workflowlookup/core';
import type { Sessions } from '@workflowlookup/core/sessions';
import type { JsonObject } from '@workflowlookup/schema';
import type { ServerIdentity } from '../server-info.ts';

/** The hints of a tool to its clients. All four are always present. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** The engine and the sessions that tools use. */
export interface Services {
  readonly engine: Engine;
  readonly sessions: Sessions;
}

/** A question to a person, with the options they can choose from. */
export interface Question {
  readonly message: string;
  /** The options, in the order they are shown. */
  readonly options: readonly { readonly id: string; readonly label: string; readonly description?: string }[];
}

/** The id of the option a person chose, or `undefined` if they did not choose. */
export type Choice = string | undefined;

/** What a tool has at hand in one call. */
export interface ToolContext extends Services {
  readonly identity: ServerIdentity;
  /**
   * Asks the person who uses the client; absent if the client can't. With some protocol revisions it throws, and the tool
   * runs again once the person has answered. So let its errors pass, and change nothing before you call it.
   *
   * @see docs/decisions/0005-elicitation.md
   */
  readonly elicit?: (question: Question) => Promise<Choice>;
  /** Aborted when the client no longer waits for the answer. */
  readonly signal: AbortSignal;
  /** Tells the client how far a call is; absent if the client did not ask for it. */
  readonly progress?: (progress: Progress) => void;
}

/** How far a call is. The number grows with each notification. */
export interface Progress {
  readonly progress: number;
  readonly message: string;
}

/** The answer of a tool: JSON, a text, or both. */
export interface ToolAnswer {
  /** The structured content, if the tool has an output schema. Otherwise it becomes the text, unless `text` is given. */
  readonly json?: object;
  /** The text for the model. */
  readonly text?: string;
  /** The `_meta` of the result. */
  readonly meta?: JsonObject;
}

/** A tool: what `tools/list` shows of it, and the function that runs when it is called. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Says when to use the tool, in one or two sentences. */
  readonly description: string;
  /** JSON Schema of the arguments: an object without additional properties, each property with a description. */
  readonly inputSchema: JsonObject;
  /** JSON Schema of the structured result: an object, without remote references. Absent if the result is a text. */
  readonly outputSchema?: JsonObject;
  readonly annotations: ToolAnnotations;
  /** Hints to particular clients, by the key that each of them defines. */
  readonly _meta?: JsonObject;
  /** An example of a request and its response, in the form of the handshake specification. */
  readonly examples: { readonly request: JsonObject; readonly response: JsonObject };
  /** Returns whether a call with these arguments may wait for a person. Later calls do not wait for it. */
  waits?(args: unknown): boolean;
  /** Runs the tool with arguments that match its schema. @throws WorkflowError */
  run(context: ToolContext, args: unknown): Promise<ToolAnswer>;
}

/** A tool with typed arguments. Its input schema must guarantee the type. */
export interface ToolDefinition<Args> extends Omit<Tool, 'run' | 'waits'> {
  waits?(args: Args): boolean;
  run(context: ToolContext, args: Args): Promise<ToolAnswer>;
}

export function defineTool<Args>(definition: ToolDefinition<Args>): Tool {
  const { waits, run } = definition;
  return {
    ...definition,
    ...(waits === undefined ? {} : { waits: (args) => waits(args as Args) }),
    run: (context, args) => run(context, args as Args),
  };
}

/** Defines a tool that needs only the engine and returns structured content. */
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

/**
 * The hint by which Claude Code offers a tool in its first request. It leaves the other tools of a server to be found by a
 * search.
 */
export const offeredAtOnce: JsonObject = { 'anthropic/alwaysLoad': true };

/** The annotations of a tool that changes nothing. */
export const readAnnotations: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/** The annotations of a tool that changes a session without deleting anything. Repeating a call has no further effect. */
export const writeAnnotations: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};
