import type { Action, Activity, ActivityLoop, ActivityStep } from './activity.ts';
import type { ActivityWorkflow } from './activity-workflow.ts';
import type { PlacedCondition } from './rule-conditions.ts';
import { conditionAt, ruleConditions } from './rule-conditions.ts';

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

/** Every condition of an activity, in every dialect, those of validation criteria included. */
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
