import { checkActivityConditions, checkConditions, namesInCondition } from '@workflowlookup/conditions';
import type { DefinitionReader, FolderReader, Issue, Reading, Workflow } from '@workflowlookup/schema';
import { createFolderReader, createReader } from '@workflowlookup/schema';
import { checkActivityCriteria, checkCriteria } from '@workflowlookup/validation';

/**
 * Reads a definition with all checks: shape, references, conditions, criteria. Everything that an engine serves was
 * read by it.
 *
 * @example
 * ```ts
 * const { workflow, issues } = await readDefinition({ text: await readFile('review.yaml', 'utf8'), format: 'yaml' });
 * ```
 */
export const readDefinition: DefinitionReader = createReader({
  checks: [checkConditions, checkCriteria],
  variablesOf: namesInCondition,
});

/**
 * Reads the folder of an activity workflow with every check there is, as `readDefinition` does a step workflow.
 *
 * @example
 * ```ts
 * const { workflow, issuesByFile } = await readWorkflowFolder(new Map([['workflow.json', text]]), { id: 'release' });
 * ```
 */
export const readWorkflowFolder: FolderReader = createFolderReader({
  checks: [checkActivityConditions, checkActivityCriteria],
  variablesOf: namesInCondition,
});

/** A workflow as its author wrote it, whole: of an activity workflow also its name, and its activities in order. */
export function wholeDefinition(workflow: Workflow): object {
  const { definition } = workflow;
  if (workflow.kind === 'steps') return definition;
  const { title, description = '' } = workflow.definition;
  const activities = workflow.activities.map((part) => part.definition);
  return { ...definition, name: title, description, activities };
}

/** The problems of a definition, with suggestions. */
export interface DefinitionVerdict {
  readonly valid: boolean;
  /** One sentence for each error. */
  readonly issues: readonly string[];
  /** How to correct the errors, where a reader can tell. */
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
