import { WorkflowError } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import { createMemorySessionStore } from '@workflowlookup/storage/memory';
import type { EntryLog } from './entry-log.ts';

/** A call that changes something, as the log keeps it: `at` is the clock of who wrote it, the same for all who read it. */
interface Entry {
  readonly method: Exclude<keyof SessionStore, 'watchChanges'>;
  readonly args: readonly unknown[];
  readonly at: number;
}

/**
 * Makes a session store over a log. A change is written to the log and then done to a store in memory, by everybody in
 * the order of the log: so all come to the same state, and what one refuses, all refuse. Any number of processes may
 * share a log. What this costs: a log is read whole when a store opens, and never gets shorter.
 */
export function createLogSessionStore(log: EntryLog, now: () => number = Date.now): SessionStore {
  let [applied, at, isClosed] = [0, 0, false];
  let last: Promise<unknown> = Promise.resolve();
  const memory = createMemorySessionStore({ now: () => at });

  /** One task after the other. */
  function inTurn<T>(task: () => Promise<T>): Promise<T> {
    const turn = last.then(task);
    last = turn.catch(() => undefined);
    return turn;
  }

  function apply({ method, args, at: written }: Entry): Promise<unknown> {
    applied += 1;
    at = written;
    return (memory[method] as (...given: readonly unknown[]) => Promise<unknown>)(...args);
  }

  async function catchUp(): Promise<void> {
    if (isClosed) return;
    for (let text = await log.read(applied + 1); text !== undefined; text = await log.read(applied + 1))
      await apply(parse(text, applied + 1)).catch(() => 'refused there, refused here');
  }

  function change<Method extends Entry['method']>(
    method: Method,
    ...args: Parameters<SessionStore[Method]>
  ): ReturnType<SessionStore[Method]> {
    // As it is now: the caller may change what it gave.
    const text = JSON.stringify({ method, args, at: now() } satisfies Entry);
    const done = inTurn(async () => {
      do await catchUp();
      while (!isClosed && !(await log.writeIfNew(applied + 1, text)));
      return apply(JSON.parse(text) as Entry);
    });
    return done as ReturnType<SessionStore[Method]>;
  }

  const look = <T>(task: () => Promise<T>): Promise<T> => inTurn(() => catchUp().then(task));

  return {
    create: (session, write) => change('create', session, write),
    append: (sid, revision, write) => change('append', sid, revision, write),
    recordCall: (sid, call) => change('recordCall', sid, call),
    putDefinition: (digest, body) => change('putDefinition', digest, body),
    putBlob: (value) => change('putBlob', value),
    joinAgent: (sid, agent) => change('joinAgent', sid, agent),
    markDelivered: (sid, agent, digests) => change('markDelivered', sid, agent, digests),
    resetDelivered: (sid, agent) => change('resetDelivered', sid, agent),
    prune: (request) => change('prune', request),
    load: (sid) => look(() => memory.load(sid)),
    recorded: (sid, key) => look(() => memory.recorded(sid, key)),
    events: (sid, range) => look(() => memory.events(sid, range)),
    find: (query, page) => look(() => memory.find(query, page)),
    counts: () => look(() => memory.counts()),
    calls: (sid, range) => look(() => memory.calls(sid, range)),
    getDefinition: (digest) => look(() => memory.getDefinition(digest)),
    getBlob: (digest) => look(() => memory.getBlob(digest)),
    blobs: (sid) => look(() => memory.blobs(sid)),
    agents: (sid) => look(() => memory.agents(sid)),
    delivered: (sid, agent) => look(() => memory.delivered(sid, agent)),
    changes: (after, limit) => look(() => memory.changes(after, limit)),
    async health() {
      const problem = await look(async () => undefined).catch(({ message }: WorkflowError) => message);
      const healthy = await memory.health();
      return { ...healthy, adapter: 'log', ...(problem !== undefined && { ok: false, problem }) };
    },
    close: () =>
      inTurn(() => {
        isClosed = true;
        return memory.close();
      }),
  };
}

function parse(text: string, number: number): Entry {
  try {
    return JSON.parse(text) as Entry;
  } catch (cause) {
    throw new WorkflowError('STORAGE', `Entry ${number} of the log of sessions is damaged.`, { cause });
  }
}
