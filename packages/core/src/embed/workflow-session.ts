import type { ErrorCode, Json, JsonObject } from '@workflowlookup/schema';
import { WorkflowError, defined } from '@workflowlookup/schema';
import type { EvidenceProgress } from '../evidence/collector.ts';
import type { EvidenceStatus } from '../evidence/evidence-state.ts';
import type { Operator } from '../operator/create-operator.ts';
import type { Task, TaskStep } from '../operator/task.ts';
import type { Presented, Reply, ReportedStep, Sessions } from '../session-engine/sessions.ts';
import type { CollectedEvidence } from '../evidence/collect-evidence.ts';
import type { Remedy } from '../session-engine/refusals.ts';
import type { NextCall, SessionStatus } from '../session/status.ts';
import type { ActivityIdOf, CheckpointIdOf, StepIdOf } from './define-workflow.ts';

/** The work that an agent has to do now. */
export interface CurrentActivity {
  readonly id: string;
  readonly name: string;
  /** The purpose of the activity. Absent in a step workflow, whose step says it. */
  readonly description?: string;
  /** In the order in which they are to be done. */
  readonly steps: readonly CurrentStep[];
  /** The checkpoints that must be answered before the activity can be left. */
  readonly checkpoints: readonly string[];
}

/** A step of the current activity. In a loop, its id is `loop@0::step`. */
export interface CurrentStep extends Omit<TaskStep, 'checkpoint' | 'isDue' | 'text'> {
  /** The instructions, with variables filled in. */
  readonly prompt?: string;
  /** Whether the activity can be left only with an output of this step. */
  readonly isRequired: boolean;
}

/** The result of a call. A refusal is returned as a value; only a fault is thrown. */
export type SessionResult =
  | { readonly status: 'active'; readonly activity: CurrentActivity; readonly warnings: readonly string[] }
  | {
      readonly status: 'waiting';
      readonly checkpoint: WaitingCheckpoint;
      readonly warnings: readonly string[];
    }
  | { readonly status: 'completed'; readonly warnings: readonly string[] }
  | Refused;

/** Why the session did not move, and what can be done. */
export interface Refused {
  readonly status: 'refused';
  /** What kind of refusal it is. */
  readonly code: ErrorCode;
  /** One entry for each thing that is missing or wrong, such as an output that its criteria refuse. */
  readonly reasons: readonly string[];
  /** Facts about the refusal, such as `checkpoint_id`, for some codes. */
  readonly data: Readonly<Record<string, unknown>>;
  /** The calls that are legal now. */
  readonly next: readonly NextCall[];
}

/** A checkpoint at which the session waits for an answer. */
export interface WaitingCheckpoint {
  readonly id: string;
  readonly name: string;
  /** The question, with variables filled in. */
  readonly message: string;
  /** The answers that can be given. */
  readonly options: readonly {
    readonly id: string;
    readonly label: string;
    readonly description?: string;
    /** An answer with this option is refused without a note. */
    readonly note?: 'required';
  }[];
  /** Whether an answer without a person is refused. */
  readonly needsPerson: boolean;
  /** Identifies this question: a later question of the same checkpoint has another revision. */
  readonly revision: number;
}

/** The state of evidence that the current activity asks for. */
export interface CurrentEvidence {
  readonly id: string;
  /** `passed` if it proves what the step asks for. */
  readonly status: EvidenceStatus;
  /** The problem and how to solve it; absent if the evidence passed. */
  readonly message?: string;
  /** Set while its command still runs: how long it has run, and the last line of its output. */
  readonly running?: EvidenceProgress;
}

/** What an agent submits when it leaves an activity. */
export interface Submission<Workflow = string> {
  /** What each step produced, by the id of the step: a text, or an object for a step with fields. */
  readonly outputs?: Readonly<Partial<Record<StepIdOf<Workflow>, string | JsonObject>>>;
  /**
   * Why a step was not done, or not proved, by its id: only for steps with `may_be_missing`. It may have an output too.
   */
  readonly notDone?: Readonly<Partial<Record<StepIdOf<Workflow>, string>>>;
  /** Values to set before conditions are evaluated. */
  readonly variables?: Readonly<Record<string, Json>>;
  /** The activity to enter. By default the first transition whose condition is true is taken. */
  readonly activity?: ActivityIdOf<Workflow>;
}

