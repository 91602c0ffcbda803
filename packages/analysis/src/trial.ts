import type {
  Decision,
  MoveCommand,
  Outcome,
  Refusal,
  SessionCommand,
  SessionState,
} from '@workflowlookup/core/decisions';
import type { SessionEvent } from '@workflowlookup/core/sessions';
import {
  decideJudged,
  evaluateMove,
  evolve,
  isSentBack,
  openQuestion,
  outcomeOf,
  stepIdOf,
  runnableOf,
  workAt,
} from '@workflowlookup/core/decisions';
import type { TaskStep } from '@workflowlookup/core/operator';
import type { ErrorCode, Json, Workflow } from '@workflowlookup/schema';
import { defined } from '@workflowlookup/schema';
import { exampleOf } from './example-output.ts';
import type { Assumptions, ConsideredTarget, DryRunStep, Values, Simulation } from './dry-run.ts';
import {
  answerTo,
  consideredFrom,
  createAssumptions,
  manifestOf,
  nextCheckpoint,
  nextCommand,
  startState,
  turnOf,
} from './dry-run.ts';
import { circumstances, timeless } from './unstored-session.ts';

/** An action in a trial, which stands for one by an agent or by a person who answers. */
export type TrialAction =
  | {
      readonly kind: 'submit';
      /** The output of each step, by its id. */
      readonly outputs?: Readonly<Record<string, string>>;
      /** Variables that the agent sets. */
      readonly variables?: Readonly<Record<string, Json>>;
      /**
       * Whether every output counts as accepted, a step without an output counts as done, and values are assumed for
       * variables that keep the workflow from continuing.
       */
      readonly isAccepted?: boolean;
    }
  | { readonly kind: 'answer'; readonly option: string };

/**
 * The start of a trial and the actions so far. The same actions always lead to the same trial, so nothing has to be
 * stored.
 */
export interface TrialRequest {
  /** Variables from the start. */
  readonly context?: Readonly<Record<string, Json>>;
  readonly actions?: readonly TrialAction[];
}

/** A step of the current activity, as an agent gets it. */
export interface TrialStep extends Omit<TaskStep, 'checkpoint' | 'isDue'> {
  /** An output that the schema accepts. */
  readonly example?: Json;
  readonly isRequired: boolean;
}

/** The current position of a trial. */
export type TrialPosition =
  | {
      readonly status: 'active';
      readonly node: string;
      /** The purpose of the activity. In a step workflow, the text of the step says it. */
      readonly text?: string;
      readonly steps: readonly TrialStep[];
    }
  | {
      readonly status: 'waiting';
      readonly node: string;
      readonly checkpoint: {
        readonly id: string;
        readonly name: string;
        readonly message: string;
        /** Whether only a person may answer. */
        readonly needsPerson: boolean;
        readonly options: readonly {
          readonly id: string;
          readonly label: string;
          readonly description?: string;
        }[];
      };
    }
  | {
      readonly status: 'completed';
      readonly outcome?: Outcome;
      /** The targets considered when it ended. */
      readonly left: readonly ConsideredTarget[];
      readonly warnings: readonly string[];
    };

/** The position of a trial, and how it got there. */
export interface Trial {
  /** The activities or steps that were entered, in order. */
  readonly turns: readonly DryRunStep[];
  readonly position: TrialPosition;
  /** The answers since the last turn. */
  readonly answered: DryRunStep['answered'];
  /** How many of the actions were carried out. */
  readonly applied: number;
  /** Why the next action, or the submission after the last answer, was refused. */
  readonly refusal?: { readonly code: ErrorCode; readonly reasons: readonly string[] };
  readonly variables: Readonly<Record<string, Json>>;
}

type Submission = Extract<TrialAction, { readonly kind: 'submit' }>;

/** A trial in progress. */
interface TrialRun {
  readonly simulation: Simulation;
  readonly workflow: Workflow;
  readonly assume: Assumptions;
  state: SessionState;
  readonly events: { readonly event: SessionEvent }[];
  readonly turns: DryRunStep[];
  answered: DryRunStep['answered'][number][];
  /** The variables that the answers since the last turn set. */
  sets: Values;
  end?: Extract<TrialPosition, { readonly status: 'completed' }>;
  /** The submission to repeat after the open checkpoint is answered. */
  held?: Submission;
}

/**
 * Follows a workflow step by step in a strict session that is not stored: carries out the actions in order, and returns
 * the work that an agent would get next, the checkpoint that waits, or the outcome. Evidence is not collected.
 *
 * @example
 * ```ts
 * const { position } = await tryWorkflow(workflow, { actions: [{ kind: 'submit', outputs: { read: 'Two typos.' } }] });
 * ```
 */
export async function tryWorkflow(
  workflow: Workflow,
  { context = {}, actions = [] }: TrialRequest = {},
): Promise<Trial> {
  const simulation: Simulation = { runnable: runnableOf(workflow) };
  const run: TrialRun = {
    simulation,
    workflow,
    assume: createAssumptions(workflow),
    state: { ...startState(simulation, context), enforcement: 'strict' },
    events: [],
    turns: [],
    answered: [],
    sets: {},
  };
  let refusal = await submit(run, { kind: 'submit' });
  let applied = 0;
  for (const action of refusal === undefined ? actions : []) {
    const before = run.state;
    refusal = action.kind === 'submit' ? await submit(run, action) : await answer(run, action.option);
    // An answer counts as carried out even if the repeated submission is then refused.
    if (refusal !== undefined && run.state === before) break;
    applied += 1;
  }
  return {
    turns: run.turns,
    position: run.end ?? positionOf(run),
    answered: run.answered,
    applied,
    ...(refusal !== undefined && { refusal: reasonsOf(refusal) }),
    variables: run.state.variables,
  };
}

