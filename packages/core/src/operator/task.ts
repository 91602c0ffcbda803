import { ownValue } from '../session/session-state.ts';
import type { Context } from '@workflowlookup/conditions';
import type { ActivityStep, Json, JsonObject } from '@workflowlookup/schema';
import { WorkflowError, defined, walkActivitySteps } from '@workflowlookup/schema';
import type { SessionStatusWord } from '@workflowlookup/storage';
import type { Verdict } from '@workflowlookup/validation';
import { describeCriteria, schemaOfFields } from '@workflowlookup/validation';
import { fillText } from '../library/texts.ts';
import { composeInstructions } from '../lookup/lookup.ts';
import type { ActivityPlan, PlannedLoop, PlannedStep } from '../navigation/navigator.ts';
import type { JudgeParts } from '../session-engine/write-calls.ts';
import { judgeStep } from '../session-engine/write-calls.ts';
import type { Runnable } from '../session-engine/open-session.ts';
import { activityPart } from '../session-engine/open-session.ts';
import type { DecisionInputs } from '../session/command.ts';
import { needsHuman } from '../session/command.ts';
import { policyFor } from '../session/decide.ts';
import { withItem } from '../session/outputs/loop-iterations.ts';
import type { StepAccount, StepInstance } from '../session/outputs/step-account.ts';
import { accountForSteps, allSteps, valuesOfFields } from '../session/outputs/step-account.ts';
import { openCheckpoints } from '../session/open-checkpoints.ts';
import { planActivityWith } from '../session/evaluate-move.ts';
import type { SessionState } from '../session/session-state.ts';
import type { NextCall } from '../session/status.ts';
import { statusOf } from '../session/status.ts';
import { stepAt } from '../navigation/next-step.ts';
import type { OperatorParts } from './load-session.ts';
import { loadRunnableSession } from './load-session.ts';
import { messages } from '../messages/sessions.ts';
import { operatorMessages } from '../messages/operator.ts';

/** The current work of a session, for a person who does it. */
export interface Task {
  readonly sid: string;
  readonly workflow: { readonly id: string; readonly version: string; readonly title: string };
  readonly status: SessionStatusWord;
  readonly outcome?: 'abandoned';
  readonly enforcement: 'advisory' | 'strict';
  /** The current activity; absent before the first one and at the end. */
  readonly activity?: { readonly id: string; readonly name: string; readonly text?: string };
  /** In the order of a manifest: required and optional steps, then those of loops. */
  readonly steps: readonly TaskStep[];
  /** Open checkpoints of the activity that no step stops at. */
  readonly checkpoints: readonly string[];
  /** The calls an agent could make now. */
  readonly next: readonly NextCall[];
  /** Why the next transition can't be computed, and what helps. */
  readonly obstacle?: string;
  /** Those the workflow declares. */
  readonly variables: readonly TaskVariable[];
}

/** A step of a task. */
export interface TaskStep {
  /** As a manifest names it. */
  readonly id: string;
  readonly name: string;
  /** The instructions, with the variables filled in. */
  readonly text?: string;
  /** The criteria for the output, as sentences. */
  readonly criteria: readonly string[];
  /** The JSON Schema of the output, if the step has fields. */
  readonly outputSchema?: JsonObject;
  readonly isDue: boolean;
  /** The checkpoint that the step stops at, while it is open. */
  readonly checkpoint?: string;
}

/** A variable with its current value. */
export interface TaskVariable {
  readonly name: string;
  readonly type: string;
  readonly value?: Json;
}

/** An output to judge before it is submitted. */
export interface OutputDraft {
  /** As a manifest names it. */
  readonly step: string;
  readonly output: string;
  /** Variables that will be submitted with it. */
  readonly variables?: Readonly<Record<string, Json>>;
}

export async function readTask(parts: OperatorParts, sid: string): Promise<Task> {
  const { state, runnable } = await loadRunnableSession(parts, sid);
  const { navigator } = runnable;
  const policy = policyFor(state, parts.policy);
  const { gates } = policy;
  const { workflow, status, outcome, next, obstacle } = statusOf(state, navigator, { gates });
  return {
    sid,
    workflow,
    status,
    ...defined({ outcome, obstacle }),
    enforcement: policy.enforcement,
    ...(status === 'completed' ? { steps: [], checkpoints: [] } : workAt(runnable, state, policy)),
    next,
    variables: navigator.variables.map(({ name, type }) => {
      const value = ownValue(state.variables, name);
      return { name, type, ...defined({ value }) };
    }),
  };
}

