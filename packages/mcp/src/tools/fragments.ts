import type { JsonObject } from '@workflowlookup/schema';

/** A workflow id, `name` or `namespace.name`. */
export const workflowId = (description: string): JsonObject => ({
  type: 'string',
  description,
  pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)?$',
  minLength: 3,
  maxLength: 64,
});

const stepIdPattern = '^([a-z0-9-]+@[0-9]+::)*[a-z0-9-]+(\\.[a-z0-9-]+)?$';

/** A step id, bare or `loop-id@iteration::step-id`. */
export const stepId = (description: string): JsonObject => ({
  type: 'string',
  description,
  pattern: stepIdPattern,
  minLength: 3,
  maxLength: 1024,
});

/** Ids of steps that are done; saying one twice is harmless. */
export const stepIds = (description: string): JsonObject => ({
  type: 'array',
  description,
  items: { type: 'string', pattern: stepIdPattern, maxLength: 1024 },
});

/** Variables the agent sets. */
export const context = (description: string): JsonObject => ({
  type: 'object',
  description,
  additionalProperties: true,
});

/** A list of texts. */
export const texts = (description: string): JsonObject => ({
  type: 'array',
  description,
  items: { type: 'string' },
});

/** An input schema: an object that allows no property beside these. */
export function input(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required, additionalProperties: false };
}

/** What is wrong with an output or a definition. */
export const verdictSchema: JsonObject = {
  type: 'object',
  properties: {
    valid: { type: 'boolean', description: 'Whether everything holds' },
    issues: texts('What is wrong; empty when valid'),
    suggestions: texts('What would do; empty when valid'),
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
    suggestion: { type: 'string', description: 'What would do' },
  },
  required: ['pointer', 'line', 'column', 'message'],
};

/** A file that could not be served as it stands. */
export const problemSchema: JsonObject = {
  type: 'object',
  properties: {
    id: { type: 'string', description: 'Id the file names, else its base name' },
    file: { type: 'string', description: 'Path within its source' },
    severity: { enum: ['error', 'warning'], description: 'error: not served' },
    issues: { type: 'array', description: 'What is wrong', items: issueSchema },
  },
  required: ['id', 'file', 'severity', 'issues'],
};
