import { onTestFinished } from 'vitest';
import type { SqliteDatabase } from '../../src/sqlite/driver.ts';
import { loadDriver, preferredDriver } from '../../src/sqlite/load-driver.ts';

/** The SQLite that a store uses here. */
export const driver = await loadDriver(preferredDriver(process.versions));

/** A connection of another process, as far as SQLite can tell; it is closed after the test. */
export function otherConnection(file: string): SqliteDatabase {
  const db = driver.open(file);
  onTestFinished(() => db.close());
  return db;
}
