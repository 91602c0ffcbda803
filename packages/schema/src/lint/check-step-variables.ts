import {
  declareVariable,
  didYouMeanThis,
  hidingLoopName,
  nameASetterStep,
  unknownStepSetter,
  unknownVariable,
  variableDeclaredTwice,
} from '../messages/workflow.ts';
import type { Finding } from '../findings/finding.ts';
import { createSuggester, describePlace, didYouMean } from '../findings/finding.ts';
import type { LoopSpec, LoopStep, Step, StepWorkflowDefinition } from '../workflow/step-workflow.ts';
import type { PlacedCondition } from '../workflow/walk.ts';
import { conditionsOfOutcomes, conditionsOfStep, walkSteps } from '../workflow/walk.ts';
import type { VariablesOf } from './check-activity-variables.ts';
import type { DeclaredVariable, ShownVariable, VariableUses } from './variable-uses.ts';
import { unsetVariables, unusedVariables } from './variable-uses.ts';

/** Warns about variables that are never read, and about variables that a text shows although nothing sets them. */
export function lintStepVariables(definition: StepWorkflowDefinition): readonly Finding[] {
  const declared = (definition.variables ?? []).map(
    ({ name, default: value, required = false }, at): DeclaredVariable => ({
      name,
      isGiven: required || value !== undefined,
      pointer: `/variables/${at}/name`,
    }),
  );
  if (declared.length === 0) return [];
  const uses = usesOf(definition);
  const unset = unsetVariables(declared, shownIn(definition), uses);
  return [
    ...declaredTwice(declared),
    ...unknownSetters(definition),
    ...unusedVariables(declared, uses),
    ...Array.from(unset, ({ finding }) => finding),
  ];
}

/** Warns about unknown ids in `set_by`. Agents set variables at steps; answering a step's confirmation sets none. */
function* unknownSetters({ variables = [], steps }: StepWorkflowDefinition): Generator<Finding> {
  const ids = [...walkSteps(steps)].flatMap(({ step }) => (step.type === 'loop' ? [] : [step.id]));
  const known = new Set(['agent', ...ids]);
  const suggest = createSuggester(known);
  for (const [at, { name, set_by: setBy = [] }] of variables.entries()) {
    for (const id of typeof setBy === 'string' ? [setBy] : setBy) {
      if (known.has(id)) continue;
      yield {
        severity: 'warning',
        code: 'unknown-setter',
        pointer: `/variables/${at}/set_by`,
        message: unknownStepSetter(name, id),
        suggestion: suggest(id, nameASetterStep),
      };
    }
  }
}

function* declaredTwice(declared: readonly DeclaredVariable[]): Generator<Finding> {
  const before = new Set<string>();
  for (const { name, pointer } of declared) {
    if (!before.has(name)) {
      before.add(name);
      continue;
    }
    yield { severity: 'warning', code: 'duplicate-id', pointer, ...variableDeclaredTwice(name) };
  }
}

/**
 * Returns the uses of variables. The name, the description and the tags are for choosing a workflow, so they are not
 * included.
 */
function usesOf({
  steps,
  metaGuidance,
  preconditions,
  clarificationPrompts,
  session_title: title,
  session_outcomes: outcomes,
}: StepWorkflowDefinition): VariableUses {
  const loops = [...walkSteps(steps)].flatMap(({ step }) => (step.type === 'loop' ? [step] : []));
  return {
    anywhere: [steps, metaGuidance, preconditions, clarificationPrompts, title, outcomes],
    texts: [],
    set: new Set([...namesSetBy(loops), ...namesSetByFields(steps)]),
  };
}

function* shownIn(definition: StepWorkflowDefinition): Generator<ShownVariable> {
  const templates = [
    ...templatesOfStart(definition),
    ...[...walkSteps(definition.steps)].flatMap(({ step, pointer }) => [...templatesOf(step, pointer)]),
  ];
  for (const { text, pointer } of templates) {
    const place = (): string => describePlace(definition, pointer);
    for (const root of rootsIn(text)) yield { root, pointer, place };
  }
}

/**
 * Warns about unknown variables in templates and conditions. If the workflow declares no variables, it only
 * reports names that are close to a loop variable. Only the first part of a dotted path is checked.
 */
