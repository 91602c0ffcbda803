import type { ErrorCode } from '@workflowlookup/schema';
import { WorkflowError, defined, idInCommand } from '@workflowlookup/schema';
import type { SessionRow, SessionStore } from '@workflowlookup/storage';
import { assertAuthentic } from '@workflowlookup/storage/journal';
import { messages } from '../messages/sessions.ts';
import type { TokenPayload } from './session-tokens.ts';
import type { Refusal, SessionCommand } from '../session/command.ts';
import { checkpointActive } from '../session/command.ts';
import { policyFor } from '../session/decide.ts';
import { hasDriven } from '../session/open-checkpoints.ts';
import type { SessionState } from '../session/session-state.ts';
import type { NextCall } from '../session/status.ts';
import { answerCall, nextCalls } from '../session/status.ts';
import type { OpenSession, RunnableSession, SessionAgent } from './open-session.ts';
import { openSession } from './open-session.ts';
import { collectorOf } from '../evidence/outside-evidence.ts';
import type { SessionParts, SessionPolicy, SessionStorage, Reply } from './sessions.ts';
import { readTextOf, isAlone, traced, nowOf } from './trace.ts';

export interface Outcome<Value> {
  readonly value: Value;
  readonly warnings?: readonly string[];
  /** The state that the work moved the session to, or found it in. */
  readonly state?: SessionState;
  /** Time of the write. Its token is the same however often the call is repeated. */
  readonly atMs?: number;
  /** The call was made before, and this is its result from then. */
  readonly isRepeated?: true;
  readonly skill?: string;
  readonly traceToken?: string;
}

interface SessionCall {
  readonly kind: CallKind;
  readonly token: string;
}

/** Calls that are refused while a checkpoint is open. Writes are not listed, because `decide` refuses them. */
const held: ReadonlySet<CallKind> = new Set([
  'read-activity',
  'read-resource',
  'read-skill',
  'read-skills',
  'read-trace',
  'read-workflow',
]);

/** Calls that report how the served definition differs from the pinned one. */
const tellsDrift: ReadonlySet<CallKind> = new Set(['move', 'read-activity', 'read-workflow', 'status']);

const writes: ReadonlySet<CallKind> = new Set(['answer', 'move', 'park', 'yield']);

/**
 * Opens a session, does the work of a call, and keeps the call in the trace, however it ends. `complete` adds to the value
 * once the work is done and traced; it must not fail for a reason that the caller could avoid.
 */
export async function callSession<Value>(
  parts: SessionParts,
  { kind, token }: SessionCall,
  work: (session: OpenSession) => Promise<Outcome<Value>>,
  complete?: (session: OpenSession, outcome: Outcome<Value>) => Promise<Value>,
): Promise<Reply<Value>> {
  const startMs = nowOf(parts);
  const session = await openSession(parts, token);
  const { vault, state: before } = session;
  await refuseBeyondLimits(vault.store, before, kind, parts.policy);
  parts.onSession?.(before.sid);
  const agentId = writerOf(parts, session, kind);
  const call = { kind, vault, state: before, session: session.session, agentId, startMs };
  const outcome = await traced(parts, call, async () => {
    // Somebody without the keys may have written everything that an agent would read here. A status is only marked.
    if (kind !== 'status') assertAuthentic(session.session);
    if (before.gate !== undefined && held.has(kind))
      throw await refusalError(parts, session, checkpointActive(before.gate.checkpoint), kind);
    const { warnings = [], ...rest } = await work(session);
    return { ...rest, warnings: [...warningsOf(session, kind), ...warnings] };
  });
  const { warnings, state, atMs, skill, traceToken } = outcome;
  const value = complete === undefined ? outcome.value : await complete(session, outcome);
  return {
    value,
    token: nextToken(session, atMs ?? nowOf(parts), state, skill),
    warnings,
    read: readTextOf(vault.store, before.sid, session.agent.id),
    ...defined({ traceToken }),
  };
}

/**
 * Returns the caller as the trace names it. The answer of a person is recorded as theirs, not as the agent's whose
 * token they used.
 */
function writerOf({ caller }: SessionParts, { state, agent }: OpenSession, kind: CallKind): string {
  if (kind !== 'answer' || caller.mayRespond !== true || hasDriven(state, caller.credential)) return agent.id;
  return `human:${caller.person ?? caller.principal}`;
}

