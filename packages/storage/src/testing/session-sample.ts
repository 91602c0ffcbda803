import type { Json, JsonObject } from '@workflowlookup/schema';
import { digestOf } from '@workflowlookup/schema';
import type { JournalEvent, JournalHead, NewSession, SessionStore, SessionWrite } from '../session-store.ts';
import { emptyJournal, sealEvents } from '../sessions/seal-events.ts';

/** The definition that every sample session runs on. */
export const sampleDefinition = { id: 'review', title: 'Review' } as const;

/** What tells sample sessions apart. */
export type SampleFields = Partial<NewSession>;

/** How a sample session begins: `minute` is when its first event happens. */
export type BeginFields = SampleFields & Pick<SessionWrite, 'status'> & { readonly minute?: number };

/** A small session; `more` goes over its fields. */
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

/** A time so many minutes into 2026. */
export function minuteOf2026(minute: number): string {
  return new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
}

/** Sealed events after a head, one for each piece of data; each happens a minute after the one before. */
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

/** Keeps a session with one event. */
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

/** Adds an event for each piece of data and gives the new head; `undefined` where the race was lost. */
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

/** Where a journal ends with these events. */
export function headOf(events: readonly JournalEvent[]): JournalHead {
  const last = events.at(-1);
  return last === undefined ? emptyJournal : { revision: last.revision, hash: last.hash };
}

/** A value of more than 8 KB. */
export const bigValue: Json = { text: 'big '.repeat(4_096) };
