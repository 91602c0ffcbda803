import { WorkflowError, defined } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import { assertAuthentic } from '@workflowlookup/storage/journal';
import { collectEvidence } from '../evidence/collect-evidence.ts';
import { messages } from '../messages/sessions.ts';
import { checkpointActive } from '../session/command.ts';
import { hasDriven } from '../session/open-checkpoints.ts';
import type { SessionState } from '../session/session-state.ts';
import { checkHealth, discover, listWorkflows } from './discover.ts';
import type { OpenSession } from './open-session.ts';
import { nobody, openSession, pinnedDefinition } from './open-session.ts';
import { definitionOf, presentWithEvidence } from './present.ts';
import {
  brokenParts,
  readActivity,
  readOperations,
  readPrimarySkills,
  readResource,
  readSkill,
  readStatus,
  readWorkflow,
  readingStyle,
} from './read-calls.ts';
import { refusalError } from './refusals.ts';
import { resume } from './resume.ts';
import { nextToken, sealToken } from './session-tokens.ts';
import type {
  CallKind,
  Caller,
  Health,
  Moved,
  Outcome,
  Reply,
  Resumed,
  SessionParts,
  SessionPolicy,
  SessionStorage,
  Sessions,
  StartRequest,
  Started,
} from './sessions.ts';
import {
  activityArrival,
  arrivalAt,
  firstEntry,
  refuseHiddenName,
  refuseReservedName,
  startOrResume,
  withActivity,
} from './start.ts';
import {
  keepReadText,
  keptReadText,
  nowOf,
  readTextOf,
  readTrace,
  recordCall,
  steadyMs,
  traced,
} from './trace.ts';
import { answer, move, park, resumeParked, yieldAt } from './write-calls.ts';

/** Makes the sessions of one caller: load, decide by pure functions, append, answer. */
export function createSessions({ caller, ...shared }: SessionParts): Sessions {
  return createSessionsOf(shared)(caller);
}

/** Makes the sessions of each caller of a server. All callers share what one of them has loaded. */
export function createSessionsOf(shared: Omit<SessionParts, 'caller'>): (caller: Caller) => Sessions {
  const startedMs = steadyMs(shared);
  let isNeeded = false;
  const vault: SessionParts['vault'] = () => {
    isNeeded = true;
    return shared.vault();
  };
  const health = (parts: SessionParts): Promise<Health> =>
    checkHealth(parts, steadyMs(shared) - startedMs, isNeeded);
  return (caller) => sessionsOver({ ...shared, vault, caller }, health);
}

