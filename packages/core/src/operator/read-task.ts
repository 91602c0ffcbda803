import type { Context } from '@workflowlookup/conditions';
import type { ActivityStep } from '@workflowlookup/schema';
import { walkActivitySteps } from '@workflowlookup/schema';
import { describeCriteria } from '@workflowlookup/validation';
import { composeHandout } from '../guidance.ts';
import { fillVariables } from '../library/fill-variables.ts';
import type { Runnable } from '../session-engine/runnable.ts';
import { activityPart } from '../session-engine/session-library.ts';
import type { Account, StepInstance } from '../session/account-for.ts';
import { accountFor } from '../session/account-for.ts';
import type { Place, PlannedLoop, PlannedStep } from '../session/navigator.ts';
import { openCheckpoints } from '../session/open-checkpoints.ts';
import { needsHuman } from '../session/policy.ts';
import { policyFor } from '../session/policy.ts';
import type { SessionState } from '../session/session-state.ts';
import { statusOf } from '../session/status.ts';
import { standAt } from '../stand-at.ts';
import type { OperatorParts } from './load-run.ts';
import { loadRun } from './load-run.ts';
import type { Task, TaskStep } from './task.ts';
import { withItem } from '../session/loop-iterations.ts';

/** What a session waits for. */
export async function readTask(parts: OperatorParts, sid: string): Promise<Task> {
  const { state, runnable } = await loadRun(parts, sid);
  const { navigator } = runnable;
  const policy = policyFor(state, parts.policy);
  const { gates } = policy;
  const { workflow, status, outcome, next, obstacle } = statusOf(state, navigator, { gates });
  return {
    sid,
    workflow,
    status,
    ...(outcome === undefined ? {} : { outcome }),
    enforcement: policy.enforcement,
    ...(status === 'completed' ? { steps: [], checkpoints: [] } : workAt(runnable, state, policy)),
    next,
    ...(obstacle === undefined ? {} : { obstacle }),
    variables: navigator.variables.map(({ name, type }) => {
      const value = Object.hasOwn(state.variables, name) ? state.variables[name] : undefined;
      return { name, type, ...(value === undefined ? {} : { value }) };
    }),
  };
}

function workAt(
  runnable: Runnable,
  state: SessionState,
  policy: Pick<OperatorParts['policy'], 'gates'>,
): Pick<Task, 'activity' | 'steps' | 'checkpoints'> {
  const { current } = state;
  if (current === undefined) return { steps: [], checkpoints: [] };
  const place = runnable.navigator.place(current, state);
  const account = accountFor(place);
  const open = openCheckpoints(state, place, account);
  const stops = new Set(
    [...place.steps, ...place.loops.flatMap(({ steps }) => steps)].map(({ checkpoint }) => checkpoint),
  );
  const isOpen = (id: string): boolean => open.some((gate) => gate.id === id);
  const text = textOf(runnable, current, place);
  return {
    activity: { id: current, name: place.name, ...(text === undefined ? {} : { text }) },
    steps: stepsOf(runnable, state, { place, account, isOpen }),
    checkpoints: open.filter((gate) => !stops.has(gate.id) && needsHuman(gate, policy)).map(({ id }) => id),
  };
}

function textOf(runnable: Runnable, current: string, { context }: Place): string | undefined {
  if (runnable.kind === 'steps') return undefined;
  const { description, problem } = activityPart(runnable.workflow, current).definition;
  const text = description ?? problem;
  return text && fillVariables(text, context);
}

interface Work {
  readonly place: Place;
  readonly account: Account;
  /** Whether a checkpoint holds the activity back. */
  isOpen(checkpoint: string): boolean;
}

function stepsOf(runnable: Runnable, state: SessionState, work: Work): readonly TaskStep[] {
  const { place, account, isOpen } = work;
  const context = { ...place.context, ...account.values };
  const describe = runnable.kind === 'steps' ? handout(runnable, state) : authoredSteps(runnable, place);
  const due = new Set(account.due);
  const task = (instance: StepInstance): TaskStep => {
    const { id, step, item } = instance;
    const { checkpoint } = step;
    const stop = checkpoint !== undefined && isOpen(checkpoint) ? { checkpoint } : {};
    return { id, ...describe(step, withItem(context, item)), isDue: due.has(instance), ...stop };
  };
  const moreOf = ({ id, type, steps }: PlannedLoop): readonly StepInstance[] =>
    // Somebody may have done more iterations than the variables ask for.
    type === 'forEach'
      ? []
      : steps.map((step, rank) => ({ id: step.id, step, item: {}, group: `${id}@`, rank }));
  return [...account.open, ...place.loops.flatMap(moreOf)].map(task);
}

type Describe = (step: PlannedStep, context: Context) => Pick<TaskStep, 'name' | 'text' | 'criteria'>;

function handout(
  { compiled }: Extract<Runnable, { kind: 'steps' }>,
  { completed, variables }: SessionState,
): Describe {
  return ({ id }) => {
    const found = standAt(compiled, id, variables);
    if (found === undefined) return { name: id, criteria: [] };
    const { step, guidance } = composeHandout(found, compiled.workflow.definition, completed.length === 0);
    return { name: step.title, text: guidance.prompt, criteria: guidance.validationCriteria ?? [] };
  };
}

function authoredSteps({ workflow }: Extract<Runnable, { kind: 'activities' }>, place: Place): Describe {
  const { definition } = activityPart(workflow, place.id);
  const authored = new Map<string, ActivityStep>();
  for (const { step } of walkActivitySteps(definition)) authored.set(step.id, step);
  return ({ id, criteria }, context) => {
    const { name = id, description } = authored.get(id) ?? {};
    return {
      name: fillVariables(name, context),
      ...(description === undefined ? {} : { text: fillVariables(description, context) }),
      criteria: criteria === undefined ? [] : describeCriteria(criteria),
    };
  };
}