/**
 * The person who answers a checkpoint. Without a person the answer is the agent's, which is refused if a person must
 * answer.
 */
export interface AnsweredBy {
  /** The name of the person who decided. Give it only if a person really did. */
  readonly person?: string;
  /** The person's words, at most 2,000 characters. They are kept with the answer. */
  readonly note?: string;
  /**
   * The `revision` of the checkpoint that the person was shown; by default the last one that this object returned. If
   * the session waits at another question by now, the answer is refused.
   */
  readonly revision?: number;
}

/**
 * One execution of a workflow by one agent. Each method returns the outcome of the call; it throws `WorkflowError` only
 * for faults, such as a database that can't be reached.
 */
export interface WorkflowSession<Workflow = string> {
  /** Names the session for good: `resume` of the workflows continues it by this id. */
  readonly id: string;
  /** Enters the first activity of a new session, or the one that is named. Call it once; a resumed session has `current`. */
  enter(activity?: ActivityIdOf<Workflow>): Promise<SessionResult>;
  /**
   * Submits the outputs of the current activity and enters the next one. If the activity has a checkpoint that was not
   * answered yet and whose condition is true, the result is `waiting`; the submission is kept in this object, and is
   * made again after `answer`.
   */
  next(submission?: Submission<Workflow>): Promise<SessionResult>;
  /** Stops at a checkpoint of the current activity. Variables are set first, so that the question can show them. */
  ask(
    checkpoint: CheckpointIdOf<Workflow>,
    variables?: Readonly<Record<string, Json>>,
  ): Promise<SessionResult>;
  /**
   * Answers the checkpoint that waits with one of its options, then continues as `next` does. If the answer sends the
   * work back, the kept submission is dropped, and the result is `active` with the same activity.
   */
  answer(option: string, by?: AnsweredBy): Promise<SessionResult>;
  /**
   * Waits for an answer from elsewhere, such as the console or the command line, then continues. If there is none within
   * `timeoutMs`, which is 0 if it is left out, the result is still `waiting`.
   */
  waitForAnswer(wait?: {
    readonly timeoutMs?: number;
    readonly signal?: AbortSignal;
  }): Promise<SessionResult>;
  /**
   * Collects the evidence that the current activity asks for: the server runs checks that a person trusted, and looks at
   * the files. Only with the option `evidence` of `createWorkflows` in `@workflowlookup/host`. Without `timeoutMs`, it
   * waits until all commands have ended. After `timeoutMs`, a command continues, and the next call returns its result.
   */
  collectEvidence(options?: {
    /** By default everything that is required. */
    readonly ids?: readonly string[];
    readonly timeoutMs?: number;
    /** Cancels the commands. */
    readonly signal?: AbortSignal;
  }): Promise<{ readonly status: 'collected'; readonly evidence: readonly CurrentEvidence[] } | Refused>;
  /** Returns the current state of the session without changing it. */
  current(): Promise<SessionResult>;
  /** Everything about the session: variables, completed activities, child sessions, legal calls. */
  status(): Promise<SessionStatus>;
  /** Starts a child session. */
  startChild<Child extends { readonly id: string }>(
    workflow: Child | string,
    options?: { readonly agent?: string },
  ): Promise<WorkflowSession<Child>>;
}

/** The parts that a session object uses. */
export interface SessionAccess {
  readonly sessions: Sessions;
  /** The sessions of the same principal, for a person of that name. */
  operatorOf(person: string): Operator;
  readonly agent: string;
}

