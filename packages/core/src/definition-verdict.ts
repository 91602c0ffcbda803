import type { Issue, Reading } from '@workflowlookup/schema';

/** What is wrong with a definition, and what would do. */
export interface DefinitionVerdict {
  readonly valid: boolean;
  readonly issues: readonly string[];
  readonly suggestions: readonly string[];
}

/**
 * Turns a reading into sentences for the agent that wrote the text. Warnings are left to lint.
 *
 * @see docs/tools.md#workflow_validate_json
 */
export function judgeReading({ issues }: Reading): DefinitionVerdict {
  const errors = issues.filter(({ severity }) => severity === 'error');
  const suggestions = errors.flatMap(({ suggestion }) => (suggestion === undefined ? [] : [suggestion]));
  return {
    valid: errors.length === 0,
    issues: errors.map(sentenceOf),
    suggestions: [...new Set(suggestions)],
  };
}

/** An issue of the whole document has no place to point to. */
function sentenceOf({ message, pointer, line, column }: Issue): string {
  return pointer === '' ? message : `${message} (${pointer}, line ${line}, column ${column})`;
}