/** A write with an old token is either a repeated call or refused, so it needs no warning. */
function warningsOf({ stale, drift }: OpenSession, kind: CallKind): readonly string[] {
  return [
    ...(stale === undefined || writes.has(kind) ? [] : [stale]),
    ...(drift === undefined || !tellsDrift.has(kind) ? [] : [drift]),
  ];
}

/** The call that resolves an error: its kind, or the call itself with what the server knows of its arguments. */
export type Remedy = CallKind | (NextCall & { readonly isAlone: boolean });

type CallingParts = Pick<SessionParts, 'policy' | 'evidence'> & Partial<Pick<SessionParts, 'caller'>>;

type RefusedKind = CallKind | SessionCommand['kind'];

/**
 * Returns the refusal of a call as an error. `data.remedy` is the call that would help. If a person made the call, the
 * error does not say how a person can answer.
 */
export async function refusalError(
  parts: CallingParts,
  session: RunnableSession,
  refusal: Refusal,
  kind: RefusedKind,
  isPersons = false,
): Promise<WorkflowError> {
  const { code, message, data } = refusal;
  const { state } = session;
  const found = refusal.remedy ?? remedyFor(parts, session, code, kind);
  const remedy = typeof found === 'object' ? { ...found, isAlone: await isAlone(session) } : found;
  const isForPerson =
    !isPersons && typeof found === 'object' && found.kind === 'answer' && found.by === 'human';
  const where = isForPerson ? ` ${messages.personAnswersWith(parts.policy.humanAnswersWith(state.sid))}` : '';
  return new WorkflowError(code, message + where, { data: { ...data, ...defined({ remedy }) } });
}

function remedyFor(
  parts: CallingParts,
  session: RunnableSession,
  code: ErrorCode,
  kind: RefusedKind,
): CallKind | NextCall | undefined {
  const { state } = session;
  const { current } = state;
  const answer = answerTo(parts, session);
  switch (code) {
    case 'CHECKPOINT_OPEN':
      return answer;
    case 'HUMAN_REQUIRED':
      return answer && { ...answer, by: 'human' };
    case 'VARIABLE_PROTECTED':
      // The refused answer would change a person's decision, so only a person can give it.
      return kind === 'answer' && answer !== undefined ? { ...answer, by: 'human' } : undefined;
    case 'SESSION_COMPLETED':
      return 'status';
    case 'EVIDENCE_REQUIRED':
      return collectorOf(parts, session) === undefined ? undefined : 'collect';
    case 'INVALID_STATE':
      if (answer !== undefined) return answer;
      if (current === undefined) return kind === 'move' ? undefined : 'move';
      return kind === 'answer' || kind === 'present' ? askFirst(parts, session) : undefined;
    default:
      return undefined;
  }
}

/** Returns the call that answers the open checkpoint. A caller who may respond acts for a person. */
function answerTo(
  { policy, caller }: CallingParts,
  { state, runnable }: RunnableSession,
): Extract<NextCall, { kind: 'answer' }> | undefined {
  const answer = answerCall(state, runnable.navigator, policyFor(state, policy).gates);
  const isPerson = caller?.mayRespond === true && !hasDriven(state, caller.credential);
  return answer?.by === 'human' && isPerson ? { ...answer, by: 'any' } : answer;
}

/** Returns the call that asks the checkpoint of an activity if none was answered there yet. */
function askFirst({ policy }: CallingParts, { state, runnable }: RunnableSession): CallKind | NextCall {
  if (state.answered.length > 0) return 'status';
  const calls = nextCalls(state, runnable.navigator, policyFor(state, policy).gates);
  return calls.find((call) => call.kind === 'yield') ?? 'status';
}

/** Returns the error for a call that lost against another write, with the current state and a token that can write. */
export function conflict(session: OpenSession, state: SessionState, nowMs: number): WorkflowError {
  const { revision, current, lastAnswer, gate: openCheckpoint } = state;
  const [answered, open] = [lastAnswer?.checkpoint, openCheckpoint?.checkpoint];
  return new WorkflowError(
    'SESSION_CONFLICT',
    messages.conflict({ revision, activity: current, answered, open }),
    { data: { session_token: nextToken(session, nowMs, state), revision, remedy: 'status' } },
  );
}

interface TokenSource {
  readonly vault: SessionStorage;
  readonly state: SessionState;
  /** The row of the session. Absent for a new one. */
  readonly session: Pick<SessionRow, 'unauthentic'> | undefined;
  readonly agent: SessionAgent;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
  /** Payload of the previous token, if that shows one. */
  readonly before?: TokenPayload | undefined;
  /** The skill that was just loaded. */
  readonly skill?: string | undefined;
}

