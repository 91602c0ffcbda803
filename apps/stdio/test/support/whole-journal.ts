import { join } from 'node:path';
import { loadKeyRing } from '@workflowlookup/host';
import type { InspectedSession, JournalEvent, SealKeys, SessionStore } from '@workflowlookup/storage';
import { verifyChain } from '@workflowlookup/storage/journal';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { expect } from 'vitest';

/** Returns the keys of servers whose WORKFLOWLOOKUP_KEYS is this value. */
export function sharedKeys(spelled: string): () => SealKeys {
  const environment = { WORKFLOWLOOKUP_KEYS: spelled };
  // Keys from the environment need no folder.
  return () => loadKeyRing({ stateDirectory: '', environment });
}

/** Reads and verifies the events of a session from the database of a state directory. */
export async function wholeJournal(stateDirectory: string, sid: string): Promise<readonly JournalEvent[]> {
  const file = join(stateDirectory, 'sessions.db');
  const keys = (): SealKeys => loadKeyRing({ stateDirectory });
  return wholeJournalIn(createSqliteSessionStore({ file, keys }), sid);
}

/** Reads and verifies the events of a session from a store with the keys of the servers, and closes the store. */
export async function wholeJournalIn(store: SessionStore, sid: string): Promise<readonly JournalEvent[]> {
  try {
    const [loaded, events] = [await store.load(sid), await store.events(sid)];
    const revision = loaded?.session.revision;
    expect(revision).toBe(events.length);
    expect(loaded?.snapshot?.revision).toBe(revision);
    expect(verifyChain(sid, events)).toMatchObject({ ok: true, head: { revision } });
    await expectSealed(store, sid);
    return events;
  } finally {
    await store.close();
  }
}

/** Checks that every record of a session was sealed by a server with the keys of this store. */
export async function expectSealed(store: SessionStore, sid: string): Promise<void> {
  expect(store.seals?.hasKeys(), 'keys to check seals with').toBe(true);
  const found = await store.inspect?.(sid);
  const { session, snapshot, definition } = found ?? {};
  const wrong = [session, snapshot, definition, ...rowsOf(found)].filter((one) => one?.verdict !== 'genuine');
  expect(wrong, 'records without a genuine seal').toEqual([]);
  expect(found?.events.length).toBe(session?.value.revision);
}

function rowsOf(found: InspectedSession | undefined): readonly { readonly verdict: string }[] {
  if (found === undefined) return [];
  const { events, calls, commands, agents, deliveries } = found;
  return [...events, ...calls, ...commands, ...agents, ...deliveries];
}

/** Returns the outputs of the manifest in an event. */
export function outputsOf({ data }: JournalEvent): readonly string[] {
  const manifest = (data['manifest'] ?? []) as readonly { readonly output: string }[];
  return manifest.map(({ output }) => output);
}
