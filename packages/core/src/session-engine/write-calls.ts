import type { SessionStore } from '@workflowlookup/storage';
import type { ParkRequest, SessionCommand } from '../session/command.ts';
import { policyFor, refuseResume } from '../session/command.ts';
import type { SessionEventOf } from '../session/evolve.ts';
import type { AnswerOrigin, ManifestEntry } from '../session/session-event.ts';
import { personNotes } from '../session/person-notes.ts';
import type { SessionState } from '../session/session-state.ts';
import type { Values } from '../session/variables.ts';
import { sealTraceToken } from '../tokens/trace-token.ts';
import type { Outcome } from './call-session.ts';
import { conflict, refusalError } from './call-session.ts';
import type { ExecutedCommand } from './execute-command.ts';
import { executeCommand } from './execute-command.ts';
import type { OpenSession, RunnableSession } from './open-session.ts';
import { reload } from './open-session.ts';
import type { SessionParts } from './parts.ts';
import { steadyMs } from './parts.ts';
import type {
  AnswerRequest,
  Answered,
  MoveRequest,
  Moved,
  Parked,
  ReportedStep,
  Resumed,
  Yielded,
} from './sessions.ts';

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
    ...(manifest === undefined ? {} : { manifest: manifest.map(entryOf) }),
    ...credentialOf(parts),
  });
  const traceToken = sealTraceToken(session.vault.keys, carried.segment);
  return { ...outcomeOf(carried, movedTo(session, carried)), traceToken };
}

/** Returns an entry as the journal keeps it: an object as JSON. */
function entryOf({ step_id, output }: ReportedStep): ManifestEntry {
  return { step_id, output: typeof output === 'string' ? output : JSON.stringify(output) };
}

function movedTo({ runnable }: OpenSession, { event, state }: ExecutedCommand): Moved {
  if (event.type !== 'activity-entered') return { status: 'completed', completed: state.completed };
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
    ...(Object.keys(variables).length === 0 ? {} : { variables }),
    ...credentialOf(parts),
  });
  return outcomeOf(carried, { checkpoint: checkpointId });
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
  return outcomeOf(carried, { reason, ...(until === undefined ? {} : { until }) });
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
  const { person } = parts.caller;
  const by = origin.assurance === 'agent' ? 'agent' : 'human';
  const named = by === 'human' && person !== undefined ? { person } : {};
  const carried = await write(parts, session, {
    kind: 'answer',
    mode,
    by,
    ...named,
    ...(note === undefined ? {} : { note }),
    origin,
  });
  const event = carried.event as SessionEventOf<'checkpoint-answered'>;
  const { checkpoint, answer: given, effect } = event;
  return outcomeOf(carried, { checkpoint, answer: given, ...(effect === undefined ? {} : { effect }) });
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
  return credential === undefined ? {} : { credential };
}

function outcomeOf<Value>(
  { state, warnings, atMs, isRepeated }: ExecutedCommand,
  value: Value,
): Outcome<Value> {
  return { value, state, warnings, atMs, ...(isRepeated === undefined ? {} : { isRepeated }) };
}

/** How long to wait for an answer. */
interface Wait {
  readonly waitMs: number;
  readonly signal?: AbortSignal;
}

/**
 * Interval at which a store is checked for the answer of a person, who may use another process. A hint of the store
 * makes it faster.
 */
const lookEveryMs = 250;

/** Lets a worker go on once the checkpoint it stopped at is answered. @throws WorkflowError CHECKPOINT_OPEN, INVALID_STATE */
export async function resume(
  parts: SessionParts,
  session: OpenSession,
  wait: Wait,
): Promise<Outcome<Resumed>> {
  const state = await waitForAnswer(parts, session, wait);
  const refusal = refuseResume(state);
  if (refusal !== undefined) throw refusalError(refusal, state, parts.policy);
  const notes = personNotes(state);
  return { value: notes.length === 0 ? {} : { notes }, state };
}

/** The state once no checkpoint waits any more, or when the time is over. */
async function waitForAnswer(
  parts: SessionParts,
  { vault: { store }, state }: OpenSession,
  { waitMs, signal }: Wait,
): Promise<SessionState> {
  if (waitMs <= 0) return state;
  const { pause = pauseWithTimer } = parts;
  const until = steadyMs(parts) + waitMs;
  const alarm = createSessionAlarm(store, state.sid, signal);
  const isOver = (left: number): boolean => left <= 0 || signal?.aborted === true;
  let current = state;
  try {
    for (let left = waitMs; current.gate !== undefined && !isOver(left); left = until - steadyMs(parts)) {
      await pause(Math.min(left, lookEveryMs), alarm.signal());
      alarm.reset();
      current = await reload(store, current);
    }
    return current;
  } finally {
    alarm.end();
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

/** Goes off when a store hints that a session was written to, or when the caller leaves. */
interface SessionAlarm {
  /** Fires when the alarm goes off, or at once if it has gone off since the last reset. */
  signal(): AbortSignal;
  reset(): void;
  /** Lets the store and the caller go. */
  end(): void;
}

/** Creates an alarm. If the store gives no hints, only the caller's own timer fires. */
function createSessionAlarm(store: SessionStore, sid: string, caller: AbortSignal | undefined): SessionAlarm {
  let current = new AbortController();
  const goOff = (): void => current.abort();
  const unwatch = store.watchChanges?.((sids) => {
    if (sids.includes(sid)) goOff();
  });
  caller?.addEventListener('abort', goOff);
  return {
    signal: () => current.signal,
    reset() {
      current = new AbortController();
    },
    end() {
      unwatch?.();
      caller?.removeEventListener('abort', goOff);
    },
  };
}
