import type { Engine } from '@workflowlookup/core';
import type { ActivityReading, ReadText, Reply, Sessions } from '@workflowlookup/core/sessions';
import type { JsonObject, WorkflowError } from '@workflowlookup/schema';
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

/** What a tool can use in one call. */
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
  /** Counts the text that the model reads, if the call belongs to a session. */
  readonly read?: ReadText;
  /** The reply of the session that the tool called. Its token and its warnings are added to `json`, and become `meta`. */
  readonly reply?: Reply<unknown>;
  /** The warnings that are added to `json`; default those of the reply. */
  readonly shownWarnings?: readonly string[];
}

/** The result of `tools/call`. */
export interface ToolResult {
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  /** Present if the tool has an output schema. */
  readonly structuredContent?: object;
  readonly isError?: true;
  readonly _meta?: object;
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
  /** An example of a request and its response. The handshake specification asks for it on the lookup tools. */
  readonly examples?: { readonly request: JsonObject; readonly response: JsonObject };
  /** Returns whether a call with these arguments may wait for a person. Later calls do not wait for it. */
  waits?(args: unknown): boolean;
  /** Runs the tool with arguments that match its schema. @throws WorkflowError */
  run(context: ToolContext, args: unknown): Promise<ToolAnswer>;
}

/** A tool with typed arguments. Its input schema must guarantee the type. */
interface ToolDefinition<Args> extends Omit<Tool, 'run' | 'waits'> {
  waits?(args: Args): boolean;
  run(context: ToolContext, args: Args): Promise<ToolAnswer>;
}

export function defineTool<Args>(definition: ToolDefinition<Args>): Tool {
  return definition;
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

/** Loads what the tools use from other packages. The first call does it, so that the server starts without them. */
export const loadOnFirstCall = (): Promise<typeof import('./replies.ts')> => import('./replies.ts');

/** Encodes a value as TOON. */
export async function toToon(value: object): Promise<string> {
  return (await loadOnFirstCall()).toToon(value);
}

/** Joins texts with a line `---` between them, without the empty ones. */
export async function joinSections(...sections: readonly string[]): Promise<string> {
  return (await loadOnFirstCall()).joinSections(...sections);
}

/** Returns a text answer made of sections. One of them should begin with {@link answerHeader}. */
export async function textAnswer(reply: Reply<unknown>, ...sections: readonly string[]): Promise<ToolAnswer> {
  return { text: await joinSections(...sections), reply };
}

/** Returns an activity as an agent reads it: its operations, then the header and the activity. */
export async function activityAnswer(
  reply: Reply<unknown>,
  { bundle, body }: ActivityReading,
  more: object = {},
): Promise<ToolAnswer> {
  return textAnswer(reply, bundle, `${await answerHeader(reply, more)}\n${body}`);
}

/** Returns the header of a text answer: the session token, the warnings and the fields of `more`. */
export function answerHeader({ token, warnings }: Reply<unknown>, more: object = {}): Promise<string> {
  return toToon({ session_token: token, ...(warnings.length > 0 && { warnings }), ...more });
}

/** Returns the error for arguments that match the schema one by one but not together. */
export async function invalidArguments(details: string): Promise<WorkflowError> {
  const parts = await loadOnFirstCall();
  return new parts.WorkflowError('INVALID_INPUT', details, { data: { details } });
}

/** Returns an error with the token to continue with, unless it has one already. */
export async function withToken(error: unknown, token: string): Promise<unknown> {
  const parts = await loadOnFirstCall();
  if (!(error instanceof parts.WorkflowError) || typeof error.data['session_token'] === 'string')
    return error;
  return new parts.WorkflowError(error.code, error.message, {
    cause: error,
    data: { ...error.data, session_token: token },
  });
}

export const workflowId = (description: string): JsonObject => ({
  type: 'string',
  description,
  pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)?$',
  minLength: 3,
  maxLength: 64,
});

