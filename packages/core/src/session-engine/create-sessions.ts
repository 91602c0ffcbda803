import {
  WorkflowError,
  defined,
  hiddenCharactersIn,
  writeOutHidden,
  findResource,
} from '@workflowlookup/schema';
import type { SessionQuery, StoreHealth } from '@workflowlookup/storage';
import { sharedWorkflowId } from '../library/library.ts';
import type { CallKind, Outcome } from './call-session.ts';
import { callSession, sealToken } from './call-session.ts';
import { collectEvidence } from '../evidence/collect-evidence.ts';
import type { OpenSession } from './open-session.ts';
import { pinnedDefinition, nobody, stateOf } from './open-session.ts';
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
import { keepReadText, keptReadText, readTextOf, readTrace, recordCall, nowOf, steadyMs } from './trace.ts';
import type {
  Caller,
  SessionParts,
  SessionStorage,
  Reply,
  Sessions,
  StartRequest,
  Started,
  Discovery,
  Health,
  OpenSessionEntry,
  WorkflowList,
} from './sessions.ts';
import { withActivity, withArrival, startOrResume } from './start.ts';
import { answer, move, park, resume, resumeParked, yieldAt } from './write-calls.ts';

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
  function call<Value>(
    kind: CallKind,
    token: string,
    work: (session: OpenSession) => Promise<Outcome<Value>>,
    complete?: (session: OpenSession, outcome: Outcome<Value>) => Promise<Value>,
  ): Promise<Reply<Value>> {
    return callSession(parts, { kind, token }, work, complete);
  }

  return {
    discover: () => discover(parts),
    list: () => listWorkflows(parts),
    health: () => health(parts),
    async start(request) {
      const reply = await beginSession(parts, request);
      return request.includeActivity === true ? withArrival(parts, reply) : reply;
    },
    status: (token) =>
      call('status', token, async (session) => ({ value: await readStatus(parts, session) })),
    workflow: (token, options) =>
      call('read-workflow', token, async (session) => ({
        value: await readWorkflow(parts, session, options),
        warnings: brokenParts(session.runnable),
      })),
    activity: (token, { full }) =>
      call('read-activity', token, async (session) => ({
        value: await readActivity(parts, session, await readingStyle(session, full)),
      })),
    move: (token, request, { includeActivity = false } = {}) =>
      call(
        'move',
        token,
        (session) => move(parts, session, request),
        includeActivity ? (session, outcome) => withActivity(parts, session, outcome) : undefined,
      ),
    collect: (token, request) =>
      call('collect', token, (session) => collectEvidence(parts, session, request)),
    yield: (token, checkpointId, variables = {}) =>
      call('yield', token, (session) => yieldAt(parts, session, { checkpointId, variables })),
    resume: (token, wait = { waitMs: 0 }, { includeActivity = false } = {}) =>
      call(
        'resume',
        token,
        (session) => resume(parts, session, wait),
        includeActivity ? (session, outcome) => withActivity(parts, session, outcome) : undefined,
      ),
    park: (token, request) => call('park', token, (session) => park(parts, session, request)),
    present: (token) =>
      call('present', token, async (session) => ({ value: await presentWithEvidence(parts, session) })),
    answer: (token, request) => call('answer', token, (session) => answer(parts, session, request)),
    skills: (token) =>
      call('read-skills', token, async (session) => ({ value: await readPrimarySkills(parts, session) })),
    skill: (token, stepId) => call('read-skill', token, (session) => readSkill(parts, session, stepId)),
    resource: (token, resourceId) =>
      call('read-resource', token, async (session) => ({
        value: await readResource(parts, session, resourceId),
      })),
    async operations(refs, token) {
      if (token === undefined) return readOperations(parts, refs);
      const { value, read } = await call('resolve-operations', token, async (session) => ({
        value: await readOperations(parts, refs, session),
      }));
      keepReadText(value, read);
      return value;
    },
    readTextOf: keptReadText,
    trace: (token, traceTokens) =>
      call('read-trace', token, async (session) => ({ value: await readTrace(session, traceTokens) })),
  };
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

// The characters that Unicode lists as confusable with a colon, without marks that belong to letters of their script, and
// a letter of Tifinagh.
const colons =
  /[\u02D0\u02F8\u0589\u05C3\u0703\u0704\u16EC\u1803\u1809\u205A\u2236\u2D42\uA4FD\uA789\uFE30]/g;

/**
 * Refuses agent names that look like a person's. The trace names a person `human:` and their name. Too many characters
 * look like a colon or like the letters of `human` to list them all, so after `human` only letters, digits and `-` are
 * allowed, and everything before a colon must be ASCII. In many fonts, `rn` looks like `m`.
 */
