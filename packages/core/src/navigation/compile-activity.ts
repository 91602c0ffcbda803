import type { Condition } from '@workflowlookup/conditions';
import { describeCondition, parseCondition } from '@workflowlookup/conditions';
import type { Action, Activity, ActivityLoop, ActivityStep, ConditionSource } from '@workflowlookup/schema';
import { WorkflowError, defined } from '@workflowlookup/schema';
import type { StepNode } from './compile-workflow.ts';
import type { Assignment, SessionCheckpoint, PlannedLoop, PlannedStep } from './navigator.ts';
import { workflowMessages } from '../messages/lookup.ts';

const defaultMaxIterations = 100;

/** A transition or the branch of a decision. Without a condition it is a default. */
export interface CompiledTransition {
  /** Absent for a branch of a decision that leads nowhere: the transitions decide. */
  readonly target?: string;
  readonly condition?: Condition;
  readonly when: string;
}

/** A loop over steps, over activities, or over both. */
export interface CompiledLoop extends PlannedLoop {
  readonly activities: readonly string[];
  /**
   * The activities without transitions that only the activities of the loop lead to, with the one that leads there.
   * `undefined` if several do.
   */
  readonly ends?: ReadonlyMap<string, string | undefined>;
}

/** An activity with its conditions ready to evaluate. */
export interface CompiledActivity {
  readonly name: string;
  readonly steps: readonly PlannedStep[];
  readonly checkpoints: readonly SessionCheckpoint[];
  readonly loops: readonly CompiledLoop[];
  readonly decisions: readonly { readonly id: string; readonly branches: readonly CompiledTransition[] }[];
  readonly transitions: readonly CompiledTransition[];
  readonly entry: readonly Assignment[];
  readonly exit: readonly Assignment[];
}

/**
 * Makes an activity ready to decide on.
 *
 * @throws WorkflowError INVALID_WORKFLOW for a condition that the checks of reading would have refused
 */
export function compileActivity(activity: Activity): CompiledActivity {
  const { name, steps = [], checkpoints = [], loops = [], decisions = [], transitions = [] } = activity;
  return {
    name,
    steps: steps.map(compileStep),
    checkpoints: checkpoints.map(({ condition, approver = 'any', ...rest }) => ({
      ...rest,
      approver,
      ...conditionOf(condition),
    })),
    loops: loops.map(compileLoop),
    decisions: decisions.map(({ id, branches }) => ({
      id,
      branches: branches.map(({ transitionTo: target, ...rest }) => compileTransition({ target, ...rest })),
    })),
    transitions: transitions.map(({ to: target, ...rest }) => compileTransition({ target, ...rest })),
    entry: compileActions(activity.entryActions),
    exit: compileActions(activity.exitActions),
  };
}

/** Makes a condition ready to evaluate. @throws WorkflowError INVALID_WORKFLOW that names the step, if one is given */
export function compileCondition(source: ConditionSource, step?: string): Condition {
  const parsed = parseCondition(source);
  if (parsed.ok) return parsed.condition;
  const [issue] = parsed.issues;
  throw new WorkflowError('INVALID_WORKFLOW', workflowMessages.conditionUnusable(issue?.message, step));
}

/** Makes a condition ready to evaluate, if one is given. */
export function compileOptional(source: ConditionSource | undefined, step?: string): Condition | undefined {
  return source === undefined ? undefined : compileCondition(source, step);
}

function conditionOf(source: ConditionSource | undefined): { readonly condition?: Condition } {
  return defined({ condition: compileOptional(source) });
}

function compileStep(step: ActivityStep): PlannedStep {
  const { id, required, checkpoint, actions } = step;
  return {
    id,
    isOptional: required === false,
    conditions: [step.when, step.condition].flatMap((source) => compileOptional(source) ?? []),
    ...defined({ checkpoint }),
    ...requirementsOf(step),
    sets: compileActions(actions),
  };
}

/** Returns what a step of either kind of workflow requires of its output, under the names of the plan. */
export function requirementsOf({
  may_be_missing: mayBeMissing,
  validationCriteria: criteria,
  fields,
  sets: fills,
  evidence,
}: Pick<
  ActivityStep,
  'may_be_missing' | 'validationCriteria' | 'fields' | 'sets' | 'evidence'
>): StepNode['requires'] {
  return {
    ...(mayBeMissing === true && { mayBeMissing }),
    ...defined({ criteria, fields, fills, evidence }),
  };
}

function compileLoop(loop: ActivityLoop): CompiledLoop {
  const { id, type, condition, maxIterations = defaultMaxIterations, over, variable } = loop;
  return {
    id,
    type,
    maxIterations,
    steps: (loop.steps ?? []).map(compileStep),
    activities: loop.activities ?? [],
    ...conditionOf(condition),
    ...defined({ breakCondition: compileOptional(loop.breakCondition), over, variable }),
  };
}

/** Compiles a transition or branch. One with `isDefault` is a default even if it has a condition. */
function compileTransition(source: {
  readonly target: string | undefined;
  readonly condition?: ConditionSource;
  readonly isDefault?: boolean;
}): CompiledTransition {
  const { target } = source;
  const condition = source.isDefault === true ? undefined : compileOptional(source.condition);
  const when = condition === undefined ? 'default' : describeCondition(condition);
  return defined({ target, condition, when });
}

function compileActions(actions: readonly Action[] = []): readonly Assignment[] {
  return actions.flatMap(({ action, target: name, value, condition }) =>
    action !== 'set' || name === undefined || value === undefined
      ? []
      : [{ name, value, ...conditionOf(condition) }],
  );
}

/** Returns a condition as text for people. A string is shown as its author wrote it. */
export function conditionText(source: ConditionSource): string {
  if (typeof source === 'string') return source.trim();
  const parsed = parseCondition(source);
  return parsed.ok ? describeCondition(parsed.condition) : JSON.stringify(source);
}
