import type { JsonObject } from '@workflowlookup/schema';
import type { JournalHead, NewSession, SessionStore, SessionWrite } from '@workflowlookup/storage';
import { emptyJournal, sealEvents } from '@workflowlookup/storage/journal';

/** A session on the definition `definition`. */
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

/** Sealed events after a head, all of one moment. */
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

/** Keeps a session with these events, the first one is empty. */
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

/** Adds events and gives the new head; `undefined` where the race was lost. */
export async function push(
  store: SessionStore,
  sid: string,
  write: { readonly head: JournalHead; readonly data: readonly JsonObject[] } & Partial<SessionWrite>,
): Promise<JournalHead | undefined> {
  const { head, data, ...more } = write;
  const events = sealed(sid, head, data);
  return (await store.append(sid, head.revision, { ...more, events })) ? events.at(-1) : undefined;
}
