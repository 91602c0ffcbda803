import type { Activity } from './activity.ts';
import type { ActivityPart, ActivityWorkflow, ActivityWorkflowDefinition } from './activity-workflow.ts';
import type { FileFinding } from './file-finding.ts';
import { escapePointer } from './json-pointer.ts';
import type { ConditionSource } from './step-workflow.ts';
import { loopItems } from './loop-items.ts';
import { createSuggester } from './suggester.ts';
import { conditionsOf, walkActions } from './walk-activity.ts';

/** The names of the variables a condition mentions; none for one that can't be used. */
export type VariablesOf = (condition: ConditionSource) => Iterable<string>;

/** A variable that is used, and where. */
export interface Use {
  readonly name: string;
  readonly pointer: string;
}

/** What the check of variables looks at. */
export interface VariableScope {
  readonly workflow: ActivityWorkflow;
  /** Path of the workflow file. */
  readonly file: string;
  readonly variablesOf: VariablesOf;
}

/**
 * Variables that are used (in conditions, messages and names of artifacts) and never declared: a warning where each
 * file first uses one. Says nothing of a workflow that declares none.
 */
export function* checkVariables({ workflow, file, variablesOf }: VariableScope): Generator<FileFinding> {
  const { variables, modes = [] } = workflow.definition;
  if (variables === undefined) return;
  // A mode declares the variable that turns it on.
  const declared = new Set([
    ...variables.map(({ name }) => name),
    ...modes.map(({ activationVariable }) => activationVariable),
  ]);
  const suggest = createSuggester(declared);
  const itemsAt = loopItems(workflow);
  yield* undeclared(usesInWorkflow(workflow.definition), { declared, suggest, file, pointer: '' });
  for (const part of workflow.activities) {
    const { file: partFile, pointer } = part;
    const uses = usesInActivity(part, variablesOf);
    const known = new Set([...declared, ...itemsAt(part.id)]);
    yield* undeclared(uses, { declared: known, suggest, file: partFile, pointer });
  }
}

/** Where variables are used, and what is declared there. */
interface UseScope {
  readonly declared: ReadonlySet<string>;
  readonly suggest: ReturnType<typeof createSuggester>;
  readonly file: string;
  readonly pointer: string;
}

function* undeclared(
  uses: Iterable<Use>,
  { declared, suggest, file, pointer }: UseScope,
): Generator<FileFinding> {
  const told = new Set<string>();
  for (const use of uses) {
    const root = use.name.split('.')[0] ?? '';
    if (declared.has(use.name) || declared.has(root) || told.has(root)) continue;
    told.add(root);
    yield {
      severity: 'warning',
      code: 'unknown-variable',
      file,
      pointer: pointer + use.pointer,
      message: `Variable '${root}' is used and never declared`,
      suggestion: suggest(root, `Declare '${root}' under 'variables'`),
    };
  }
}

/** The variables that paths of artifacts show, and where. */
export function* usesInWorkflow({ artifactLocations = {} }: ActivityWorkflowDefinition): Generator<Use> {
  for (const [name, location] of Object.entries(artifactLocations)) {
    const pointer = `/artifactLocations/${escapePointer(name)}`;
    if (typeof location === 'string') yield* usesInText(location, pointer);
    else yield* usesInText(location.path, `${pointer}/path`);
  }
}

function* usesInActivity({ definition }: ActivityPart, variablesOf: VariablesOf): Generator<Use> {
  for (const { source, pointer } of conditionsOf(definition)) {
    for (const name of variablesOf(source)) yield { name, pointer };
  }
  for (const [at, { over }] of (definition.loops ?? []).entries()) {
    if (over !== undefined) yield { name: over, pointer: `/loops/${at}/over` };
  }
  yield* usesInTexts(definition);
}

/** The variables that texts of an activity show, and where. */
export function* usesInTexts(activity: Activity): Generator<Use> {
  for (const { action, pointer } of walkActions(activity)) {
    yield* usesInText(action.message, `${pointer}/message`);
  }
  for (const [at, { message }] of (activity.checkpoints ?? []).entries()) {
    yield* usesInText(message, `/checkpoints/${at}/message`);
  }
  for (const [at, { name }] of (activity.artifacts ?? []).entries()) {
    yield* usesInText(name, `/artifacts/${at}/name`);
  }
}

/** The variables of `{name}` in a text; `{{name}}` is another notation. */
function* usesInText(text: string | undefined, pointer: string): Generator<Use> {
  if (text?.includes('{') !== true) return;
  for (const [, name = ''] of text.matchAll(/(?<!\{)\{([A-Za-z_]\w*(?:\.\w+)*)\}(?!\})/g)) {
    yield { name, pointer };
  }
}