export function* lintVariableNames(
  definition: StepWorkflowDefinition,
  variablesOf: VariablesOf,
): Generator<Finding> {
  const declared = definition.variables && new Set(definition.variables.map(({ name }) => name));
  const suggest = createNameSuggester();
  for (const { templates, conditions, loopNames } of scopesOf(definition)) {
    const shown = [...templates].flatMap(({ text, pointer }) =>
      Array.from(rootsIn(text), (name): NameUse => ({ name, pointer })),
    );
    const read = conditions.flatMap(({ source, pointer }) =>
      Array.from(variablesOf(source), (name): NameUse => ({ name, pointer })),
    );
    for (const { name: path, pointer } of [...shown, ...read]) {
      const name = path.split('.', 1)[0] ?? '';
      const wrong = suggestionFor(name, { declared, loopNames, suggest });
      if (wrong === undefined) continue;
      const message = unknownVariable(name, describePlace(definition, pointer));
      yield { severity: 'warning', code: 'unknown-variable', pointer, message, suggestion: wrong };
    }
  }
}

/** A name that a text or a condition reads. */
interface NameUse {
  readonly name: string;
  readonly pointer: string;
}

interface KnownNames {
  readonly declared: ReadonlySet<string> | undefined;
  readonly loopNames: ReadonlySet<string>;
  readonly suggest: ReturnType<typeof createNameSuggester>;
}

/**
 * The largest number of comparisons for one definition. If thousands of names are wrong, suggestions for the last ones
 * don't help.
 */
const maxComparisons = 200_000;

function createNameSuggester(): (word: string, candidates: readonly string[]) => string | undefined {
  let left = maxComparisons;
  return (word, candidates) => {
    left -= candidates.length;
    return left < 0 ? undefined : didYouMean(word, candidates);
  };
}

/** Returns a suggestion for a name, or `undefined` if the name may be set. */
function suggestionFor(name: string, { declared, loopNames, suggest }: KnownNames): string | undefined {
  if (loopNames.has(name) || declared?.has(name) === true) return undefined;
  const meant = suggest(name, [...(declared ?? []), ...loopNames]);
  if (meant !== undefined) return didYouMeanThis(meant);
  return declared === undefined ? undefined : declareVariable(name);
}

/** The start of a workflow or one step, with the names that the loops around it set. */
interface NameScope {
  readonly templates: Iterable<Template>;
  readonly conditions: readonly PlacedCondition[];
  readonly loopNames: ReadonlySet<string>;
}

function* scopesOf({ steps, ...definition }: StepWorkflowDefinition): Generator<NameScope> {
  const { session_title: title } = definition;
  const ofSession = title === undefined ? [] : [{ text: title, pointer: '/session_title' }];
  yield {
    templates: [...templatesOfStart(definition), ...ofSession],
    conditions: [...conditionsOfOutcomes(definition)],
    loopNames: new Set(),
  };
  const walked = [...walkSteps(steps)];
  const allLoops = walked.map(({ step }) => step).filter((step) => step.type === 'loop');
  const bodies = new Set(allLoops.map(({ body }) => body));
  const allNames = namesSetBy(allLoops);
  for (const { step, pointer, loops } of walked) {
    const around = step.type === 'loop' ? [...loops, step] : loops;
    // If a loop names a step as its body, the step may run in several loops. Any of their names is accepted.
    const isNamed = [step, ...loops].some(({ id }) => bodies.has(id));
    const conditions = Array.from(conditionsOfStep(step), (placed) => ({
      ...placed,
      pointer: `${pointer}${placed.pointer}`,
    }));
    yield {
      templates: templatesOf(step, pointer),
      conditions,
      loopNames: isNamed ? allNames : namesSetBy(around),
    };
  }
}

function namesSetByFields(steps: readonly Step[]): readonly string[] {
  return [...walkSteps(steps)].flatMap(({ step }) =>
    step.type === 'loop' ? [] : Object.keys(step.sets ?? {}),
  );
}

export function namesSetBy(loops: readonly LoopStep[]): ReadonlySet<string> {
  const chosen = loops.flatMap(({ loop }) => [loop.iterationVar, loop.indexVar, loop.itemVar]);
  const defaults = loops.length === 0 ? [] : ['currentIteration', 'currentIndex', 'currentItem'];
  return new Set([...chosen, ...defaults].filter((name) => name !== undefined));
}

type NameField = 'indexVar' | 'itemVar' | 'iterationVar';

