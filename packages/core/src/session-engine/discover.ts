import { WorkflowError, defined, findResource } from '@workflowlookup/schema';
import type { SessionQuery, StoreHealth } from '@workflowlookup/storage';
import { sharedWorkflowId } from '../library/library.ts';
import { stateOf } from './open-session.ts';
import type { SessionParts, Discovery, Health, OpenSessionEntry, WorkflowList } from './sessions.ts';
import { nowOf } from './trace.ts';

/** The resource of `meta` that explains to an agent how to begin. */
const guideNumber = '00';
const maxOpenSessions = 10;

/** Returns how to begin, and which sessions can be resumed. */
export async function discover(parts: SessionParts): Promise<Discovery> {
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

export async function listWorkflows({ workflows }: SessionParts): Promise<WorkflowList> {
  const all = await workflows.list();
  return {
    workflows: all.filter(({ id }) => id !== sharedWorkflowId),
    problems: await workflows.problems(),
    untrusted: (await workflows.untrusted?.()) ?? [],
  };
}

/** Returns the health of the server. The database is checked only if a session has been requested. */
export async function checkHealth(parts: SessionParts, uptimeMs: number, isNeeded: boolean): Promise<Health> {
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
