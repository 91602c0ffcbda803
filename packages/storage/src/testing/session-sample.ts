import type { Json, JsonObject } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';
import type { TestAPI } from 'vitest';
import { expect } from 'vitest';
import { emptyJournal, sealEvents } from '../sessions/hash-chain.ts';
import type {
  JournalEvent,
  JournalHead,
  NewSession,
  SessionIndex,
  SessionStore,
  SessionWrite,
} from '../sessions/session-store.ts';

/** An empty session store under test. */
export interface SessionStoreHarness {
  readonly store: SessionStore;
  /** Opens the same database once more, as another process would. */
  readonly open?: () => Promise<SessionStore>;
  /** Cuts off the end of the stored data, as an interrupted write would. Every store is closed then. */
  readonly tear?: () => Promise<void>;
  /** Runs after each test, when every store is closed. */
  readonly dispose?: () => Promise<void>;
}

/** Abilities of a harness that some tests need. */
export type SessionStoreAbility = 'open' | 'tear';

/** The fixtures of the tests. A test that uses an optional part of a store is skipped if the store lacks it. */
export interface SessionFixtures extends Required<Omit<SessionStoreHarness, 'dispose'>> {
  readonly harness: SessionStoreHarness & { readonly opened: SessionStore[] };
  readonly index: SessionIndex;
  readonly watchChanges: NonNullable<SessionStore['watchChanges']>;
}

export type SessionTest = TestAPI<SessionFixtures>;

/** Returns an ability of a harness. Without it, the test fails, unless there is a reason to skip it. */
export function ability<Value>(
  name: string,
  value: Value | undefined,
  { skip, reason }: { readonly skip: (note: string) => never; readonly reason: string | undefined },
): Value {
  if (reason !== undefined) skip(reason);
  return value ?? expect.fail(`the harness has no '${name}' and gives no reason`);
}

export const sampleDefinition = { id: 'review', title: 'Review' } as const;

type SampleFields = Partial<NewSession>;

/** How a sample session begins. `minute` is the time of its first event. */
type BeginFields = SampleFields & Pick<SessionWrite, 'status'> & { readonly minute?: number };

/** Makes a small session. `more` overrides its fields. */
export function sampleSession(sid: string, more: SampleFields = {}): NewSession {
  return {
    sid,
    workflowId: 'review',
    version: '1.0.0',
    digest: digestOf(sampleDefinition),
    principal: 'local',
    agent: 'agent-1',
    ...more,
  };
}

/** Returns a time this many minutes into 2026. */
export function minuteOf2026(minute: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
}

/** Makes sealed events after a head, one for each piece of data, a minute apart. */
export function sampleEvents(
  sid: string,
  head: JournalHead,
  ...data: readonly JsonObject[]
): readonly JournalEvent[] {
  const drafts = data.map((one, index) => ({
    at: minuteOf2026(head.revision + index),
    type: 'noted',
    data: one,
  }));
  return sealEvents(sid, head, drafts);
}

/** Stores a session with one event. */
export async function begin(
  store: SessionStore,
  sid: string,
  fields: BeginFields = {},
): Promise<JournalHead> {
  const { minute = 0, status, ...more } = fields;
  const at = minuteOf2026(minute);
  const events = sealEvents(sid, emptyJournal, [{ at, type: 'started', data: { sid } }]);
  await store.putDefinition(digestOf(sampleDefinition), sampleDefinition);
  const kept = await store.create(sampleSession(sid, more), { events, ...(status && { status }) });
  if (!kept) throw new Error(`the id ${sid} is taken`);
  return headOf(events);
}

/** Adds an event for each piece of data and returns the new head, or `undefined` if another write came first. */
export async function add(
  store: SessionStore,
  sid: string,
  {
    head,
    data,
    ...more
  }: { readonly head: JournalHead; readonly data: readonly JsonObject[] } & Partial<SessionWrite>,
): Promise<JournalHead | undefined> {
  const events = sampleEvents(sid, head, ...data);
  const won = await store.append(sid, head.revision, { ...more, events });
  return won ? headOf(events) : undefined;
}

export function headOf(events: readonly JournalEvent[]): JournalHead {
  const last = events.at(-1);
  return last === undefined ? emptyJournal : { revision: last.revision, hash: last.hash };
}

/** A value of more than 8 KB. */
export const bigValue: Json = { text: 'big '.repeat(4_096) };
