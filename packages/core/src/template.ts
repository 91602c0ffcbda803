import type { Context } from '@workflowlookup/conditions';
import { lookUp } from '@workflowlookup/conditions';

/** Characters that values may add to one step in all, so that a long value named often can't swell an answer. */
const maxInsertedChars = 262_144;

const marker = /\{\{\s*([\w.-]+)\s*\}\}/g;

/**
 * Makes a function that replaces `{{name.path}}` in texts of one step by values of the context: text as it is,
 * anything else as JSON. An unset one becomes `[unset: name.path]`; what was inserted is never expanded again.
 *
 * @see docs/authoring.md#templates
 */
export function createExpander(context: Context): (text: string) => string {
  let left = maxInsertedChars;
  return (text) =>
    text.replace(marker, (_, path: string) => {
      const value = lookUp(context, path);
      if (value === undefined || value === null) return `[unset: ${path}]`;
      const inserted = typeof value === 'string' ? value : JSON.stringify(value);
      if (inserted.length > left) return `[too long: ${path}]`;
      left -= inserted.length;
      return inserted;
    });
}

/** A text of a step as the texts of a checkpoint have it, in which `{name}` stands for a variable. */
export function asCheckpointText(text: string): string {
  return text.replace(marker, '{$1}');
}
