import type { Context } from '@workflowlookup/conditions';
import { describeCondition, evaluate, undecided, variablesOf } from '@workflowlookup/conditions';
import type {
  Action,
  Activity,
  ActivityLoop,
  ActivityStep,
  ActivityVariable,
  ActivityWorkflow,
  Checkpoint,
  CheckpointOption,
  ConditionSource,
  Json,
  Trigger,
} from '@workflowlookup/schema';
import { walkActions, walkActivitySteps } from '@workflowlookup/schema';
import { schemaOfFields } from '@workflowlookup/validation';
import { compileCondition, compileOptional } from '../navigation/compile-activity.ts';
import { rootOf } from '../session/session-state.ts';
import { describeSets, section } from './lookup.ts';
import { judgedId } from './read-history.ts';

/** Returns the steps of an activity that are required or may become so, then those of each of its loops. */
export function describeWork(activityContext: ActivityContext): readonly string[] {
  const { steps = [], loops = [] } = activityContext.activity;
  return [
    ...list('Steps:', steps, activityContext),
    ...loops.flatMap((loop) => list(describeLoop(loop), loop.steps ?? [], activityContext)),
  ];
}

export function conditionStateOfStep(
  step: ActivityStep,
  activityContext: ActivityContext,
): ReturnType<typeof conditionStateOf> {
  return conditionStateOf([step.when, step.condition], activityContext);
}

function list(
  heading: string,
  steps: readonly ActivityStep[],
  activityContext: ActivityContext,
): readonly string[] {
  const shown = steps.flatMap((step) => {
    const conditionState = conditionStateOfStep(step, activityContext);
    return conditionState.kind === 'fails' ? [] : [{ step, when: conditionState.when }];
  });
  if (shown.length === 0) return [];
  const lines = shown.flatMap(({ step, when }, at) => [
    `${at + 1}. ${headOf(step, activityContext, when)}`,
    ...indented(notesOn(step, activityContext)),
  ]);
  return [[heading, ...lines].join('\n')];
}

function headOf(step: ActivityStep, { activity, visit }: ActivityContext, when?: string): string {
  const { id, name = id, description, required, skill, validationCriteria, fields } = step;
  const remarks = [
    ...(validationCriteria === undefined && fields === undefined
      ? []
      : [`judged as ${judgedId(activity.id, visit, step)}`]),
    ...(required === false ? ['optional'] : []),
    ...(when === undefined ? [] : [`only when ${when}`]),
    ...(skill === undefined ? [] : [`skill: ${skill}`]),
  ];
  const head = remarks.length === 0 ? name : `${name} (${remarks.join('; ')})`;
  return description === undefined ? head : `${head}: ${description}`;
}

function notesOn(
  { skill_args: args, actions, triggers, checkpoint, fields, sets }: ActivityStep,
  { activity }: ActivityContext,
): readonly string[] {
  const question = activity.checkpoints?.find(({ id }) => id === checkpoint);
  return [
    ...(args === undefined ? [] : [`- The skill is given ${JSON.stringify(args)}.`]),
    ...(fields === undefined
      ? []
      : [`- Its output is an object with this JSON Schema: ${JSON.stringify(schemaOfFields(fields))}`]),
    ...describeSets(sets).map((line) => `- ${line}`),
    ...describeActions(actions).map((line) => `- ${line}`),
    ...describeTriggers(triggers).map((line) => `- ${line}`),
    ...(question === undefined ? [] : [`- Put the question \`${question.id}\`.`]),
  ];
}

export function describeActions(actions: readonly Action[] = []): readonly string[] {
  return actions.flatMap((action) => {
    const text = describeAction(action);
    if (text === undefined) return [];
    const { condition } = action;
    return [condition === undefined ? text : `If ${describeCondition(compileCondition(condition))}: ${text}`];
  });
}

function describeAction({ action, target, value, message, description }: Action): string | undefined {
  const text = message ?? description;
  switch (action) {
    case 'set':
      return target && describeSetting(target, value, text);
    case 'validate':
      return `Check ${[target && showNames([target]), text].filter((part) => part !== undefined).join(': ')}`;
    case 'message':
      return text && `Tell the user: ${text}`;
    case 'log':
    case 'emit':
      return text && `Note: ${text}`;
  }
}

