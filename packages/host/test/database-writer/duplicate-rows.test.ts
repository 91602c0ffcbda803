import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { expect, it, onTestFinished } from 'vitest';
import { otherConnection } from '../../../storage/test/support/other-connection.ts';
import { fill, keys, problemsIn } from '../support/filled-store.ts';

const damaged = { code: 'STORE_DAMAGED', data: { reason: 'corrupt' } };

/**
 * A filled database whose tables have lost their primary keys, so that a row can exist twice. The seal of the copy is valid
 * because it was copied with the row.
 */
async function withoutUniqueKeys() {
  const folder = await mkdtemp(join(tmpdir(), 'duplicate-rows-'));
  const file = join(folder, 'sessions.db');
  const open = () => createSqliteSessionStore({ file, keys: () => keys, delayMs: 1 });
  const first = open();
  await fill(first);
  const { sid = '' } = (await first.find({ statuses: ['blocked'] })).sessions[0] ?? {};
  await first.close();
  const other = otherConnection(file);
  other.exec('PRAGMA foreign_keys=OFF');
  for (const table of ['sessions', 'events'])
    other.exec(`CREATE TABLE again AS SELECT * FROM ${table}; DROP TABLE ${table};
      ALTER TABLE again RENAME TO ${table}`);
  const store = open();
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  expect(await problemsIn(store)).toEqual([]);
  return { store, other, sid };
}

it('A session whose last event exists twice is refused', async () => {
  const { store, other, sid } = await withoutUniqueKeys();
  const { events = [] } = (await store.load(sid)) ?? {};
  expect(events.length).toBeLessThanOrEqual(3);
  other.run(
    'INSERT INTO events SELECT * FROM events WHERE sid = ? AND revision = (SELECT max(revision) FROM events WHERE sid = ?)',
    [sid, sid],
  );
  await expect(store.events(sid)).rejects.toMatchObject(damaged);
  other.run('UPDATE sessions SET state = NULL, state_revision = NULL, state_seal = NULL WHERE sid = ?', [
    sid,
  ]);
  await expect(store.load(sid)).rejects.toMatchObject(damaged);
  expect(await problemsIn(store)).toContain('BROKEN_CHAIN');
});

it('A session with a second row, such as an older one, is refused, and verify reports it', async () => {
  const { store, other, sid } = await withoutUniqueKeys();
  other.run('INSERT INTO sessions SELECT * FROM sessions WHERE sid = ?', [sid]);
  await expect(store.load(sid)).rejects.toMatchObject(damaged);
  await expect(store.events(sid)).rejects.toMatchObject(damaged);
  expect(await problemsIn(store)).toEqual(['UNREADABLE']);
});
