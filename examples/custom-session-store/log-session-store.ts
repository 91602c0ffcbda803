import type { SessionStore } from '@workflowlookup/storage';
import type { EntryLog } from './entry-log.ts';
import { createReplica } from './replica.ts';

/**
 * Creates a session store on a log, which any number of processes may share. Each process appends its changes to the log.
 * It applies all changes, in the order of the log, to a store in memory. So all processes have the same state, and refuse
 * the same changes. A disadvantage is that the log never gets shorter, and a new process has to read all of it.
 */
export function createLogSessionStore(log: EntryLog, now: () => number = Date.now): SessionStore {
  const { change, look, close } = createReplica(log, now);
  return {
    create: (session, write) => change('create', session, write),
    append: (sid, revision, write) => change('append', sid, revision, write),
    recordCall: (sid, call) => change('recordCall', sid, call),
    putDefinition: (digest, body, options = {}) => change('putDefinition', digest, body, options),
    putBlob: (value) => change('putBlob', value),
    joinAgent: (sid, agent) => change('joinAgent', sid, agent),
    markDelivered: (sid, agent, digests) => change('markDelivered', sid, agent, digests),
    resetDelivered: (sid, agent) => change('resetDelivered', sid, agent),
    prune: (request) => change('prune', request),
    load: (sid) => look((memory) => memory.load(sid)),
    recorded: (sid, key) => look((memory) => memory.recorded(sid, key)),
    events: (sid, range) => look((memory) => memory.events(sid, range)),
    find: (query, page) => look((memory) => memory.find(query, page)),
    counts: (principal) => look((memory) => memory.counts(principal)),
    calls: (sid, range) => look((memory) => memory.calls(sid, range)),
    getDefinition: (digest) => look((memory) => memory.getDefinition(digest)),
    getBlob: (digest) => look((memory) => memory.getBlob(digest)),
    blobs: (sid) => look((memory) => memory.blobs(sid)),
    agents: (sid) => look((memory) => memory.agents(sid)),
    delivered: (sid, agent) => look((memory) => memory.delivered(sid, agent)),
    changes: (after, limit) => look((memory) => memory.changes(after, limit)),
    health: () => look((memory) => memory.health()).then((health) => ({ ...health, adapter }), unwell),
    close,
  };
}

const adapter = 'log';

function unwell({ message }: Error): Awaited<ReturnType<SessionStore['health']>> {
  return { ok: false, adapter, lastChange: 0, facts: {}, problem: message };
}
