import { join } from 'node:path';
import type { JournalEvent, SessionStore } from '@workflowlookup/storage';
import { verifyChain } from '@workflowlookup/storage/journal';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { expect } from 'vitest';

/** The events of a session, read from the database of a state directory by somebody else, once they are seen to be whole. */
export async function wholeJournal(stateDirectory: string, sid: string): Promise<readonly JournalEvent[]> {
  return wholeJournalIn(createSqliteSessionStore({ file: join(stateDirectory, 'sessions.db') }), sid);
}

/** The same from a store, which is then closed. */
export async function wholeJournalIn(store: SessionStore, sid: string): Promise<readonly JournalEvent[]> {
  try {
    const [loaded, events] = [await store.load(sid), await store.events(sid)];
    const revision = loaded?.session.revision;
    expect(revision).toBe(events.length);
    expect(loaded?.snapshot?.revision).toBe(revision);
    expect(verifyChain(sid, events)).toMatchObject({ ok: true, head: { revision } });
    return events;
  } finally {
    await store.close();
  }
}

/** The outputs an event keeps of the manifest it was written with. */
export function outputsOf({ data }: JournalEvent): readonly string[] {
  const manifest = (data['manifest'] ?? []) as readonly { readonly output: string }[];
  return manifest.map(({ output }) => output);
}