/** Returns the current activity of a session with its steps, as somebody who does the work sees it. */
export function workAt(
  runnable: Runnable,
  state: SessionState,
  policy: Pick<DecisionInputs, 'gates'>,
): Pick<Task, 'activity' | 'steps' | 'checkpoints'> {
  const { current } = state;
  if (current === undefined) return { steps: [], checkpoints: [] };
  const place = runnable.navigator.place(current, state);
  const account = accountForSteps(place);
  const open = openCheckpoints(state, place, account);
  const stops = new Set(allSteps(place).map(({ checkpoint }) => checkpoint));
  const isOpen = (id: string): boolean => open.some((checkpoint) => checkpoint.id === id);
  return {
    activity: { id: current, name: place.name, ...defined({ text: textOf(runnable, current, place) }) },
    steps: stepsOf(runnable, state, { place, account, isOpen }),
    checkpoints: open
      .filter((checkpoint) => !stops.has(checkpoint.id) && needsHuman(checkpoint, policy))
      .map(({ id }) => id),
  };
}

function textOf(runnable: Runnable, current: string, { context }: ActivityPlan): string | undefined {
  if (runnable.kind === 'steps') return undefined;
  const { description, problem } = activityPart(runnable.workflow, current).definition;
  const text = description ?? problem;
  return text && fillText(text, context);
}

interface Work {
  readonly place: ActivityPlan;
  readonly account: StepAccount;
  /** Returns whether a checkpoint is open and prevents leaving the activity. */
  isOpen(checkpoint: string): boolean;
}

function stepsOf(runnable: Runnable, state: SessionState, work: Work): readonly TaskStep[] {
  const { place, account, isOpen } = work;
  const context = { ...place.context, ...account.values };
  const describe = runnable.kind === 'steps' ? handout(runnable, state) : authoredSteps(runnable, place);
  const due = new Set(account.required);
  const task = (instance: StepInstance): TaskStep => {
    const { id, step, item } = instance;
    const { checkpoint } = step;
    return {
      id,
      ...describe(step, withItem(context, item)),
      isDue: due.has(instance),
      ...defined({
        outputSchema: step.fields && schemaOfFields(step.fields),
        checkpoint: checkpoint !== undefined && isOpen(checkpoint) ? checkpoint : undefined,
      }),
    };
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
    const found = stepAt(compiled, id, variables);
    if (found === undefined) return { name: id, criteria: [] };
    const { step, guidance } = composeInstructions(found, compiled.workflow.definition, {
      isFirst: completed.length === 0,
      inSession: true,
    });
    return { name: step.title, text: guidance.prompt, criteria: guidance.validationCriteria ?? [] };
  };
}

function authoredSteps(
  { workflow }: Extract<Runnable, { kind: 'activities' }>,
  place: ActivityPlan,
): Describe {
  const { definition } = activityPart(workflow, place.id);
  const authored = new Map<string, ActivityStep>();
  for (const { step } of walkActivitySteps(definition)) authored.set(step.id, step);
  return ({ id, criteria }, context) => {
    const { name = id, description } = authored.get(id) ?? {};
    return {
      name: fillText(name, context),
      ...defined({ text: description && fillText(description, context) }),
      criteria: criteria === undefined ? [] : describeCriteria(criteria),
    };
  };
}

/** Judges an output as leaving the activity would. @throws WorkflowError INVALID_STATE if the session has no such step now */
export async function judgeDraft(
  parts: OperatorParts,
  sid: string,
  { step, output, variables = {}, principal }: OutputDraft & Pick<JudgeParts, 'principal'>,
): Promise<Verdict> {
  const { state, runnable } = await loadRunnableSession(parts, sid);
  const { current: activity } = state;
  const place =
    activity === undefined ? undefined : planActivityWith(state, runnable.navigator, activity, variables);
  const [instance] = place === undefined ? [] : accountForSteps(place, [{ step_id: step, output }]).entries;
  if (place === undefined || instance === undefined) {
    throw new WorkflowError('INVALID_STATE', messages.stepNotCurrent(step));
  }
  if (output.trim() === '')
    return { valid: false, issues: [operatorMessages.emptyOutput()], suggestions: [] };
  const set = { ...accountForSteps(place).values, ...valuesOfFields(instance.step, output) };
  const context = withItem({ ...place.context, ...set }, instance.item);
  const verdict = await judgeStep(instance.step, output, { jobs: parts.jobs, principal, context });
  return verdict ?? { valid: true, issues: [], suggestions: [] };
}
