import type { JsonObject } from '@workflowlookup/schema';
import type { StoreHealth } from '../session-store.ts';
import type { Connection } from './connection.ts';
import type { SqliteDatabase } from './driver.ts';
import { lastPosition } from './event-rows.ts';

/** Whether a SQLite store answers. A database that nobody needed yet is not made for this. */
export async function healthOf(connection: Connection, waiting: number): Promise<StoreHealth> {
  const adapter = 'sqlite';
  try {
    const { name, version } = await connection.driver();
    const facts = { driver: name, sqlite: version, waiting };
    if (!connection.isMade()) return { ok: true, adapter, lastChange: 0, facts };
    const state = await connection.read((db) => ({ lastChange: lastPosition(db), own: databaseFacts(db) }));
    return { ok: true, adapter, lastChange: state.lastChange, facts: { ...facts, ...state.own } };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { ok: false, adapter, lastChange: 0, facts: { waiting }, problem };
  }
}

function databaseFacts(db: SqliteDatabase): JsonObject {
  return {
    journalMode: db.all('PRAGMA journal_mode')[0]?.['journal_mode'] as string,
    schemaVersion: db.all('SELECT schema_version FROM meta')[0]?.['schema_version'] as number,
  };
}