/** Returns the problems of a refusal, without the calls that it suggests to an agent. */
function reasonsOf({ code, message, data: { problems } }: Refusal): NonNullable<Trial['refusal']> {
  const reasons = Array.isArray(problems) ? (problems as readonly string[]) : message.split('\n');
  return { code, reasons: reasons.filter((line) => line.trim() !== '') };
}

/** Submits outputs. If a checkpoint has to be answered first, the trial stops there and keeps the submission. */
async function submit(run: TrialRun, submission: Submission): Promise<Refusal | undefined> {
  const { isAccepted = false } = submission;
  const waiting =
    isAccepted && run.state.gate === undefined ? nextCheckpoint(run.simulation, run.state) : undefined;
  if (waiting !== undefined) return stopAt(run, waiting.id, submission);
  const { values, command } = commandOf(run, submission);
  const { navigator } = run.simulation.runnable;
  const prospect = evaluateMove(run.state, command, navigator);
  const considered = consideredFrom(run.simulation.runnable, prospect);
  const decision = await decideOn(run, command, isAccepted);
  if (!decision.ok) {
    const { code, remedy } = decision;
    const isAsked = code === 'CHECKPOINT_OPEN' && remedy?.kind === 'yield';
    return isAsked ? stopAt(run, remedy.checkpoint, submission) : decision;
  }
  const { event, warnings } = decision;
  apply(run, event);
  const { answered, sets, state } = run;
  if (event.type !== 'activity-entered') {
    const outcome = outcomeOf(run.workflow, state, run.events);
    run.end = { status: 'completed', left: considered, warnings, ...defined({ outcome }) };
    return undefined;
  }
  run.turns.push(turnOf(run.simulation, { state, event, considered, answered, sets, values, warnings }));
  run.answered = [];
  run.sets = {};
  return undefined;
}

function commandOf(
  { simulation, state, assume }: TrialRun,
  { outputs = {}, variables = {}, isAccepted }: Submission,
): { readonly values: Values; readonly command: MoveCommand } {
  if (isAccepted === true) return nextCommand({ ...simulation, outputs, given: variables }, state, assume);
  const plain: MoveCommand = { kind: 'move', variables };
  const { work } = evaluateMove(state, plain, simulation.runnable.navigator);
  const manifest = work && manifestOf(work, outputs, () => undefined);
  return { values: {}, command: { ...plain, ...(manifest !== undefined && { manifest }) } };
}

async function stopAt(
  run: TrialRun,
  checkpointId: string,
  submission: Submission,
): Promise<Refusal | undefined> {
  const { variables = {} } = submission;
  const decision = await decideOn(run, { kind: 'yield', checkpointId, variables });
  if (!decision.ok) return decision;
  apply(run, decision.event);
  run.held = submission;
  return undefined;
}

/** Answers the open checkpoint, then repeats the submission that waited for it, unless the work was sent back. */
async function answer(run: TrialRun, option: string): Promise<Refusal | undefined> {
  const { gate: openCheckpoint } = run.state;
  const mode = { kind: 'option', option } as const;
  const decision = await decideOn(run, { kind: 'answer', mode, by: 'human', note: 'Tried out.' });
  if (!decision.ok) return decision;
  const { event } = decision;
  apply(run, event);
  if (openCheckpoint === undefined) return undefined;
  if ('variables' in event) run.sets = { ...run.sets, ...event.variables };
  const { held, state } = run;
  delete run.held;
  const { checkpoints } = run.simulation.runnable.navigator.place(openCheckpoint.activity, state);
  const asked = checkpoints.find(({ id }) => id === openCheckpoint.checkpoint);
  run.answered.push(
    answerTo(
      asked ?? { id: openCheckpoint.checkpoint, name: openCheckpoint.checkpoint, options: [] },
      option,
    ),
  );
  const isBack = asked !== undefined && isSentBack(asked, state.answered);
  return held === undefined || isBack ? undefined : submit(run, held);
}

function apply(run: TrialRun, event: SessionEvent): void {
  run.state = evolve(run.state, { at: timeless, event });
  run.events.push({ event });
}

function decideOn(
  { simulation, state }: TrialRun,
  command: SessionCommand,
  isAccepted = false,
): Promise<Decision<SessionEvent>> {
  const accept = { run: async () => ({ valid: true, issues: [], suggestions: [] }) };
  return decideJudged(state, command, circumstances(simulation.runnable.navigator), {
    rejected: [],
    ...(isAccepted && { jobs: accept }),
  });
}

function positionOf({ simulation: { runnable }, state }: TrialRun): TrialPosition {
  const { current = '', gate: openCheckpoint } = state;
  const node = stepIdOf(current);
  const question = openQuestion({ state, runnable });
  if (openCheckpoint !== undefined && question !== undefined) {
    const { id, name, message, options, approver } = question;
    return {
      status: 'waiting',
      node,
      checkpoint: {
        id,
        name,
        message,
        needsPerson: approver === 'human' || openCheckpoint.approver === 'human',
        options: options.map(({ id: option, label, description }) => ({
          id: option,
          label,
          ...defined({ description }),
        })),
      },
    };
  }
  const { activity, steps } = workAt(runnable, state, { gates: 'declared' });
  return {
    status: 'active',
    node,
    ...defined({ text: activity?.text }),
    steps: steps.map(({ checkpoint: _checkpoint, isDue, ...step }) => ({
      ...step,
      ...(step.outputSchema !== undefined && { example: exampleOf(step.outputSchema) }),
      isRequired: isDue,
    })),
  };
}
