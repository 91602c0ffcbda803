import { digestOf } from '@workflowlookup/schema';
import { byCodeUnits } from '../by-code-units.ts';
import { memoryAccessStore } from '../access/memory-access-store.ts';
import type { StateStore } from '../access-store.ts';
import type { Range, StoreHealth } from '../session-store.ts';
import { checkTexts } from './check-write.ts';
import { createLocalHints, hintedStore } from './change-hints.ts';
import { appendTo, countSessions, createSession, findSessions, loadSession } from './memory-journal.ts';
import { pruneSessions } from './memory-prune.ts';
import type { MemoryTables, Run } from './memory-tables.ts';
import { emptyTables, keep, putContent, theSession } from './memory-tables.ts';
import { storeClosed } from './no-session.ts';
import { pageStart } from './page-cursor.ts';
import type { ContentMethods, SideMethods } from './store-parts.ts';

/** Settings of a memory session store. */
export interface MemorySessionStoreOptions {
  /** Milliseconds since 1970; the clock of the machine when left out. */
  readonly now?: () => number;
}

/** Makes a session store that lasts as long as the program: for tests, and for sessions nobody has to find again. */
export function createMemorySessionStore({ now = Date.now }: MemorySessionStoreOptions = {}): StateStore {
  const tables = emptyTables();
  let closed = false;
  const run: Run = async (task) => {
    if (closed) throw storeClosed();
    return task(tables);
  };
  const store: StateStore = {
    create: (session, write) => run((all) => createSession(all, session, write)),
    load: (sid) => run((all) => loadSession(all, sid)),
    append: (sid, revision, write) => run((all) => appendTo(all, { sid, revision }, write)),
    recorded: (sid, key) => run(({ sessions }) => sessions.get(sid)?.commands.get(key)),
    events: (sid, range) => run(({ sessions }) => part(sessions.get(sid)?.events ?? [], range)),
    find: (query, page = {}) => run((all) => findSessions(all, query, pageStart(page))),
    counts: (principal) => run((all) => countSessions(all, principal)),
    ...contentMethods(run, now),
    ...sideMethods(run),
    access: memoryAccessStore(run, now),
    prune: (request) => run((all) => pruneSessions(all, request)),
    changes: (after, limit) =>
      run(({ changes }) => changes.filter(({ cursor }) => cursor > after).slice(0, limit)),
    health: async () => healthOf(tables, closed),
    close: async () => void (closed = true),
  };
  return hintedStore(store, createLocalHints());
}

function contentMethods(run: Run, now: () => number): ContentMethods {
  return {
    putDefinition: (digest, value, options) =>
      run(({ definitions }) => putContent(definitions, digest, { value, now: now(), ...options })),
    getDefinition: (digest) => run(({ definitions }) => definitions.get(digest)?.value),
    putBlob: (value) =>
      run(({ blobs }) => {
        const digest = digestOf(value);
        putContent(blobs, digest, { value, now: now() });
        return digest;
      }),
    getBlob: (digest) => run(({ blobs }) => blobs.get(digest)?.value),
    blobs: (sid) => run(({ sessions }) => sorted(sessions.get(sid)?.blobs)),
  };
}

function sideMethods(run: Run): SideMethods {
  return {
    recordCall: (sid, call) =>
      run(({ sessions }) => {
        const calls = sessions.get(sid)?.calls;
        calls?.push(keep({ n: calls.length + 1, call }));
      }),
    calls: (sid, range) => run(({ sessions }) => part(sessions.get(sid)?.calls ?? [], range)),
    joinAgent: (sid, agent) =>
      run((all) => {
        checkTexts({ agent });
        const { agents } = theSession(all, sid);
        if (!agents.includes(agent)) agents.push(agent);
        return agents.indexOf(agent) + 1;
      }),
    agents: (sid) => run(({ sessions }) => [...(sessions.get(sid)?.agents ?? [])]),
    delivered: (sid, agent) => run(({ sessions }) => sorted(sessions.get(sid)?.delivered.get(agent))),
    markDelivered: (sid, agent, digests) =>
      run(({ sessions }) => {
        checkTexts(digests);
        const all = sessions.get(sid)?.delivered;
        all?.set(agent, new Set([...(all.get(agent) ?? []), ...digests]));
      }),
    resetDelivered: (sid, agent) => run(({ sessions }) => void sessions.get(sid)?.delivered.delete(agent)),
  };
}

function healthOf({ lastChange, sessions }: MemoryTables, closed: boolean): StoreHealth {
  const facts = { sessions: sessions.size };
  const problem = closed && { problem: storeClosed().message };
  return { ok: !closed, adapter: 'memory', lastChange, facts, ...problem };
}

function part<T>(list: readonly T[], { after = 0, limit = Infinity }: Range = {}): readonly T[] {
  return list.slice(after, after + limit);
}

function sorted(texts: Iterable<string> = []): readonly string[] {
  return [...texts].toSorted(byCodeUnits);
}
