import type { Context } from '@workflowlookup/conditions';
import { describeCondition, evaluate, undecided, variablesOf } from '@workflowlookup/conditions';
import type {
  Action,
  Activity,
  ActivityStep,
  ActivityVariable,
  ActivityWorkflow,
  Checkpoint,
  ConditionSource,
} from '@workflowlookup/schema';
import { walkActions, walkActivitySteps } from '@workflowlookup/schema';
import { schemaOfFields } from '@workflowlookup/validation';
import { activityTexts, headings } from '../messages/instructions.ts';
import { compileCondition, compileOptional } from '../navigation/compile-workflow.ts';
import { iterationPrefix } from '../navigation/next-step.ts';
import { rootOf } from '../session/session-state.ts';
import { describeSets, section } from './lookup.ts';

/** Returns the steps of an activity that are required or may become so, then those of each of its loops. */
export function describeWork(activityContext: ActivityContext): readonly string[] {
  const { steps = [], loops = [] } = activityContext.activity;
  return [
    ...list(headings.steps, steps, activityContext),
    ...loops.flatMap((loop) => {
      const heading = activityTexts.loop(loop, inWords(loop.condition), inWords(loop.breakCondition));
      return list(heading, loop.steps ?? [], activityContext);
    }),
  ];
}

export function conditionStateOfStep(step: ActivityStep, at: ActivityContext): ConditionState {
  return conditionStateOf([step.when, step.condition], at);
}

function list(heading: string, steps: readonly ActivityStep[], at: ActivityContext): readonly string[] {
  const shown = steps.flatMap((step) => {
    const conditionState = conditionStateOfStep(step, at);
    return conditionState.kind === 'fails' ? [] : [{ step, when: conditionState.when }];
  });
  if (shown.length === 0) return [];
  const lines = shown.flatMap(({ step, when }, index) => [
    `${index + 1}. ${headOf(step, at, when)}`,
    ...indented(notesOn(step, at)),
  ]);
  return [[heading, ...lines].join('\n')];
}

function headOf(step: ActivityStep, { activity, visit }: ActivityContext, when?: string): string {
  const isJudged = step.validationCriteria !== undefined || step.fields !== undefined;
  return activityTexts.step(step, when, isJudged ? judgedId(activity.id, visit, step) : undefined);
}

/** The id under which a step of an activity is judged, in the visit that is counted from 0. */
export function judgedId(activityId: string, visit: number, { id }: ActivityStep): string {
  return iterationPrefix('', { loopId: activityId, iteration: visit }) + id;
}

function notesOn(
  { skill_args: args, actions, triggers = [], checkpoint, fields, sets }: ActivityStep,
  { activity }: ActivityContext,
): readonly string[] {
  const question = activity.checkpoints?.find(({ id }) => id === checkpoint);
  return [
    ...(args === undefined ? [] : [activityTexts.skillArguments(JSON.stringify(args))]),
    ...(fields === undefined ? [] : [activityTexts.outputSchema(JSON.stringify(schemaOfFields(fields)))]),
    ...describeSets(sets),
    ...describeActions(actions),
    ...triggers.map(activityTexts.trigger),
    ...(question === undefined ? [] : [activityTexts.ask(question.id)]),
  ].map((line) => `- ${line}`);
}

export function describeActions(actions: readonly Action[] = []): readonly string[] {
  return actions.flatMap((action) => {
    const text = activityTexts.action(action);
    if (text === undefined) return [];
    const condition = inWords(action.condition);
    return [condition === undefined ? text : activityTexts.conditional(condition, text)];
  });
}

function inWords(condition: ConditionSource | undefined): string | undefined {
  return condition === undefined ? undefined : describeCondition(compileCondition(condition));
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
  return section(headings.questions, questions.map(describe));
}

function describe({ checkpoint, when }: Question): string {
  const options = checkpoint.options.map((option) => `- ${activityTexts.option(option)}`);
  return [activityTexts.question(checkpoint, when), ...indented(options)].join('\n');
}

/** Describes the variables that decide what comes after an activity. */
export function describeDecidingVariables(
  { definition }: ActivityWorkflow,
  activity: Activity,
): readonly string[] {
  const names = conditionsOn(activity).flatMap((source) => [...variablesOf(compileCondition(source))]);
  const lines = [...new Set(names)].map((name) => describeVariable(name, definition.variables ?? []));
  return section(headings.decidingVariables, lines);
}

function describeVariable(name: string, declared: readonly ActivityVariable[]): string {
  const names = [name, rootOf(name)];
  return activityTexts.variable(
    name,
    declared.find((candidate) => names.includes(candidate.name)),
  );
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
  const needed = variables.filter(isNeeded).map(({ name }) => describeVariable(name, variables));
  return [
    ...section(headings.workflowRules, rules),
    ...section(headings.neededVariables, needed),
    ...section(headings.modes, modes.map(activityTexts.mode)),
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
