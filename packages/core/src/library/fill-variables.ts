import type { Context } from '@workflowlookup/conditions';
import { lookUp } from '@workflowlookup/conditions';

/** Characters that values may add to one text in all, so that a long value named often can't swell an answer. */
const maxInsertedChars = 65_536;

// `{{name}}` belongs to step workflows and stays.
const marker = /(?<!\{)\{([\w.-]+)\}(?!\})/g;

/**
 * Replaces `{name}` by the variable of that name: text as it is, anything else as JSON. What is not set stays as it
 * is written, and what was inserted is never expanded again.
 *
 * @see docs/authoring.md#activity-workflows
 */
export function fillVariables(text: string, variables: Context): string {
  let left = maxInsertedChars;
  return text.replace(marker, (written, name: string) => {
    const value = lookUp(variables, name);
    if (value === undefined || value === null) return written;
    const inserted = typeof value === 'string' ? value : JSON.stringify(value);
    if (inserted.length > left) return `[too long: ${name}]`;
    left -= inserted.length;
    return inserted;
  });
}

/** The names of the variables that {@link fillVariables} looks for in a text. */
export function namesInText(text: string): readonly string[] {
  return Array.from(text.matchAll(marker), ([, name = '']) => name);
}