function refuseReservedName(agentId: string): void {
  const visible = agentId
    .replaceAll(colons, ':')
    .normalize('NFKC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .trim();
  const joined = visible.replaceAll(/\s/gu, '');
  const [prefix = '', ...rest] = joined.split(':');
  const isPlain = rest.length === 0 || /^\p{ASCII}*$/u.test(prefix);
  const isPersons = [visible, joined].some((text) =>
    /^human[^\p{Lu}\p{Ll}\p{Lt}\p{Lo}\p{Nd}-]/iu.test(text.replaceAll(/rn/giu, 'm')),
  );
  if (isPlain && !isPersons) return;
  throw new WorkflowError(
    'INVALID_INPUT',
    `agent_id '${writeOutHidden(agentId)}' is refused: names that begin with 'human:' are those of people. Only letters, digits and '-' can follow 'human', and before a colon only ASCII characters are allowed, because other characters can look like those. Call start_session with another agent_id, for example 'worker-1'.`,
    { data: { field: 'agent_id', reason: 'reserved-name' } },
  );
}

/** Refuses agent names with hidden characters, because people read the name on one line beside the names of people. */
function refuseHiddenName(agentId: string): void {
  const [found] = [
    ...hiddenCharactersIn(agentId).map(({ char }) => char),
    ...(agentId.match(/[\t\r\n]/) ?? []),
  ];
  if (found === undefined) return;
  const character = `U+${(found.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
  throw new WorkflowError(
    'INVALID_INPUT',
    `agent_id contains ${character}, a character that nobody can see or that breaks the line. Call start_session with an agent_id without it.`,
    { data: { field: 'agent_id', reason: 'hidden-character', character } },
  );
}

/** The resource of `meta` that explains to an agent how to begin. */
const guideNumber = '00';
const maxOpenSessions = 10;

/** Returns how to begin, and which sessions can be resumed. */
async function discover(parts: SessionParts): Promise<Discovery> {
  const shared = await parts.workflows.get(sharedWorkflowId);
  const guide = shared?.kind === 'activities' ? findResource(shared.resources, guideNumber)?.body : undefined;
  const untrusted = (await parts.workflows.untrusted?.()) ?? [];
  return {
    ...defined({ guide }),
    ...(await unfinishedSessions(parts)),
    untrusted: untrusted.length,
  };
}

/** The unfinished sessions of a caller. A parked session counts as open again once its `until` has passed. */
async function unfinishedSessions(
  parts: SessionParts,
): Promise<Pick<Discovery, 'openSessions' | 'parkedSessions'>> {
  const now = new Date(nowOf(parts)).toISOString();
  const isWaiting = ({ parked }: OpenSessionEntry): boolean =>
    parked !== undefined && !(parked.until !== undefined && parked.until <= now);
  const [open, parked] = await Promise.all([
    sessionEntries(parts, ['active', 'blocked']),
    sessionEntries(parts, ['parked']),
  ]);
  const due = parked.filter((one) => !isWaiting(one));
  return {
    openSessions: [...due, ...open].slice(0, maxOpenSessions),
    parkedSessions: parked.filter(isWaiting),
  };
}

async function sessionEntries(
  parts: SessionParts,
  statuses: NonNullable<SessionQuery['statuses']>,
): Promise<readonly OpenSessionEntry[]> {
  const { store } = await parts.vault();
  const { principal, project } = parts.caller;
  const query = defined({ principal, statuses, project });
  const { sessions } = await store.find(query, { limit: maxOpenSessions });
  // A session that does not authenticate, or that this server can't vouch for, can't be resumed.
  const open = sessions.filter(
    ({ unauthentic, imported }) => unauthentic === undefined && imported?.isAuthentic !== false,
  );
  const loaded = await Promise.all(open.map(({ sid }) => store.load(sid)));
  return loaded.flatMap((one) => {
    if (one === undefined || one.session.unauthentic !== undefined) return [];
    const { sid, workflowId, project: folder, updatedAt } = one.session;
    const { current, parked } = stateOf(one);
    return [defined({ sid, workflowId, current, project: folder, parked, updatedAt })];
  });
}

async function listWorkflows({ workflows }: SessionParts): Promise<WorkflowList> {
  const all = await workflows.list();
  return {
    workflows: all.filter(({ id }) => id !== sharedWorkflowId),
    problems: await workflows.problems(),
    untrusted: (await workflows.untrusted?.()) ?? [],
  };
}

/** Returns the health of the server. The database is checked only if a session has been requested. */
async function checkHealth(parts: SessionParts, uptimeMs: number, isNeeded: boolean): Promise<Health> {
  const { workflows, problems, untrusted } = await listWorkflows(parts);
  return {
    workflows: workflows.length,
    problems: problems.length,
    untrusted: untrusted.length,
    uptimeSeconds: Math.floor(uptimeMs / 1000),
    ...(isNeeded && { store: await storeHealth(parts) }),
  };
}

/** Returns the health of the store. A store that can't be opened is reported as unhealthy. */
async function storeHealth({ vault }: SessionParts): Promise<StoreHealth> {
  try {
    return await (await vault()).store.health();
  } catch (error) {
    if (!(error instanceof WorkflowError)) throw error;
    return { ok: false, adapter: 'none', lastChange: 0, facts: {}, problem: error.message };
  }
}
