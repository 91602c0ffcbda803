import { WorkflowError } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import { createMemorySessionStore } from '@workflowlookup/storage/memory';
import type { EntryLog } from './entry-log.ts';

/** The methods of a store, without what is optional. */
type Method = Exclude<keyof SessionStore, 'index' | 'inspect' | 'seal' | 'seals' | 'survey' | 'watchChanges'>;

/** A call that changes something, as the log keeps it: `at` is the clock of who wrote it, the same for all who read it. */
interface Entry {
  readonly method: Method;
  readonly args: readonly unknown[];
  readonly at: number;
}

/** What the entries of a log come to, in memory. */
export interface Replica {
  /** Writes a call to the log, does it after all that stand before it, and gives what it came to. */
  change<M extends Method>(method: M, ...args: Parameters<SessionStore[M]>): ReturnType<SessionStore[M]>;
  /** Looks at what everybody has written so far. */
  look<T>(task: (memory: SessionStore) => Promise<T>): Promise<T>;
  /** From then on all is refused, as a closed store does. */
  close(): Promise<void>;
}

/** Makes a replica of a log; it has read nothing yet. */
export function createReplica(log: EntryLog, now: () => number): Replica {
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
    for (let text = await log.read(applied + 1); text !== undefined; text = await log.read(applied + 1))
      await apply(parse(text, applied + 1)).catch(() => 'refused there, refused here');
  }

  async function write(text: string): Promise<void> {
    do await catchUp();
    while (!(await log.writeIfNew(applied + 1, text)));
  }

  return {
    change(method, ...args) {
      // As it is now: the caller may change what it gave.
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