/** Makes the object of a session that was started or resumed. It keeps the token to itself. */
export function openWorkflowSession<Workflow>(
  access: SessionAccess,
  { value: { sid: id }, token: first }: Reply<{ readonly sid: string }>,
): WorkflowSession<Workflow> {
  const { sessions } = access;
  const reader = access.operatorOf(access.agent);
  let token = first;
  let held: Submission<Workflow> | undefined;
  let shown: number | undefined;

  async function call<Value>(work: (current: string) => Promise<Reply<Value>>): Promise<Reply<Value>> {
    const reply = await work(token);
    ({ token } = reply);
    return reply;
  }

  /** Carries out a call; a refusal becomes a value. */
  async function carryOut<Result>(work: () => Promise<Result>): Promise<Refused | Result> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof WorkflowError) || !refusals.has(error.code)) throw error;
      const { session_token: renewed } = error.data;
      if (typeof renewed === 'string') token = renewed;
      // The `next` of a task does not depend on evidence, so after this error the legal calls come from the session's
      // status.
      const { next } =
        error.code === 'EVIDENCE_REQUIRED' ? (await call(sessions.status)).value : await reader.task(id);
      return { ...refusedBy(error), next };
    }
  }

  async function find(warnings: readonly string[] = []): Promise<SessionResult> {
    const task = await reader.task(id);
    if (task.status === 'completed') return { status: 'completed', warnings };
    if (task.status === 'blocked') {
      const { value } = await call((current) => sessions.present(current));
      shown = value.revision;
      return { status: 'waiting', checkpoint: checkpointOf(value), warnings };
    }
    return { status: 'active', activity: activityOf(task), warnings };
  }

  async function stopAt(checkpoint: string, variables: Submission['variables'] = {}): Promise<SessionResult> {
    const { warnings } = await call((current) => sessions.yield(current, checkpoint, variables));
    return find(warnings);
  }

  async function submit(submission: Submission<Workflow>): Promise<SessionResult> {
    const { variables, activity } = submission;
    const manifest = await manifestOf(submission, async () => (await reader.task(id)).steps);
    try {
      const { warnings } = await call((current) =>
        sessions.move(current, {
          manifest,
          asksAll: true,
          ...defined({ variables, activityId: activity }),
        }),
      );
      held = undefined;
      return await find(warnings);
    } catch (error) {
      if (!(error instanceof WorkflowError) || error.code !== 'CHECKPOINT_OPEN') throw error;
      const remedy = error.data['remedy'] as Remedy | undefined;
      // If the error names no checkpoint to yield, the session already waits at one.
      if (typeof remedy !== 'object' || remedy.kind !== 'yield') throw error;
      if (held === submission && error.data['reason'] === 'sent-back') {
        // The answer sent these outputs back. Asking about them again would keep the agent from submitting new ones.
        held = undefined;
        return find();
      }
      held = submission;
      const stopped = await stopAt(remedy.checkpoint, { ...variables, ...remedy.variables });
      // With the autonomy `reversible`, the session takes the default option and does not stop.
      return stopped.status === 'waiting' ? stopped : submit(submission);
    }
  }

  async function proceed(waitMs: number, signal?: AbortSignal): Promise<SessionResult> {
    await call((current) => sessions.resume(current, { waitMs, ...(signal !== undefined && { signal }) }));
    const kept = held;
    // The warnings of `resume` are about the token, which the caller never sees.
    if (kept === undefined) return find();
    const result = await carryOut(() => submit(kept));
    if (result.status === 'refused') held = undefined;
    return result;
  }

  return {
    id,
    enter: (activity) => carryOut(() => submit(activity === undefined ? {} : { activity })),
    next: (submission = {}) => carryOut(() => submit(submission)),
    ask: (checkpoint, variables) => carryOut(() => stopAt(checkpoint, variables)),
    answer: (option, { person, note, revision = shown } = {}) =>
      carryOut(async () => {
        const answer = { mode: { kind: 'option', option }, ...(note !== undefined && { note }) } as const;
        if (person === undefined) await call((current) => sessions.answer(current, answer));
        else await access.operatorOf(person).respond(id, { ...answer, ...(revision && { revision }) });
        return proceed(0);
      }),
    waitForAnswer: ({ timeoutMs = 0, signal } = {}) =>
      carryOut(async () => {
        try {
          return await proceed(timeoutMs, signal);
        } catch (error) {
          if (error instanceof WorkflowError && error.code === 'CHECKPOINT_OPEN') return find();
          throw error;
        }
      }),
    collectEvidence: ({ ids, timeoutMs = Infinity, signal } = {}) =>
      carryOut(async () => {
        const { value } = await call((current) =>
          sessions.collect(current, {
            waitMs: timeoutMs,
            ...defined({ evidenceIds: ids, signal }),
          }),
        );
        return { status: 'collected', evidence: value.evidence.map(evidenceOf) } as const;
      }),
    current: () => carryOut(() => find()),
    status: async () => (await call((current) => sessions.status(current))).value,
    async startChild(workflow, { agent = access.agent } = {}) {
      const workflowId = typeof workflow === 'string' ? workflow : workflow.id;
      const started = await sessions.start({ agentId: agent, workflowId, parentToken: token });
      return openWorkflowSession({ ...access, agent }, started);
    },
  };
}

