import type { Action, Activity, ActivityLoop, ActivityStep } from './activity.ts';
import type { ActivityWorkflow } from './activity-workflow.ts';
import type { ConditionSource, Criteria } from './step-workflow.ts';

/** A step of an activity, and where it stands. */
export interface WalkedActivityStep {
  readonly step: ActivityStep;
  /** JSON pointer of the step in its activity. */
  readonly pointer: string;
  /** The loop that repeats it. */
  readonly loop?: ActivityLoop;
}

/** Every step of an activity: its own in order, then those of each loop. */
export function* walkActivitySteps({ steps = [], loops = [] }: Activity): Generator<WalkedActivityStep> {
  for (const [at, step] of steps.entries()) yield { step, pointer: `/steps/${at}` };
  for (const [nth, loop] of loops.entries()) {
    for (const [at, step] of (loop.steps ?? []).entries()) {
      yield { step, pointer: `/loops/${nth}/steps/${at}`, loop };
    }
  }
}

/** An action, and where it stands. */
export interface WalkedAction {
  readonly action: Action;
  readonly pointer: string;
}

/** Every action of an activity: on entry, of its steps, on exit. */
export function* walkActions(activity: Activity): Generator<WalkedAction> {
  yield* actionsOf(activity.entryActions, '/entryActions');
  for (const { step, pointer } of walkActivitySteps(activity))
    yield* actionsOf(step.actions, `${pointer}/actions`);
  yield* actionsOf(activity.exitActions, '/exitActions');
}

function* actionsOf(actions: readonly Action[] = [], pointer: string): Generator<WalkedAction> {
  for (const [at, action] of actions.entries()) yield { action, pointer: `${pointer}/${at}` };
}

/** A condition as its author wrote it, and where it stands. */
export interface PlacedCondition {
  readonly source: ConditionSource;
  /** JSON pointer in the activity; of a walk over a workflow in the file. */
  readonly pointer: string;
}

/** Every condition of an activity, in every dialect, those of validation criteria included. */
export function* conditionsOf(activity: Activity): Generator<PlacedCondition> {
  for (const { step, pointer } of walkActivitySteps(activity)) {
    yield* sourceOf(step.when, `${pointer}/when`);
    yield* sourceOf(step.condition, `${pointer}/condition`);
    yield* ruleConditions(step.validationCriteria, `${pointer}/validationCriteria`);
  }
  for (const { action, pointer } of walkActions(activity)) {
    yield* sourceOf(action.condition, `${pointer}/condition`);
  }
  for (const [at, { condition }] of (activity.checkpoints ?? []).entries()) {
    yield* sourceOf(condition, `/checkpoints/${at}/condition`);
  }
  for (const [at, { branches }] of (activity.decisions ?? []).entries()) {
    for (const [nth, { condition }] of branches.entries()) {
      yield* sourceOf(condition, `/decisions/${at}/branches/${nth}/condition`);
    }
  }
  for (const [at, { condition, breakCondition }] of (activity.loops ?? []).entries()) {
    yield* sourceOf(condition, `/loops/${at}/condition`);
    yield* sourceOf(breakCondition, `/loops/${at}/breakCondition`);
  }
  for (const [at, { condition }] of (activity.transitions ?? []).entries()) {
    yield* sourceOf(condition, `/transitions/${at}/condition`);
  }
}

function* sourceOf(source: ConditionSource | undefined, pointer: string): Generator<PlacedCondition> {
  if (source !== undefined) yield { source, pointer };
}

function* ruleConditions(criteria: Criteria | undefined, pointer: string): Generator<PlacedCondition> {
  if (criteria === undefined || typeof criteria === 'string') return;
  if ('type' in criteria) return yield* sourceOf(criteria.condition, `${pointer}/condition`);
  for (const [key, member] of Object.entries(criteria) as readonly [string, Criteria][]) {
    if (!key.startsWith('x-')) yield* ruleConditions(member, `${pointer}/${key}`);
  }
}

/** A condition of a workflow, and the file it stands in. */
export interface WalkedCondition extends PlacedCondition {
  readonly file: string;
}

/** Every condition of a workflow, activity by activity. A borrowed activity goes by `lender/path`. */
export function* walkConditions({
  activities,
}: Pick<ActivityWorkflow, 'activities'>): Generator<WalkedCondition> {
  for (const { definition, file, pointer } of activities) {
    for (const condition of conditionsOf(definition)) {
      yield { source: condition.source, pointer: pointer + condition.pointer, file };
    }
  }
}
