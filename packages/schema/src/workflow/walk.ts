import type { ActivityWorkflow, Action, Activity, ActivityLoop, ActivityStep } from './activity-workflow.ts';
import type { ConditionSource, Criteria, LoopStep, Rule, SessionTexts, Step } from './step-workflow.ts';

/** A step and its location. */
export interface WalkedStep {
  readonly step: Step;
  /** JSON pointer of the step in its document. */
  readonly pointer: string;
  /** The loops whose inline bodies contain the step, outermost first. */
  readonly loops: readonly LoopStep[];
}

/**
 * Returns every step in file order, depth first, with each loop before its inline body. A step that a loop names as its
 * body appears only where it is defined.
 */
export function walkSteps(steps: readonly Step[], pointer = '/steps'): readonly WalkedStep[] {
  const found: WalkedStep[] = [];
  const walk = (list: readonly Step[], place: string, loops: readonly LoopStep[]): void => {
    list.forEach((step, index) => {
      const walked = { step, pointer: `${place}/${index}`, loops };
      found.push(walked);
      if (step.type === 'loop' && typeof step.body !== 'string')
        walk(step.body, `${walked.pointer}/body`, [...loops, step]);
    });
  };
  walk(steps, pointer, []);
  return found;
}

/** A step of an activity and its location. */
export interface WalkedActivityStep {
  readonly step: ActivityStep;
  /** JSON pointer of the step in its activity. */
  readonly pointer: string;
  /** The loop that contains it. */
  readonly loop?: ActivityLoop;
}

/** Returns every step of an activity: its own in order, then those of each loop. */
export function* walkActivitySteps({ steps = [], loops = [] }: Activity): Generator<WalkedActivityStep> {
  for (const [at, step] of steps.entries()) yield { step, pointer: `/steps/${at}` };
  for (const [nth, loop] of loops.entries()) {
    for (const [at, step] of (loop.steps ?? []).entries()) {
      yield { step, pointer: `/loops/${nth}/steps/${at}`, loop };
    }
  }
}

/** An action and its location. */
export interface WalkedAction {
  readonly action: Action;
  readonly pointer: string;
}

/** Returns every action of an activity: on entry, of its steps, on exit. */
export function* walkActions(activity: Activity): Generator<WalkedAction> {
  yield* actionsOf(activity.entryActions, '/entryActions');
  for (const { step, pointer } of walkActivitySteps(activity))
    yield* actionsOf(step.actions, `${pointer}/actions`);
  yield* actionsOf(activity.exitActions, '/exitActions');
}

function* actionsOf(actions: readonly Action[] = [], pointer: string): Generator<WalkedAction> {
  for (const [at, action] of actions.entries()) yield { action, pointer: `${pointer}/${at}` };
}

/** Returns every condition of an activity in any notation, including those in validation criteria. */
export function* conditionsOf(activity: Activity): Generator<PlacedCondition> {
  for (const { step, pointer } of walkActivitySteps(activity)) {
    yield* conditionAt(step.when, `${pointer}/when`);
    yield* conditionAt(step.condition, `${pointer}/condition`);
    yield* ruleConditions(step.validationCriteria, `${pointer}/validationCriteria`);
  }
  for (const { action, pointer } of walkActions(activity)) {
    yield* conditionAt(action.condition, `${pointer}/condition`);
  }
  for (const [at, { condition }] of (activity.checkpoints ?? []).entries()) {
    yield* conditionAt(condition, `/checkpoints/${at}/condition`);
  }
  for (const [at, { branches }] of (activity.decisions ?? []).entries()) {
    for (const [nth, { condition }] of branches.entries()) {
      yield* conditionAt(condition, `/decisions/${at}/branches/${nth}/condition`);
    }
  }
  for (const [at, { condition, breakCondition }] of (activity.loops ?? []).entries()) {
    yield* conditionAt(condition, `/loops/${at}/condition`);
    yield* conditionAt(breakCondition, `/loops/${at}/breakCondition`);
  }
  for (const [at, { condition }] of (activity.transitions ?? []).entries()) {
    yield* conditionAt(condition, `/transitions/${at}/condition`);
  }
}

/** A condition of a workflow and its file. */
export interface WalkedCondition extends PlacedCondition {
  readonly file: string;
}

/** Returns every condition of a workflow, by activity. The file of a borrowed activity is `workflow/path`. */
export function* walkConditions({
  activities,
}: Pick<ActivityWorkflow, 'activities'>): Generator<WalkedCondition> {
  for (const { definition, file, pointer } of activities) {
    for (const condition of conditionsOf(definition)) {
      yield { source: condition.source, pointer: pointer + condition.pointer, file };
    }
  }
}

/**
 * Returns every condition of a step of a step workflow, including those in validation criteria. The body of a loop is
 * not included.
 */
export function conditionsOfStep(step: Step): readonly PlacedCondition[] {
  const own = conditionAt(step.runCondition, '/runCondition');
  if (step.type === 'loop') return [...own, ...conditionAt(step.loop.condition, '/loop/condition')];
  const { requireConfirmation, validationCriteria } = step;
  return [
    ...own,
    ...(typeof requireConfirmation === 'boolean'
      ? []
      : conditionAt(requireConfirmation, '/requireConfirmation')),
    ...ruleConditions(validationCriteria, '/validationCriteria'),
  ];
}

/** A condition and its location. */
export interface PlacedCondition {
  readonly source: ConditionSource;
  /** JSON pointer relative to the step, the activity, or, for a walk over a workflow, the file. */
  readonly pointer: string;
}

/** Returns the conditions of the outcomes that a workflow declares. */
export function* conditionsOfOutcomes({
  session_outcomes: outcomes = [],
}: SessionTexts): Generator<PlacedCondition> {
  for (const [at, { when }] of outcomes.entries()) yield* conditionAt(when, `/session_outcomes/${at}/when`);
}

function conditionAt(source: ConditionSource | undefined, pointer: string): readonly PlacedCondition[] {
  return source === undefined ? [] : [{ source, pointer }];
}

function ruleConditions(criteria: Criteria | undefined, pointer: string): readonly PlacedCondition[] {
  return [...walkRules(criteria, pointer)].flatMap(({ rule, pointer: place }) =>
    conditionAt(rule.condition, `${place}/condition`),
  );
}

/** A rule of validation criteria and its location. */
export interface WalkedRule {
  readonly rule: Rule;
  readonly pointer: string;
}

/** Returns every rule of criteria, at any depth, except those that are written as a bare pattern. */
export function* walkRules(criteria: Criteria | undefined, pointer: string): Generator<WalkedRule> {
  if (criteria === undefined || typeof criteria === 'string') return;
  if ('type' in criteria) {
    yield { rule: criteria, pointer };
    return;
  }
  for (const [key, member] of Object.entries(criteria) as readonly [string, Criteria][]) {
    if (!key.startsWith('x-')) yield* walkRules(member, `${pointer}/${key}`);
  }
}