const stepIdPattern = '^([a-z0-9-]+@[0-9]+::)*[a-z0-9-]+(\\.[a-z0-9-]+)?$';

/** The schema of a step id, `step-id` or `loop-id@iteration::step-id`. */
export const stepId = (description: string): JsonObject => ({
  type: 'string',
  description,
  pattern: stepIdPattern,
  minLength: 3,
  maxLength: 1024,
});

/** The schema of a list of step ids. Duplicates are allowed. */
export const stepIds = (description: string): JsonObject => ({
  type: 'array',
  description,
  items: { type: 'string', pattern: stepIdPattern, maxLength: 1024 },
});

export const variableValues = (description: string): JsonObject => ({
  type: 'object',
  description,
  additionalProperties: true,
});

export const texts = (description: string): JsonObject => ({
  type: 'array',
  description,
  items: { type: 'string' },
});

/** The input schema of a tool: an object with exactly these properties. */
export function argumentsSchema(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The output schema of the tools that validate an output or a definition. */
export const verdictSchema: JsonObject = {
  type: 'object',
  properties: {
    valid: { type: 'boolean', description: 'Whether all checks pass' },
    issues: texts('What is wrong; empty when valid'),
    suggestions: texts('How to fix it; empty when valid'),
  },
  required: ['valid', 'issues', 'suggestions'],
};

const issueSchema: JsonObject = {
  type: 'object',
  properties: {
    pointer: { type: 'string', description: 'JSON pointer into the document' },
    line: { type: 'integer', description: 'From 1' },
    column: { type: 'integer', description: 'From 1' },
    message: { type: 'string', description: 'What was found and expected' },
    suggestion: { type: 'string', description: 'How to fix it' },
  },
  required: ['pointer', 'line', 'column', 'message'],
};

export const problemSchema: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Id in the file, or else its base name' },
    file: { type: 'string', description: 'Path within its source' },
    severity: { enum: ['error', 'warning'], description: 'error: not served' },
    issues: { type: 'array', description: 'What is wrong', items: issueSchema },
  },
  required: ['id', 'file', 'severity', 'issues'],
};

export const sessionToken: JsonObject = { type: 'string', description: 'Latest token of the session' };

export const checkpointHandle: JsonObject = {
  type: 'string',
  description: 'Handle that yield_checkpoint returned',
};

/** The schema of the session token that can replace a checkpoint handle. */
export const tokenForHandle: JsonObject = { type: 'string', description: 'Instead of the handle' };

/** The schema of the option that repeats operations the agent already has. */
export const fullBundle: JsonObject = { type: 'boolean', description: 'Repeat operations you already have' };

/** The schema of the option that returns the activity with the reply. */
export const includeActivity: JsonObject = {
  type: 'boolean',
  description: 'Return the activity too, as get_activity does',
};

/** The schema of an id. Its length is limited because messages repeat ids as they were given. */
export const idText = (description: string): JsonObject => ({ type: 'string', description, maxLength: 256 });

/** The schema of a note that goes with an answer. A start must not load `maxNoteChars` of `schema`, so a test compares the two. */
export const answerNote: JsonObject = {
  type: 'string',
  description: "The user's words with the answer",
  maxLength: 2000,
};

export const text = (description: string): JsonObject => ({ type: 'string', description });

/** The schema of the condition of a transition, with the maximum length that definitions allow. */
export const conditionText = (description: string): JsonObject => ({
  type: 'string',
  description,
  maxLength: 10_000,
});

/** The schema of an output: a text, or an object for a step with fields. */
export const outputOf = (description: string): JsonObject => ({
  description,
  anyOf: [{ type: 'string', minLength: 1 }, { type: 'object' }],
});

export const flag = (description: string): JsonObject => ({ type: 'boolean', description });

export const objectList = (
  description: string,
  properties: JsonObject,
  required: readonly string[],
): JsonObject => ({
  type: 'array',
  description,
  maxItems: 1000,
  items: { type: 'object', properties, required, additionalProperties: false },
});