function describeSetting(target: string, value: Action['value'], text: string | undefined): string {
  if (value !== undefined) return `Put ${showAssignments({ [target]: value })} into the context.`;
  const what = `Put ${showNames([target])} into the context`;
  return text === undefined ? `${what}.` : `${what}: ${text}`;
}

/** Workflows to start, in words. */
export function describeTriggers(triggers: readonly Trigger[] = []): readonly string[] {
  return triggers.map(({ workflow, passContext = [], description }) => {
    const context = passContext.length === 0 ? '' : ` with ${showNames(passContext)} in its context`;
    return `Follow the workflow '${workflow}'${context}${description === undefined ? '.' : `: ${description}`}`;
  });
}

function describeLoop(loop: ActivityLoop): string {
  const { name, description, breakCondition, maxIterations } = loop;
  const stop =
    breakCondition === undefined ? [] : [`ends once ${describeCondition(compileCondition(breakCondition))}`];
  const bound = maxIterations === undefined ? [] : [`at most ${maxIterations} times`];
  const head = `${name} (${[repetitionOf(loop), ...stop, ...bound].join(', ')}):`;
  return description === undefined ? head : `${head} ${description}`;
}

function repetitionOf({ type, variable, over, condition }: ActivityLoop): string {
  if (type === 'forEach') return `for each ${showNames([variable ?? 'item'])} in ${showNames([over ?? ''])}`;
  const goesOn =
    condition === undefined ? 'its condition is true' : describeCondition(compileCondition(condition));
  return type === 'while' ? `while ${goesOn}` : `once, then again while ${goesOn}`;
}

/** A checkpoint that is asked, or may be asked later. */
interface Question {
  readonly checkpoint: Checkpoint;
  readonly when: string | undefined;
}

/** Returns the checkpoints of an activity that are asked with these variables, or may be asked in its course. */
export function questionsOf(activityContext: ActivityContext): readonly Question[] {
  return (activityContext.activity.checkpoints ?? []).flatMap((checkpoint) => {
    const conditionState = conditionStateOf([checkpoint.condition], activityContext);
    return conditionState.kind === 'fails' ? [] : [{ checkpoint, when: conditionState.when }];
  });
}

/** Describes the questions to ask the user, with the effect of each answer on the context and the next activity. */
export function describeQuestions(questions: readonly Question[]): readonly string[] {
  return section('Questions to put to the user; wait for the answer:', questions.map(describe));
}

function describe({ checkpoint, when }: Question): string {
  const { id, name, message, options, defaultOption, autoAdvanceMs, blocking, approver } = checkpoint;
  const condition = when === undefined ? '' : ` (only when ${when})`;
  const human = approver === 'human' ? [' Only a person may answer; you may not.'] : [];
  const isTimed = defaultOption !== undefined && autoAdvanceMs !== undefined && blocking !== true;
  const timer = isTimed ? [` Without an answer after ${autoAdvanceMs / 1000} s: ${defaultOption}.`] : [];
  return [
    `\`${id}\` ${name}${condition}: ${[message, ...human, ...timer].join('')}`,
    ...indented(options.map((option) => `- ${describeOption(option)}`)),
  ].join('\n');
}

function describeOption({ id, label, description, effect = {} }: CheckpointOption): string {
  const { setVariable = {}, transitionTo, skipActivities = [] } = effect;
  const effects = [
    ...(Object.keys(setVariable).length === 0
      ? []
      : [`put ${showAssignments(setVariable)} into the context`]),
    ...(transitionTo === undefined ? [] : [`'${transitionTo}' comes next`]),
    ...(skipActivities.length === 0 ? [] : [`do no more of: ${skipActivities.join(', ')}`]),
  ];
  const head = `${id}: ${label}${description === undefined ? '' : ` (${description})`}`;
  return effects.length === 0 ? head : `${head} → ${effects.join('; ')}`;
}

/** Describes the variables that decide what comes after an activity. */
export function describeDecidingVariables(
  { definition }: ActivityWorkflow,
  activity: Activity,
): readonly string[] {
  const names = new Set(
    conditionsOn(activity).flatMap((source) => [...variablesOf(compileCondition(source))]),
  );
  const declared = definition.variables ?? [];
  return section(
    'What comes next depends on these; have them in the context before you go on:',
    [...names].map((name) => describeVariable(name, declared)),
  );
}