function sessionsOver(parts: SessionParts, health: (parts: SessionParts) => Promise<Health>): Sessions {
  return {
    discover: () => discover(parts),
    list: () => listWorkflows(parts),
    health: () => health(parts),
    async start(request) {
      const reply = await beginSession(parts, request);
      return request.includeActivity === true ? withArrival(parts, reply) : reply;
    },
    status: (token) =>
      callSession(parts, 'status', token, async (session) => ({ value: await readStatus(parts, session) })),
    workflow: (token, options) =>
      callSession(parts, 'read-workflow', token, async (session) => ({
        value: await readWorkflow(parts, session, options),
        warnings: brokenParts(session.runnable),
      })),
    activity: (token, { full }) =>
      callSession(parts, 'read-activity', token, async (session) => ({
        value: await readActivity(parts, session, await readingStyle(session, full)),
      })),
    move: (token, request, { includeActivity = false } = {}) =>
      callSession(
        parts,
        'move',
        token,
        (session) => move(parts, session, request),
        includeActivity ? (session, outcome) => withActivity(parts, session, outcome) : undefined,
      ),
    collect: (token, request) =>
      callSession(parts, 'collect', token, (session) => collectEvidence(parts, session, request)),
    yield: (token, checkpointId, variables = {}) =>
      callSession(parts, 'yield', token, (session) => yieldAt(parts, session, { checkpointId, variables })),
    resume: (token, wait = { waitMs: 0 }, { includeActivity = false } = {}) =>
      callSession(
        parts,
        'resume',
        token,
        (session) => resume(parts, session, wait),
        includeActivity ? (session, outcome) => withActivity(parts, session, outcome) : undefined,
      ),
    park: (token, request) => callSession(parts, 'park', token, (session) => park(parts, session, request)),
    present: (token) =>
      callSession(parts, 'present', token, async (session) => ({
        value: await presentWithEvidence(parts, session),
      })),
    answer: (token, request) =>
      callSession(parts, 'answer', token, (session) => answer(parts, session, request)),
    skills: (token) =>
      callSession(parts, 'read-skills', token, async (session) => ({
        value: await readPrimarySkills(parts, session),
      })),
    skill: (token, stepId) =>
      callSession(parts, 'read-skill', token, (session) => readSkill(parts, session, stepId)),
    resource: (token, resourceId) =>
      callSession(parts, 'read-resource', token, async (session) => ({
        value: await readResource(parts, session, resourceId),
      })),
    async operations(refs, token) {
      if (token === undefined) return readOperations(parts, refs);
      const { value, read } = await callSession(parts, 'resolve-operations', token, async (session) => ({
        value: await readOperations(parts, refs, session),
      }));
      keepReadText(value, read);
      return value;
    },
    readTextOf: keptReadText,
    trace: (token, traceTokens) =>
      callSession(parts, 'read-trace', token, async (session) => ({
        value: await readTrace(session, traceTokens),
      })),
  };
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
async function callSession<Value>(
  parts: SessionParts,
  kind: CallKind,
  token: string,
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
  const command = policy?.humanEndsWith?.(sid);
  return new WorkflowError('QUOTA_EXCEEDED', messages.sessionFull(sid, quota, limit, command), {
    data: { sid, quota, limit },
  });
}

/** Starts or resumes a session: the agent joins it if it authenticates, and is sent every bundle again. */
async function beginSession(parts: SessionParts, request: StartRequest): Promise<Reply<Started>> {
  refuseReservedName(request.agentId);
  refuseHiddenName(request.agentId);
  const startMs = nowOf(parts);
  const vault = await parts.vault();
  const {
    state: found,
    session,
    warnings,
    entryWarnings = [],
    payload,
    ...how
  } = await startOrResume(parts, request);
  const { sid } = found;
  parts.onSession?.(sid);
  const number = session?.unauthentic === undefined ? await join(vault, sid, request) : nobody;
  const pinned = { ...found, ...defined({ sealed: session?.sealed }) };
  const { runnable } = await pinnedDefinition(parts, vault.store, pinned);
  const agent = { number, id: request.agentId };
  const isContinued = session !== undefined && number !== nobody && found.parked !== undefined;
  const state = isContinued
    ? await resumeParked(parts, { vault, state: found, session, runnable, agent, seen: found })
    : found;
  const { id, version, title } = runnable.navigator.workflow;
  const { description } = runnable.workflow.definition;
  const nowMs = nowOf(parts);
  const all = [...warnings, ...entryWarnings];
  const { agentId } = request;
  const call = { kind: 'start', vault, state, session, agentId, startMs, endMs: nowMs } as const;
  await recordCall(parts, { ...call, warnings: all });
  return {
    value: {
      sid,
      workflow: { id, version, title, ...defined({ description }), ...definitionOf(state) },
      ...how,
      ...(warnings.length > 0 && { warning: warnings.join(' ') }),
    },
    token: sealToken({ vault, state, session, agent, nowMs, before: payload }),
    warnings: all,
    read: readTextOf(vault.store, sid, agent.id),
  };
}

async function join(
  { store }: SessionStorage,
  sid: string,
  { agentId }: Pick<StartRequest, 'agentId'>,
): Promise<number> {
  const number = await store.joinAgent(sid, agentId);
  await store.resetDelivered(sid, number);
  return number;
}

/** Adds the activity that a session is at to the reply of the call that started or resumed it. */
async function withArrival(parts: SessionParts, reply: Reply<Started>): Promise<Reply<Started>> {
  const session = await openSession(parts, reply.token);
  // Somebody without the keys may have written everything that an agent would read here.
  if (session.session.unauthentic !== undefined) return reply;
  const moved = await enterLate(parts, reply, session);
  const { value, ...entered } = moved ?? { value: {} };
  const arrival =
    value.reading === undefined
      ? await arrivalAt(parts, moved === undefined ? session : await openSession(parts, moved.token))
      : activityArrival(session, value.reading);
  const warnings = [...reply.warnings, ...(moved?.warnings ?? [])];
  return { ...reply, ...entered, warnings, value: { ...reply.value, arrival } };
}

/** Enters the first activity of a session that was started without entering one. */
async function enterLate(
  parts: SessionParts,
  { token, value: { inherited } }: Reply<Started>,
  { state, runnable }: OpenSession,
): Promise<(Omit<Reply<Moved>, 'value'> & { readonly value: Resumed }) | undefined> {
  const isNew = state.current === undefined && state.status === 'active';
  if (inherited !== true || !isNew || firstEntry(parts, state, runnable) === undefined) return undefined;
  const reply = await callSession<Moved>(
    parts,
    'move',
    token,
    (session) => move(parts, session, {}),
    (session, outcome) => withActivity(parts, session, outcome),
  );
  const { value, ...rest } = reply;
  return { ...rest, value: value.status === 'active' ? value : {} };
}
