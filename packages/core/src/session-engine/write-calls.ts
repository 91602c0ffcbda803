import type { ErrorCode } from '@workflowlookup/schema';
import { WorkflowError, defined, unlessEmpty } from '@workflowlookup/schema';
import { defaultTaken } from '../session/answer-checkpoint.ts';
import type { ParkRequest, SessionCommand } from '../session/command.ts';
import { refuseResume } from '../session/command.ts';
import { policyFor } from '../session/decide.ts';
import type { SessionEventOf } from '../session/evolve.ts';
import { askedHere, isAsked } from '../session/open-checkpoints.ts';
import type { AnswerOrigin, ManifestEntry } from '../session/session-event.ts';
import { personNotes } from '../session/session-state.ts';
import type { SessionState, Values } from '../session/session-state.ts';
import { sealTraceToken } from './session-tokens.ts';
import type { Outcome } from './call-session.ts';
import { conflict, refusalError } from './call-session.ts';
import type { ExecutedCommand } from './execute-command.ts';
import { executeCommand } from './execute-command.ts';
import type { OpenSession, RunnableSession } from './open-session.ts';
import { reopen } from './open-session.ts';
import type {
  SessionParts,
  AnswerRequest,
  Answered,
  MoveRequest,
  Moved,
  Parked,
  ReportedStep,
  Resumed,
  Wait,
  Yielded,
} from './sessions.ts';
import { isAlone, steadyMs } from './trace.ts';

/** Carries out an agent's command. @throws WorkflowError SESSION_CONFLICT if another write came first */
async function write(
  parts: SessionParts,
  session: OpenSession,
  command: SessionCommand,
): Promise<ExecutedCommand> {
  const carried = await executeCommand({ ...parts, principal: parts.caller.principal }, session, command);
  if ('overtaken' in carried) throw conflict(session, carried.overtaken, carried.atMs);
  return carried;
}

export async function move(
  parts: SessionParts,
  session: OpenSession,
  { manifest, ...request }: MoveRequest,
): Promise<Outcome<Moved>> {
  const carried = await write(parts, session, {
    kind: 'move',
    ...request,
    ...defined({ manifest: manifest?.map(entryOf) }),
    ...credentialOf(parts),
  });
  const traceToken = sealTraceToken(session.vault.keys, carried.segment);
  return { ...outcomeOf(carried, movedTo(session, carried)), traceToken };
}

/** Returns an entry as the journal keeps it: an object as JSON. */
function entryOf({ output, ...entry }: ReportedStep): ManifestEntry {
  return { ...entry, output: typeof output === 'string' ? output : JSON.stringify(output) };
}

function movedTo({ runnable }: OpenSession, { event, state }: ExecutedCommand): Moved {
  if (event.type !== 'activity-entered') {
    return defined({
      status: 'completed',
      completed: state.completed,
      notDone: unlessEmpty(state.notDone),
    });
  }
  const { activity } = event;
  return { status: 'active', activity, name: runnable.navigator.place(activity, state).name };
}

export async function yieldAt(
  parts: SessionParts,
  session: OpenSession,
  { checkpointId, variables }: { readonly checkpointId: string; readonly variables: Values },
): Promise<Outcome<Yielded>> {
  const carried = await write(parts, session, {
    kind: 'yield',
    checkpointId,
    ...(Object.keys(variables).length > 0 && { variables }),
    ...credentialOf(parts),
  });
  const taken = await takeDefault(parts, session, carried.state);
  if (taken === undefined)
    return outcomeOf(carried, { checkpoint: checkpointId, isAlone: await isAlone(session) });
  const { value, ...rest } = taken;
  return { ...rest, value: { checkpoint: checkpointId, isAlone: false, taken: value } };
}

/**
 * Answers the open checkpoint with its default option if the policy of the session allows that. The answer is checked
 * like any other. Returns `undefined` if somebody has to answer, also because a check refused the default.
 */
async function takeDefault(
  parts: SessionParts,
  session: OpenSession,
  state: SessionState,
): Promise<Outcome<Answered> | undefined> {
  const found = askedHere(session.runnable.navigator, state);
  if (found === undefined) return undefined;
  const { open, checkpoint, place } = found;
  const option = defaultTaken(checkpoint, policyFor(state, parts.policy), open);
  if (option === undefined || !isAsked(state, place, checkpoint)) return undefined;
  const origin: AnswerOrigin = {
    channel: 'autonomy',
    principal: parts.caller.principal,
    ...credentialOf(parts),
    assurance: 'agent',
  };
  const asked = await reopen(session);
  try {
    const command = { kind: 'answer', mode: { kind: 'by-policy' }, by: 'agent', origin } as const;
    const seen = { ...session.seen, revision: state.revision };
    return answeredOutcome(await write(parts, { ...asked, seen }, command));
  } catch (error) {
    if (error instanceof WorkflowError && undecided.has(error.code)) return undefined;
    throw error;
  }
}

/** Refusals of a default option after which somebody has to decide. */
const undecided: ReadonlySet<ErrorCode> = new Set([
  'HUMAN_REQUIRED',
  'INVALID_STATE',
  'NOTE_REQUIRED',
  'VARIABLE_PROTECTED',
]);

