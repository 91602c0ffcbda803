import { randomBytes, randomUUID } from 'node:crypto';
import type { JsonObject } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { storeClosed } from '../errors.ts';
import type { Seals } from '../sessions/session-store.ts';
import type { Database, Task } from './database.ts';

export interface WriteBehind<T> {
  /**
   * Adds a write. `make` is called once there is room for it. Rejects if so many are waiting that the database must
   * have failed.
   */
  add(sid: string, make: () => T): Promise<void>;
  /** Returns the writes of a session that may not be done yet, in order. */
  pending(sid: string): readonly T[];
  /** Removes writes that were done elsewhere. */
  drop(isDone: (task: T) => boolean): void;
  /** Resolves when the writes of one session, or of all, are done. */
  settle(sid?: string): Promise<void>;
  waiting(): number;
  /** Does all writes and accepts no more. A failed write is tried once more, because there is no later chance. */
  close(): Promise<void>;
}

export interface WaitingWrite<T> {
  readonly sid: string;
  readonly task: T;
}

export interface WriteBehindOptions<T> {
  /** Does writes in one transaction. Those of one session are in order. */
  readonly write: (writes: readonly WaitingWrite<T>[]) => Promise<void>;
  /** Writes are done after this time, */
  readonly delayMs: number;
  /** or when this many are waiting. */
  readonly batchSize: number;
  /** How many may wait while writing fails. */
  readonly maxWaiting: number;
}

/** Collects writes that a crash may lose, and does them together and in order. A failed write is tried again. */
export function createWriteBehind<T>({
  write,
  delayMs,
  batchSize,
  maxWaiting,
}: WriteBehindOptions<T>): WriteBehind<T> {
  let waiting: WaitingWrite<T>[] = [];
  let inFlight: readonly WaitingWrite<T>[] = [];
  let flushing: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const writes = waiting;
    waiting = [];
    inFlight = writes;
    try {
      await write(writes);
    } catch (error) {
      waiting = [...writes, ...waiting];
      throw error;
    } finally {
      inFlight = [];
    }
  }

  async function settle(sid?: string): Promise<void> {
    while (flushing !== undefined || waiting.some((one) => sid === undefined || one.sid === sid)) {
      flushing ??= flush().finally(() => (flushing = undefined));
      await flushing;
    }
  }

  function start(): void {
    // The writes stay, and the next call that needs them gets the same error.
    settle().catch(() => {});
  }

  return {
    settle,
    waiting: () => waiting.length + inFlight.length,
    pending: (sid) => [...inFlight, ...waiting].flatMap((one) => (one.sid === sid ? [one.task] : [])),
    drop(isDone) {
      waiting = waiting.filter(({ task }) => !isDone(task));
    },
    async close() {
      closed = true;
      await settle().catch(() => settle());
    },
    async add(sid, make) {
      if (closed) throw storeClosed();
      if (waiting.length + inFlight.length >= maxWaiting) await settle();
      waiting.push({ sid, task: make() });
      if (waiting.length === batchSize) start();
      timer ??= setTimeout(start, delayMs).unref();
    },
  };
}

/** A call that is about to be recorded. Its writer and number identify it if it is written twice. */
export interface WaitingCall {
  readonly sid: string;
  readonly writer: string;
  /** Starts at 1 for each session of this writer and has no gaps: a gap means that a call was removed. */
  readonly seq: number;
  readonly text: string;
  readonly seal: string;
}

/** A writer remembers this many sessions. Then a new one replaces it. */
const maxSessions = 20_000;

/** A delayed write: a call or something else. */
export type DelayedWrite = { readonly call: WaitingCall } | { readonly task: () => Task<unknown> };

/** The calls that must be stored together with an event. */
export interface CallsBefore {
  readonly calls: readonly WaitingCall[];
  /** The writer and the number of the last call before the event, which the event names; `null` before the first call. */
  readonly follows: string | null;
}

/** The calls of a store that may not be stored yet. */
export interface CallTrace {
  record(sid: string, call: JsonObject): Promise<void>;
  /**
   * Returns the calls that must be stored with the next event of a session, so that a crash loses no call that an event
   * names.
   */
  before(sid: string): CallsBefore;
  /** Removes calls that were stored with an event. */
  confirm(before: CallsBefore): void;
}

/**
 * Makes the trace of a store: it numbers, seals and stores calls. Several stores may write calls of one session, each with
 * numbers of its own.
 */
export function createCallTrace(seals: Seals, behind: WriteBehind<DelayedWrite>): CallTrace {
  let writer = newName();
  let numbers = new Map<string, number>();

  function numbered(sid: string, text: string): WaitingCall {
    if (numbers.size >= maxSessions && !numbers.has(sid)) {
      writer = newName();
      numbers = new Map();
    }
    const seq = (numbers.get(sid) ?? 0) + 1;
    const seal = seals.make('call', [sid, writer, seq, text]);
    numbers.set(sid, seq);
    return { sid, writer, seq, text, seal };
  }

  return {
    async record(sid, call) {
      // Serialized now, because the caller may change the object later.
      const text = JSON.stringify(call);
      await behind.add(sid, () => ({ call: numbered(sid, text) }));
    },
    before(sid) {
      const seq = numbers.get(sid);
      return {
        calls: behind.pending(sid).flatMap((write) => ('call' in write ? [write.call] : [])),
        follows: seq === undefined ? null : `${writer}:${seq}`,
      };
    },
    confirm({ calls }) {
      const done = new Set(calls);
      behind.drop((write) => 'call' in write && done.has(write.call));
    },
  };
}

function newName(): string {
  return randomBytes(8).toString('hex');
}

/** The reasons for which writes fail although reads may still work. */
const reasons: ReadonlySet<unknown> = new Set(['denied', 'disk-full', 'io', 'read-only']);

/** Remembers a failed write until one succeeds, because reading from a full disk shows no problem. */
export interface WriteWatch {
  /** Called with an error of a read or write. */
  failed(error: unknown): void;
  /** Called after a successful write. */
  succeeded(): void;
  /**
   * Tries a write if one has failed.
   *
   * @throws the error of that write
   */
  check(): Promise<void>;
}

/** Stores a value and deletes it again. If it is left behind, it has no references and is pruned. */
export async function writeProbe(db: Database): Promise<void> {
  const digest = `write-probe-${randomUUID()}`;
  // About as large as the writes of a call. Random, because data that compresses well may still fit on a full disk.
  const text = randomBytes(48_000).toString('base64');
  const at = new Date().toISOString();
  await db.change('INSERT INTO blobs (digest, value, put_at) VALUES (?, ?, ?)', [digest, text, at]);
  await db.change('DELETE FROM blobs WHERE digest = ?', [digest]);
}

/** Makes the watch. `write` tries a write. */
export function createWriteWatch(write: () => Promise<void>): WriteWatch {
  let isFailing = false;
  return {
    failed(error) {
      isFailing ||= error instanceof WorkflowError && reasons.has(error.data['reason']);
    },
    succeeded() {
      isFailing = false;
    },
    async check() {
      if (!isFailing) return;
      await write();
      isFailing = false;
    },
  };
}
