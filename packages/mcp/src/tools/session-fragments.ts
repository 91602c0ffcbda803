import type { JsonObject } from '@workflowlookup/schema';

/** The token that a call is made with. */
export const sessionToken: JsonObject = { type: 'string', description: 'Latest token of the session' };

/** The handle of a checkpoint that waits. */
export const checkpointHandle: JsonObject = { type: 'string', description: 'Handle the worker yielded' };

/** What stands in for a handle. */
export const tokenForHandle: JsonObject = { type: 'string', description: 'In place of the handle' };

/** Whether operations are sent again that the agent has. */
export const fullBundle: JsonObject = { type: 'boolean', description: 'Send operations again that you have' };

/** An id. Messages say ids as they were given, so that none may be long. */
export const idText = (description: string): JsonObject => ({ type: 'string', description, maxLength: 256 });

/** A text. */
export const text = (description: string): JsonObject => ({ type: 'string', description });

/** A condition of a transition, as long as a definition may write one. */
export const conditionText = (description: string): JsonObject => ({
  type: 'string',
  description,
  maxLength: 10_000,
});

/** Yes or no. */
export const flag = (description: string): JsonObject => ({ type: 'boolean', description });

/** A list of objects with these properties and no others. */
export const entries = (
  description: string,
  properties: JsonObject,
  required: readonly string[],
): JsonObject => ({
  type: 'array',
  description,
  maxItems: 1000,
  items: { type: 'object', properties, required, additionalProperties: false },
});
