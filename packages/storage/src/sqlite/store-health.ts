import type { JsonObject } from '@workflowlookup/schema';
import type { StoreHealth } from '../session-store.ts';
import type { Probe, WriteWatch } from '../sql/write-watch.ts';
import { unwell } from '../sql/write-watch.ts';
import type { Connection } from './connection.ts';
import type { SqliteDatabase } from './driver.ts';
import { lastPosition } from './event-rows.ts';

/** Whether a SQLite store answers, and takes writes again where one has failed. A database that nobody needed yet is not made for this. */
export async function healthOf(
  connection: Connection,
  watch: WriteWatch,
  waiting: number,
): Promise<StoreHealth> {
  const adapter = 'sqlite';
  try {
    const { name, version } = await connection.driver();
    const facts = { driver: name, sqlite: version, waiting };
    if (!connection.isMade()) return { ok: true, adapter, lastChange: 0, facts };
    await watch.check();
    const state = await connection.read((db) => ({ lastChange: lastPosition(db), own: databaseFacts(db) }));
    return { ok: true, adapter, lastChange: state.lastChange, facts: { ...facts, ...state.own } };
  } catch (error) {
    return unwell(error, { adapter, facts: { waiting } });
  }
}

function databaseFacts(db: SqliteDatabase): JsonObject {
  return {
    journalMode: db.all('PRAGMA journal_mode')[0]?.['journal_mode'] as string,
    schemaVersion: db.all('SELECT schema_version FROM meta')[0]?.['schema_version'] as number,
  };
}

/** Keeps a probe among the values and removes it; one that stays is pruned with what nothing refers to. */
export async function writeProbe(connection: Connection, { id, text }: Probe): Promise<void> {
  const at = new Date().toISOString();
  await connection.write((db) =>
    db.run('INSERT INTO blobs (digest, value, put_at) VALUES (?, ?, ?)', [id, text, at]),
  );
  await connection.write((db) => db.run('DELETE FROM blobs WHERE digest = ?', [id]));
}
