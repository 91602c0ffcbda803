import type { JsonObject } from '@workflowlookup/schema';

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

/** The schema of a note that goes with an answer. */
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
