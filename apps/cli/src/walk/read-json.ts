import type { Json } from '@workflowlookup/schema';

/** The value of a text that is JSON. */
export function readJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