interface LoopName {
  readonly field: NameField;
  readonly name: string;
  readonly isChosen: boolean;
}

/** Warns about loop names that hide a variable, a name of an outer loop, or another name of the same loop. */
export function* lintLoopNames(definition: StepWorkflowDefinition): Generator<Finding> {
  let held: ReadonlySet<string> | undefined;
  const declared = new Set((definition.variables ?? []).map(({ name }) => name));
  const isHeld = (name: string): boolean =>
    declared.has(name) && (held ??= usedElsewhere(definition)).has(name);
  for (const { step, pointer, loops } of walkSteps(definition.steps)) {
    if (step.type !== 'loop') continue;
    const own = namesOf(step.loop);
    for (const [at, { field, name, isChosen }] of own.entries()) {
      const twin = own.slice(0, at).find((other) => other.name === name);
      if (!isChosen && twin?.isChosen !== true) continue;
      const hidden = twin === undefined ? hiddenBy(name, loops, isHeld) : `its own ${twin.field}`;
      if (hidden === undefined) continue;
      yield {
        severity: 'warning',
        code: 'shadowed-name',
        pointer: `${pointer}/loop${isChosen ? `/${field}` : ''}`,
        ...hidingLoopName(field, name, step.id, hidden),
      };
    }
  }
}

/**
 * Returns the declared variables that are used for more than a loop item: they have a value from the start, or are
 * shown outside the loop.
 */
function usedElsewhere(definition: StepWorkflowDefinition): ReadonlySet<string> {
  const shown = new Set<string>();
  for (const { templates, loopNames } of scopesOf(definition)) {
    for (const { text } of templates) {
      for (const root of rootsIn(text)) if (!loopNames.has(root)) shown.add(root);
    }
  }
  return new Set(
    (definition.variables ?? [])
      .filter(({ name, default: value, required }) => required || value !== undefined || shown.has(name))
      .map(({ name }) => name),
  );
}

function hiddenBy(
  name: string,
  around: readonly LoopStep[],
  isHeld: (name: string) => boolean,
): string | undefined {
  const outer = around.findLast(({ loop }) => namesOf(loop).some((other) => other.name === name));
  if (outer !== undefined) return `the '${name}' of loop '${outer.id}' around it`;
  return isHeld(name) ? `the variable '${name}'` : undefined;
}

function namesOf({ type, iterationVar, indexVar, itemVar }: LoopSpec): readonly LoopName[] {
  const named = (field: NameField, chosen: string | undefined, otherwise: string): LoopName => ({
    field,
    name: chosen ?? otherwise,
    isChosen: chosen !== undefined,
  });
  return [
    named('iterationVar', iterationVar, 'currentIteration'),
    named('indexVar', indexVar, 'currentIndex'),
    ...(type === 'forEach' ? [named('itemVar', itemVar, 'currentItem')] : []),
  ];
}

/** A text with placeholders such as `{{name.path}}`. */
interface Template {
  readonly text: string;
  readonly pointer: string;
}

/** Returns the templates that are sent with the first step. */
function templatesOfStart(definition: Omit<StepWorkflowDefinition, 'steps'>): readonly Template[] {
  return (['preconditions', 'clarificationPrompts', 'metaGuidance'] as const).flatMap((field) =>
    textsOf(definition[field], `/${field}`),
  );
}

/** Returns the templates of a step. The body of a loop is not included. */
function* templatesOf(step: Step, pointer: string): Generator<Template> {
  yield { text: step.title, pointer: `${pointer}/title` };
  if (step.type === 'loop') return;
  yield { text: step.prompt, pointer: `${pointer}/prompt` };
  if (step.agentRole !== undefined) yield { text: step.agentRole, pointer: `${pointer}/agentRole` };
  yield* textsOf(step.guidance, `${pointer}/guidance`);
}

function textsOf(texts: readonly string[] | undefined, pointer: string): readonly Template[] {
  return (texts ?? []).map((text, index) => ({ text, pointer: `${pointer}/${index}` }));
}

const none: ReadonlySet<string> = new Set();

/** Returns the first parts of the variables in a template, without duplicates. */
function rootsIn(text: string): ReadonlySet<string> {
  if (!text.includes('{{')) return none;
  return new Set(
    Array.from(text.matchAll(/\{\{\s*([\w-]+)(?:\.[\w.-]*)?\s*\}\}/g), ([, root]) => root ?? ''),
  );
}