/** Maximum length of a condition in a token. Longer ones are cut, because models have to copy tokens. */
const maxConditionChars = 256;

export function sealToken({ vault, state, session, agent, nowMs, before, skill }: TokenSource): string {
  const { sid, revision } = state;
  const payload: TokenPayload = {
    // The token is signed, so it shows nothing that somebody without the keys may have written.
    ...(session?.unauthentic === undefined ? shownOf(state) : { wf: '', act: '', cond: '', v: '' }),
    skill: skill ?? before?.skill ?? '',
    seq: before === undefined ? 0 : before.seq + 1,
    ts: Math.floor(nowMs / 1000),
    sid,
    aid: agent.id,
  };
  return vault.tokens.seal({ sid, revision, agent: agent.number, payload });
}

/** What a token shows of the state of its session. */
function shownOf({
  workflowId,
  version,
  current = '',
  lastCondition,
  parent,
  gate: openCheckpoint,
}: SessionState): Omit<TokenPayload, 'skill' | 'seq' | 'ts' | 'sid' | 'aid'> {
  return {
    wf: workflowId,
    act: current,
    cond: lastCondition.slice(0, maxConditionChars),
    v: version,
    ...(openCheckpoint && { bcp: openCheckpoint.checkpoint }),
    ...(parent && {
      psid: parent.sid,
      pwf: parent.workflowId,
      pact: parent.activity ?? '',
      pv: parent.version,
    }),
  };
}

/** The token to go on with after a call. */
function nextToken(session: OpenSession, nowMs: number, state = session.state, skill?: string): string {
  return sealToken({ ...session, state, nowMs, before: session.seen.payload, skill });
}

/** The kind of a session call, independent of its name on the wire. */
export type CallKind =
  | 'start'
  | 'status'
  | 'read-workflow'
  | 'move'
  | 'collect'
  | 'read-activity'
  | 'yield'
  | 'resume'
  | 'present'
  | 'answer'
  | 'park'
  | 'read-skills'
  | 'read-skill'
  | 'read-resource'
  | 'resolve-operations'
  | 'read-trace';

/**
 * The most events and recorded calls of one session. A verification and a trace read all of them, and agents decide how
 * many there are.
 */
export const sessionLimits = { events: 20_000, calls: 100_000 } as const;

/** Calls that add an event. An answer is not one of them, so that an open question can always be answered. */
const adding: ReadonlySet<CallKind> = new Set(['collect', 'move', 'park', 'yield']);

/** After this many calls of its own for a session, a process asks the store how many calls there are. */
const callsBetween = 1000;

/** How many sessions of a store are counted. */
const maxCounted = 20_000;

/** The calls of this process by session, and `Infinity` for a session that has too many. */
const counted = new WeakMap<object, Map<string, number>>();

/**
 * Fails for a call of an agent if its session has as many events or calls as one may have. People can still answer its
 * checkpoint and end it.
 *
 * @throws WorkflowError QUOTA_EXCEEDED
 */
export async function refuseBeyondLimits(
  store: Pick<SessionStore, 'calls'>,
  { sid, revision }: Pick<SessionState, 'sid' | 'revision'>,
  kind: CallKind,
  policy?: Pick<SessionPolicy, 'humanEndsWith'>,
): Promise<void> {
  if (revision >= sessionLimits.events && adding.has(kind)) throw exceeded(sid, 'events', policy);
  const calls = counted.get(store) ?? new Map<string, number>();
  counted.set(store, calls);
  const count = (calls.get(sid) ?? 0) + 1;
  const [oldest] = calls.keys();
  if (calls.size >= maxCounted && !calls.has(sid) && oldest !== undefined) calls.delete(oldest);
  calls.set(sid, count);
  if (Number.isFinite(count) && count % callsBetween !== 0) return;
  const isFull =
    count === Infinity || (await store.calls(sid, { after: sessionLimits.calls - 1, limit: 1 })).length > 0;
  if (!isFull) return;
  calls.set(sid, Infinity);
  throw exceeded(sid, 'calls', policy);
}

function exceeded(
  sid: string,
  quota: keyof typeof sessionLimits,
  policy?: Pick<SessionPolicy, 'humanEndsWith'>,
): WorkflowError {
  const limit = sessionLimits[quota];
  const command = policy?.humanEndsWith?.(sid) ?? `workflowlookup sessions abandon ${idInCommand(sid)}`;
  return new WorkflowError('QUOTA_EXCEEDED', messages.sessionFull(sid, quota, limit, command), {
    data: { sid, quota, limit },
  });
}