function evidenceOf({ id, status, message, running }: CollectedEvidence): CurrentEvidence {
  return { id, status, ...defined({ message, running }) };
}

function activityOf({ activity, steps, next }: Task): CurrentActivity {
  const { id = '', name = '', text } = activity ?? {};
  return {
    id,
    name,
    ...defined({ description: text }),
    steps: steps.map(({ text: prompt, isDue, checkpoint: _checkpoint, ...step }) => ({
      ...step,
      ...defined({ prompt }),
      isRequired: isDue,
    })),
    checkpoints: next.flatMap((legal) => (legal.kind === 'yield' ? [legal.checkpoint] : [])),
  };
}

/** Returns the manifest of a submission. Outputs and reasons are given apart, so that they are sorted by the order of the steps. */
async function manifestOf(
  { outputs = {}, notDone = {} }: Submission,
  stepsInOrder: () => Promise<readonly { readonly id: string }[]>,
): Promise<readonly ReportedStep[]> {
  const reasons = new Map(Object.entries(notDone).filter(([, reason]) => reason !== undefined));
  const done = Object.entries(outputs).flatMap(([step, output]) =>
    output === undefined || reasons.has(step) ? [] : [{ step_id: step, output }],
  );
  const left = [...reasons].map(([step, reason]) => ({
    step_id: step,
    output: outputs[step] ?? '',
    not_done: reason,
  }));
  if (left.length === 0) return done;
  const steps = await stepsInOrder();
  const rank = ({ step_id: step }: ReportedStep): number => steps.findIndex((one) => one.id === step);
  return [...done, ...left].toSorted((one, other) => rank(one) - rank(other));
}

/** Turns the error of a refused call into a result. Fields of its data that other fields of the result show are left out. */
function refusedBy({ code, message, data }: WorkflowError): Omit<Refused, 'next'> {
  const { session_token: _token, problems, remedy: _remedy, activities: _targets, ...facts } = data;
  const reasons = (problems as readonly string[] | undefined) ?? [
    message.replaceAll(/\s*\n\s*/g, ' ').trim(),
  ];
  return { status: 'refused', code, reasons, data: facts };
}

/** What the rules of a workflow refuse; every other error is a fault. */
const refusals: ReadonlySet<ErrorCode> = new Set([
  'ACTIVITY_NOT_FOUND',
  'CHECKPOINT_NOT_FOUND',
  'CHECKPOINT_OPEN',
  'EVIDENCE_REQUIRED',
  'HUMAN_REQUIRED',
  'ILLEGAL_TRANSITION',
  'INVALID_INPUT',
  'MANIFEST_INVALID',
  'NOTE_REQUIRED',
  'SESSION_COMPLETED',
  'SESSION_CONFLICT',
  'INVALID_STATE',
  'VARIABLE_PROTECTED',
]);

function checkpointOf({ checkpoint, answeredBy, revision }: Presented): WaitingCheckpoint {
  const { id, name, message, options } = checkpoint;
  return {
    id,
    name,
    message,
    options: options.map(({ id: option, label, description, note }) => ({
      id: option,
      label,
      ...defined({ description, note }),
    })),
    needsPerson: answeredBy === 'person',
    revision,
  };
}
