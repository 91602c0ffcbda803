import type { Problem } from '../messages/workflow.ts';
import { messages } from '../messages/workflow.ts';
import type { Finding } from '../findings/finding.ts';
import { createSuggester } from '../findings/finding.ts';
import { isJsonObject } from '../json.ts';
import type {
  ActivityVariable,
  ActivityWorkflowDefinition,
  Activity,
  Checkpoint,
} from '../workflow/activity-workflow.ts';
import type { ConditionSource, VariableDeclaration } from '../workflow/step-workflow.ts';
import type { PlacedCondition } from '../workflow/walk.ts';
import { walkActions, walkActivitySteps } from '../workflow/walk.ts';

/** Returns the names of the variables in a condition, or none if the condition can't be used. */
export type VariablesOf = (condition: ConditionSource) => Iterable<string>;

/** A variable that is read, and where. */
export interface Use {
  /** The name, or a dotted path into the variable. */
  readonly name: string;
  readonly pointer: string;
}

/** Returns the variables that conditions read. */
export function* usesInConditions(
  conditions: Iterable<PlacedCondition>,
  variablesOf: VariablesOf,
): Generator<Use> {
  for (const { source, pointer } of conditions)
    for (const name of variablesOf(source)) yield { name, pointer };
}

/** A declared variable. */
interface DeclaredVariable {
  readonly name: string;
  /** Set if it has a value from the start: a default, or a required value from the caller. */
  readonly isGiven: boolean;
  /** JSON pointer of the declaration. */
  readonly pointer: string;
}

/** Returns the declarations of a workflow of either kind. */
export function declarationsIn(
  variables: readonly (ActivityVariable | VariableDeclaration)[] = [],
): readonly DeclaredVariable[] {
  return variables.map((variable, at) => ({
    name: variable.name,
    isGiven: variable.required === true || 'default' in variable || 'defaultValue' in variable,
    pointer: `/variables/${at}/name`,
  }));
}

/** All uses of variables except the declarations. */
export interface VariableUses {
  /** Values with texts that may read variables or ask an agent to set them. */
  readonly anywhere: readonly unknown[];
  /** Texts outside the definition that may do the same. */
  readonly texts: readonly string[];
  /** Names that are set without being named in a text: keys of answers and modes, targets of actions, loop names. */
  readonly set: ReadonlySet<string>;
}

/** Keys whose values are never names of variables. */
const ids: readonly string[] = ['id', '$schema', 'sets'];

/** Warns about declared variables that no condition, loop or text uses. */
export function unusedVariables(
  declared: readonly DeclaredVariable[],
  { anywhere, texts, set }: VariableUses,
): readonly Finding[] {
  const all = [...textsIn(anywhere, new Set(ids)), ...texts];
  return declared
    .filter(({ name }) => isWord(name) && !isNamedIn(all, name))
    .map(({ name, pointer }) => ({ ...messages.unusedVariable(name, set.has(name)), pointer }));
}

/**
 * Returns a check of the variables that texts show: it warns about those that nothing sets. They have no value, and no
 * text mentions them except to show them. `placeOf` describes the text.
 */
export function unsetVariables(
  declared: readonly DeclaredVariable[],
  { anywhere, texts, set }: VariableUses,
): (shown: Iterable<Use>, placeOf: (use: Use) => string) => Generator<Finding> {
  const all = [...textsIn(anywhere, new Set([...ids, ...readingKeys])), ...texts];
  const unset = new Set(
    declared
      .filter(({ name, isGiven }) => !isGiven && isWord(name) && !set.has(name) && !isAskedForIn(all, name))
      .map(({ name }) => name),
  );
  return function* check(shown, placeOf) {
    for (const use of unset.size === 0 ? [] : shown) {
      const root = rootOf(use.name);
      if (unset.has(root)) yield { ...messages.unsetVariable(root, placeOf(use)), pointer: use.pointer };
    }
  };
}

