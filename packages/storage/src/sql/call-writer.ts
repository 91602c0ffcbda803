import { randomBytes } from 'node:crypto';
import type { JsonObject } from '@workflowlookup/schema';
import type { Seals } from '../session-store.ts';
import type { WriteBehind } from './write-behind.ts';

/** A call on its way into the trace of a session. Its writer and number tell it from its own repetition. */
export interface WaitingCall {
  readonly sid: string;
  readonly writer: string;
  /** 1 for the first call of a session that this writer keeps, then one more for each: a gap is a call that was removed. */
  readonly seq: number;
  readonly text: string;
  readonly seal: string;
}

/** Numbers and seals the calls that one store keeps. */
interface CallWriter {
  next(sid: string, text: string): WaitingCall;
  /** The writer and the number of the last call of a session, as its next event names it; `null` where there is none. */
  last(sid: string): string | null;
}

/** A writer remembers so many sessions; then another one begins. */
const mostSessions = 20_000;

/** Makes the writer of a store. Several may write to one session: each has numbers of its own. */
function createCallWriter(seals: Seals): CallWriter {
  let writer = newName();
  let numbers = new Map<string, number>();
  return {
    next(sid, text) {
      if (numbers.size >= mostSessions && !numbers.has(sid)) {
        writer = newName();
        numbers = new Map();
      }
      const seq = (numbers.get(sid) ?? 0) + 1;
      const seal = seals.make('call', [sid, writer, seq, text]);
      numbers.set(sid, seq);
      return { sid, writer, seq, text, seal };
    },
    last(sid) {
      const seq = numbers.get(sid);
      return seq === undefined ? null : `${writer}:${seq}`;
    },
  };
}

function newName(): string {
  return randomBytes(8).toString('hex');
}

/** What is written beside a journal, a little later: a call, or something else. */
export type SideWrite<Task> = { readonly call: WaitingCall } | { readonly task: Task };

/** The calls that have to be kept no later than an event, and the last of them, which the event names. */
export interface CallsBefore {
  readonly calls: readonly WaitingCall[];
  readonly follows: string | null;
}

/** The calls of a store that may not be kept yet. */
export interface CallTrace {
  /** Keeps a call a little later. */
  record(sid: string, call: JsonObject): Promise<void>;
  /** Those that an event of this session has to be kept with: then a crash loses none that an event names. */
  before(sid: string): CallsBefore;
  /** Says that an event was kept with them. */
  kept(before: CallsBefore): void;
}

/** Numbers, seals and keeps the calls of a store. */
export function createCallTrace<Task>(seals: Seals, behind: WriteBehind<SideWrite<Task>>): CallTrace {
  const writer = createCallWriter(seals);
  return {
    async record(sid, call) {
      // Taken as it is now: the caller may go on to change it.
      const text = JSON.stringify(call);
      await behind.add(sid, () => ({ call: writer.next(sid, text) }));
    },
    before: (sid) => ({
      calls: behind.pending(sid).flatMap((write) => ('call' in write ? [write.call] : [])),
      follows: writer.last(sid),
    }),
    kept({ calls }) {
      const done = new Set(calls);
      behind.drop((write) => 'call' in write && done.has(write.call));
    },
  };
}