function describeVariable(name: string, declared: readonly ActivityVariable[]): string {
  const root = rootOf(name);
  const variable = declared.find((candidate) => candidate.name === name || candidate.name === root);
  if (variable === undefined) return `\`${name}\``;
  const { type, description } = variable;
  return `\`${name}\` (${type})${description === undefined ? '' : `: ${description}`}`;
}

function conditionsOn({
  decisions = [],
  transitions = [],
  loops = [],
}: Activity): readonly ConditionSource[] {
  const ways = [
    ...loops.flatMap(({ activities = [], condition, breakCondition }) =>
      activities.length === 0 ? [] : [{ condition }, { condition: breakCondition }],
    ),
    ...decisions.flatMap(({ branches }) => branches),
    ...transitions,
  ];
  return ways.map(({ condition }) => condition).filter((condition) => condition !== undefined);
}

/** Returns the texts that a workflow has before its first activity. */
export function describeOpening({ definition }: ActivityWorkflow): readonly string[] {
  const { rules, variables = [], modes = [] } = definition;
  const needed = variables.filter(isNeeded);
  return [
    ...section('Throughout this workflow:', rules),
    ...section(
      'Needed in the context:',
      needed.map(({ name }) => describeVariable(name, variables)),
    ),
    ...section(
      'Manners of working, each in force while its variable is true:',
      modes.map(({ name, activationVariable, description, recognition = [] }) => {
        const said = recognition.length === 0 ? '' : ` The user may say: ${recognition.join(', ')}.`;
        return `${name}: ${showNames([activationVariable])}. ${description ?? ''}${said}`.trim();
      }),
    ),
  ];
}

function isNeeded({ required, defaultValue }: ActivityVariable): boolean {
  return required === true && defaultValue === undefined;
}

/** An activity with the current variables. */
export interface ActivityContext {
  readonly activity: Activity;
  readonly variables: Context;
  /** How often it was done before. */
  readonly visit: number;
  /** Variables that may change in the course of the activity. */
  readonly changing: ReadonlySet<string>;
}

/** The state of conditions that must all be true. */
type ConditionState =
  /** With `when`, some are false, and what happens in the activity may change that. */
  | { readonly kind: 'open'; readonly when: string | undefined }
  | { readonly kind: 'fails'; readonly undecided: readonly string[] };

export function activityContextOf(activity: Activity, variables: Context, visit: number): ActivityContext {
  return { activity, variables, visit, changing: new Set([...namesSet(activity), ...wordsOf(activity)]) };
}

function conditionStateOf(
  sources: readonly (ConditionSource | undefined)[],
  { variables, changing }: ActivityContext,
): ConditionState {
  const conditions = sources.flatMap((source) => compileOptional(source) ?? []);
  const failing = conditions.filter((condition) => !evaluate(condition, variables));
  if (failing.length === 0) return { kind: 'open', when: undefined };
  const mayChange = (name: string): boolean => changing.has(name) || changing.has(rootOf(name));
  if (failing.every((condition) => [...variablesOf(condition)].some(mayChange)))
    return { kind: 'open', when: failing.map(describeCondition).join(' && ') };
  const unset = failing.flatMap((condition) => undecided(condition, variables));
  return { kind: 'fails', undecided: [...new Set(unset)] };
}

function namesSet(activity: Activity): readonly string[] {
  const effects = (activity.checkpoints ?? []).flatMap(({ options }) =>
    options.flatMap(({ effect }) => Object.keys(effect?.setVariable ?? {})),
  );
  const targets = [...walkActions(activity)].flatMap(({ action }) => action.target ?? []);
  return [...effects, ...targets];
}

/** A step may ask in its own words to set a variable. */
function wordsOf(activity: Activity): readonly string[] {
  const texts = [...walkActivitySteps(activity)].map(({ step }) => step.description ?? '');
  return texts.flatMap((text) => text.split(/[^\w-]+/));
}

/** Lines two columns further in. */
function indented(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}

/** Values of variables, as a caller puts them into its context. */
export function showAssignments(values: Readonly<Record<string, Json>>): string {
  return Object.entries(values)
    .map(([name, value]) => `\`${name}\` = ${JSON.stringify(value)}`)
    .join(', ');
}

/** Names one after the other, each as code. */
function showNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}