function isNamedIn(texts: readonly string[], name: string): boolean {
  const isIn = wordSearch(name);
  return texts.some((text) => isIn(text));
}

/** Tells whether any text mentions a name other than to show it. Such a text may ask an agent to set it. */
function isAskedForIn(texts: readonly string[], name: string): boolean {
  const isIn = wordSearch(name);
  return texts.some((text) => isIn(text) && isIn(text.replaceAll(markers, ' ')));
}

const markers = /\{\{?\s*[\w.-]+\s*\}?\}/g;

/** Returns a search for a name as a word. It first checks for the plain name, because most texts don't contain it. */
function wordSearch(name: string): (text: string) => boolean {
  let word: RegExp | undefined;
  return (text) => text.includes(name) && (word ??= new RegExp(`(?<!\\w)${name}(?!\\w)`)).test(text);
}

/** Tells whether a name can be searched for. */
function isWord(name: string): boolean {
  return /^[\w-]+$/.test(name);
}

/** Returns all texts in a value, at any depth, except those under certain keys. */
function textsIn(value: unknown, leftOut: ReadonlySet<string>): string[] {
  const found: string[] = [];
  // A generator for each level would cost more than all other work on the texts.
  const gather = (part: unknown): void => {
    if (typeof part === 'string') found.push(part);
    else if (Array.isArray(part)) part.forEach(gather);
    else if (isJsonObject(part)) for (const key in part) if (!leftOut.has(key)) gather(part[key]);
  };
  gather(value);
  return found;
}

/** Keys that read a variable and never set it: conditions, and the lists and counts of loops. */
const readingKeys: readonly string[] = [
  'breakCondition',
  'condition',
  'count',
  'items',
  'over',
  'passContext',
  'requireConfirmation',
  'runCondition',
  'when',
];

/** Returns the variable that a dotted path leads into. */
export function rootOf(path: string): string {
  return path.split('.', 1)[0] ?? '';
}

export function namesSetByModes({ modes = [] }: ActivityWorkflowDefinition): readonly string[] {
  return modes.flatMap(({ defaults = {} }) => Object.keys(defaults));
}

export function namesSetByOptions({ options }: Checkpoint): readonly string[] {
  return options.flatMap(({ effect }) => Object.keys(effect?.setVariable ?? {}));
}

export function namesSetByEffects(activity: Activity): readonly string[] {
  const effects = (activity.checkpoints ?? []).flatMap(namesSetByOptions);
  const targets = [...walkActions(activity)].flatMap(({ action: { action, target } }) =>
    action === 'set' && target !== undefined ? [target] : [],
  );
  const fields = [...walkActivitySteps(activity)].flatMap(({ step }) => Object.keys(step.sets ?? {}));
  return [...effects, ...targets, ...fields];
}

/**
 * Returns a function that tells whether agents may set a variable anywhere: its declaration has no `set_by`, or the
 * workflow declares no variables and accepts any name. A name with a dot must be declared.
 */
export function settableAnywhere(
  declared: readonly Pick<VariableDeclaration, 'name' | 'set_by'>[] = [],
): (name: string) => boolean {
  if (declared.length === 0) return (name) => !name.includes('.');
  const free = new Set(declared.filter((one) => one.set_by === undefined).map(({ name }) => name));
  return (name) => free.has(name);
}

/** Warns about names in `set_by` that are not known, with the message of `unknownSetter`. */
export function* unknownSetters(
  variables: readonly Pick<VariableDeclaration, 'name' | 'set_by'>[],
  known: ReadonlySet<string>,
  unknownSetter: (variable: string, id: string, meant: string | undefined) => Problem,
): Generator<Finding> {
  const suggest = createSuggester();
  for (const [at, { name, set_by: setBy = [] }] of variables.entries()) {
    for (const id of [setBy].flat()) {
      if (!known.has(id))
        yield { ...unknownSetter(name, id, suggest(id, known)), pointer: `/variables/${at}/set_by` };
    }
  }
}
