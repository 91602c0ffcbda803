import type { JsonObject } from '@workflowlookup/schema';
import type { JournalHead, NewSession, SessionStore, SessionWrite } from '@workflowlookup/storage';
import { emptyJournal, sealEvents } from '@workflowlookup/storage/journal';

/** Makes a session with the definition `definition`. */
export function newSession(sid: string): NewSession {
  return {
    sid,
    workflowId: 'review',
    version: '1.0.0',
    digest: 'definition',
    principal: 'local',
    agent: 'a',
  };
}

/** An API key. */
export const apiKey = {
  id: 'key',
  principal: 'ann',
  scopes: ['read'],
  createdAt: '2026-01-01T00:00:00.000Z',
  hash: 'hash',
} as const;

/** Makes sealed events after a head, all with one time. */
export function sealed(
  sid: string,
  head: JournalHead,
  data: readonly JsonObject[],
): ReturnType<typeof sealEvents> {
  return sealEvents(
    sid,
    head,
    data.map((one) => ({ at: '2026-01-01T00:00:00.000Z', type: 'noted', data: one })),
  );
}

/** Stores a session with these events, the first of which is empty. */
export async function start(
  store: SessionStore,
  sid: string,
  ...data: readonly JsonObject[]
): Promise<JournalHead> {
  await store.putDefinition('definition', { id: 'review' });
  const events = sealed(sid, emptyJournal, [{}, ...data]);
  if (!(await store.create(newSession(sid), { events }))) throw new Error(`the id ${sid} is taken`);
  return events.at(-1) ?? emptyJournal;
}

/** Adds events and returns the new head, or `undefined` if another write came first. */
export async function push(
  store: SessionStore,
  sid: string,
  write: { readonly head: JournalHead; readonly data: readonly JsonObject[] } & Partial<SessionWrite>,
): Promise<JournalHead | undefined> {
  const { head, data, ...more } = write;
  const events = sealed(sid, head, data);
  return (await store.append(sid, head.revision, { ...more, events })) ? events.at(-1) : undefined;
}
