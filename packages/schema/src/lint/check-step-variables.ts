import { messages } from '../messages/workflow.ts';
import type { Finding } from '../findings/finding.ts';
import { describePlace, didYouMean, repeats } from '../findings/finding.ts';
import type { LoopSpec, LoopStep, Step, StepWorkflowDefinition } from '../workflow/step-workflow.ts';
import type { PlacedCondition } from '../workflow/walk.ts';
import { conditionsOfOutcomes, conditionsOfStep, walkSteps } from '../workflow/walk.ts';
import type { Use, VariablesOf, VariableUses } from './variable-uses.ts';
import {
  declarationsIn,
  rootOf,
  unknownSetters,
  unsetVariables,
  unusedVariables,
  usesInConditions,
} from './variable-uses.ts';

/** Warns about variables that are never read, and about variables that a text shows although nothing sets them. */
export function lintStepVariables(definition: StepWorkflowDefinition): readonly Finding[] {
  const { variables = [], steps } = definition;
  if (variables.length === 0) return [];
  const declared = declarationsIn(variables);
  const uses = usesOf(definition);
  const named = declared.map(({ name, pointer }) => ({ id: name, pointer }));
  // Agents set variables at steps. Answering the confirmation of a step sets none.
  const ids = walkSteps(steps).flatMap(({ step }) => (step.type === 'loop' ? [] : [step.id]));
  return [
    ...Array.from(repeats(named), ({ repeated: { id, pointer } }) => ({
      ...messages.variableDeclaredTwice(id),
      pointer,
    })),
    ...unknownSetters(variables, new Set(['agent', ...ids]), messages.unknownStepSetter),
    ...unusedVariables(declared, uses),
    ...unsetVariables(declared, uses)(shownIn(definition), ({ pointer }) =>
      describePlace(definition, pointer),
    ),
  ];
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
  const loops = walkSteps(steps).flatMap(({ step }) => (step.type === 'loop' ? [step] : []));
  return {
    anywhere: [steps, metaGuidance, preconditions, clarificationPrompts, title, outcomes],
    texts: [],
    set: new Set([...namesSetBy(loops), ...namesSetByFields(steps)]),
  };
}

function* shownIn(definition: StepWorkflowDefinition): Generator<Use> {
  yield* usesInTemplates(templatesOfStart(definition));
  for (const { step, pointer } of walkSteps(definition.steps))
    yield* usesInTemplates(templatesOf(step, pointer));
}

/**
 * The largest number of comparisons for one definition. If thousands of names are wrong, suggestions for the last ones
 * don't help.
 */
const maxComparisons = 200_000;

/**
 * Warns about unknown variables in templates and conditions. If the workflow declares no variables, it only
 * reports names that are close to a loop variable. Only the first part of a dotted path is checked.
 */
export function* lintVariableNames(
  definition: StepWorkflowDefinition,
  variablesOf: VariablesOf,
): Generator<Finding> {
  const declared = new Set(definition.variables?.map(({ name }) => name));
  let comparisons = 0;
  for (const { templates, conditions, loopNames } of scopesOf(definition)) {
    const uses = [...usesInTemplates(templates), ...usesInConditions(conditions, variablesOf)];
    for (const { name: path, pointer } of uses) {
      const name = rootOf(path);
      if (declared.has(name) || loopNames.has(name)) continue;
      const known = [...declared, ...loopNames];
      comparisons += known.length;
      const meant = comparisons > maxComparisons ? undefined : didYouMean(name, known);
      if (meant === undefined && definition.variables === undefined) continue;
      yield { ...messages.unknownVariable(name, describePlace(definition, pointer), meant), pointer };
    }
  }
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
  const walked = walkSteps(steps);
  const allLoops = walked.map(({ step }) => step).filter((step) => step.type === 'loop');
  const bodies = new Set(allLoops.map(({ body }) => body));
  const allNames = namesSetBy(allLoops);
  for (const { step, pointer, loops } of walked) {
    const around = step.type === 'loop' ? [...loops, step] : loops;
    // If a loop names a step as its body, the step may run in several loops. Any of their names is accepted.
    const isNamed = [step, ...loops].some(({ id }) => bodies.has(id));
    const conditions = conditionsOfStep(step).map((placed) => ({
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
  return walkSteps(steps).flatMap(({ step }) => (step.type === 'loop' ? [] : Object.keys(step.sets ?? {})));
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
      const hidden = twin === undefined ? hiddenBy(name, loops, isHeld) : messages.hiddenField(twin.field);
      if (hidden === undefined) continue;
      const place = `${pointer}/loop${isChosen ? `/${field}` : ''}`;
      yield { ...messages.hidingLoopName(field, name, step.id, hidden), pointer: place };
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
    for (const { name } of usesInTemplates(templates)) if (!loopNames.has(name)) shown.add(name);
  }
  const used = declarationsIn(definition.variables).filter(({ name, isGiven }) => isGiven || shown.has(name));
  return new Set(used.map(({ name }) => name));
}

function hiddenBy(
  name: string,
  around: readonly LoopStep[],
  isHeld: (name: string) => boolean,
): string | undefined {
  const outer = around.findLast(({ loop }) => namesOf(loop).some((other) => other.name === name));
  if (outer !== undefined) return messages.hiddenLoopName(name, outer.id);
  return isHeld(name) ? messages.hiddenVariable(name) : undefined;
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

/** Returns the first parts of the variables that templates show, once for each template. */
function* usesInTemplates(templates: Iterable<Template>): Generator<Use> {
  for (const { text, pointer } of templates) {
    // Most texts show no variable, and searching them with the pattern takes much longer.
    if (!text.includes('{{')) continue;
    const shown = text.matchAll(/\{\{\s*([\w-]+)(?:\.[\w.-]*)?\s*\}\}/g);
    for (const name of new Set(Array.from(shown, ([, root = '']) => root))) yield { name, pointer };
  }
}
