import { WorkflowError } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import { createMemorySessionStore } from '@workflowlookup/storage/memory';
import type { EntryLog } from './entry-log.ts';

/** The names of the required methods of a store. */
type Method = Exclude<keyof SessionStore, 'index' | 'inspect' | 'seal' | 'seals' | 'survey' | 'watchChanges'>;

/** A change in the log: a call of a store method. `at` is the time of its writer, so that all readers use the same time. */
interface Entry {
  readonly method: Method;
  readonly args: readonly unknown[];
  readonly at: number;
}

/** A store in memory that applies the entries of a log. */
export interface Replica {
  /** Appends a call to the log, applies all entries up to it, and returns its result. */
  change<M extends Method>(method: M, ...args: Parameters<SessionStore[M]>): ReturnType<SessionStore[M]>;
  /** Applies all entries so far, and then runs a task that only reads. */
  look<T>(task: (memory: SessionStore) => Promise<T>): Promise<T>;
  /** Closes the store. It refuses every later call. */
  close(): Promise<void>;
}

/** Creates a replica of a log. It reads the log at the first call. */
export function createReplica(log: EntryLog, now: () => number): Replica {
  let [applied, at, isClosed] = [0, 0, false];
  let last: Promise<unknown> = Promise.resolve();
  const memory = createMemorySessionStore({ now: () => at });

  /** Runs a task after all earlier tasks. */
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
    for (let text = await log.read(applied + 1); text !== undefined; text = await log.read(applied + 1))
      await apply(parse(text, applied + 1)).catch(() => 'Its writer got the same error.');
  }

  async function write(text: string): Promise<void> {
    do await catchUp();
    while (!(await log.writeIfNew(applied + 1, text)));
  }

  return {
    change(method, ...args) {
      // Copy the arguments now, because the caller may change them later.
      const text = JSON.stringify({ method, args, at: now() } satisfies Entry);
      const done = inTurn(async () => {
        if (!isClosed) await write(text);
        return apply(parse(text, applied + 1));
      });
      return done as ReturnType<SessionStore[typeof method]>;
    },
    look: (task) =>
      inTurn(async () => {
        if (!isClosed) await catchUp();
        return task(memory);
      }),
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
    throw new WorkflowError('STORE_DAMAGED', `Entry ${number} of the log of sessions is damaged.`, { cause });
  }
}