function answeredOutcome(carried: ExecutedCommand): Outcome<Answered> {
  const event = carried.event as SessionEventOf<'checkpoint-answered'>;
  const { checkpoint, answer: given, effect } = event;
  return outcomeOf(carried, defined({ checkpoint, answer: given, effect }));
}

export async function park(
  parts: SessionParts,
  session: OpenSession,
  request: ParkRequest,
): Promise<Outcome<Parked>> {
  const carried = await write(parts, session, {
    kind: 'park',
    ...request,
    by: 'agent',
    ...credentialOf(parts),
  });
  const { reason, until } = carried.event as SessionEventOf<'session-parked'>;
  return outcomeOf(carried, defined({ reason, until }));
}

/** Resumes a parked session for an agent that starts to work on it. Returns the state after that. */
export async function resumeParked(parts: SessionParts, session: RunnableSession): Promise<SessionState> {
  let { state } = session;
  // Another call may park the session again in between, but not in each of several attempts.
  for (let attempt = 0; attempt < 3 && state.parked !== undefined; attempt += 1) {
    const command = { kind: 'unpark', by: 'agent', ...credentialOf(parts) } as const;
    const carried = await executeCommand(parts, { ...session, state, seen: state }, command);
    state = 'overtaken' in carried ? carried.overtaken : carried.state;
  }
  return state;
}

export async function answer(
  parts: SessionParts,
  session: OpenSession,
  { mode, note, through = 'call' }: AnswerRequest,
): Promise<Outcome<Answered>> {
  const origin = originOf(parts, session, through);
  const by = origin.assurance === 'agent' ? 'agent' : 'human';
  const person = by === 'human' ? parts.caller.person : undefined;
  const carried = await write(parts, session, {
    kind: 'answer',
    mode,
    by,
    origin,
    ...defined({ person, note }),
  });
  return answeredOutcome(carried);
}

/**
 * Returns the origin of an answer: a trusted client, a credential that answers as a person, or an agent that passed it
 * on. An agent may itself be the client, so an answer through an untrusted client counts as a call with its credential.
 */
function originOf(
  parts: SessionParts,
  { state }: OpenSession,
  through: NonNullable<AnswerRequest['through']>,
): AnswerOrigin {
  const { principal, mayRespond } = parts.caller;
  const isTrusted = through === 'elicitation' && policyFor(state, parts.policy).trustElicitation;
  const ofCredential = mayRespond === true ? 'account' : 'agent';
  return {
    channel: through === 'call' ? 'tool' : 'elicitation',
    principal,
    ...credentialOf(parts),
    assurance: isTrusted ? 'client' : ofCredential,
  };
}

export function credentialOf({ caller: { credential } }: SessionParts): { readonly credential?: string } {
  return defined({ credential });
}

function outcomeOf<Value>(
  { state, warnings, atMs, isRepeated }: ExecutedCommand,
  value: Value,
): Outcome<Value> {
  return { value, state, warnings, atMs, ...defined({ isRepeated }) };
}

/**
 * Interval at which a store is checked for the answer of a person, who may use another process. A hint of the store
 * makes it faster.
 */
const lookEveryMs = 250;

/** Lets a worker continue once its checkpoint is answered. @throws WorkflowError CHECKPOINT_OPEN, INVALID_STATE */
export async function resume(
  parts: SessionParts,
  session: OpenSession,
  wait: Wait,
): Promise<Outcome<Resumed>> {
  const state = await waitForAnswer(parts, session, wait);
  const refusal = refuseResume(state);
  if (refusal !== undefined) throw await refusalError(parts, { ...session, state }, refusal, 'resume');
  const notes = personNotes(state);
  return { value: notes.length === 0 ? {} : { notes }, state };
}

/** The state once no checkpoint waits any more, or when the time is over. */
async function waitForAnswer(
  parts: SessionParts,
  session: OpenSession,
  { waitMs, signal }: Wait,
): Promise<SessionState> {
  if (waitMs <= 0) return session.state;
  const { pause = pauseWithTimer } = parts;
  const { vault, state } = session;
  const until = steadyMs(parts) + waitMs;
  let current = session;
  // Ends a pause when the store hints that the session was written to, or when the caller leaves.
  let alarm = new AbortController();
  const goOff = (): void => alarm.abort();
  const unwatch = vault.store.watchChanges?.((sids) => {
    if (sids.includes(state.sid)) goOff();
  });
  signal?.addEventListener('abort', goOff);
  const isWaiting = (left: number): boolean =>
    left > 0 && current.state.gate !== undefined && signal?.aborted !== true;
  try {
    for (let left = waitMs; isWaiting(left); left = until - steadyMs(parts)) {
      await pause(Math.min(left, lookEveryMs), alarm.signal);
      alarm = new AbortController();
      current = await reopen(current);
    }
    return current.state;
  } finally {
    unwatch?.();
    signal?.removeEventListener('abort', goOff);
  }
}

function pauseWithTimer(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, signal?.aborted === true ? 0 : ms);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
    signal?.addEventListener('abort', done);
  });
}
