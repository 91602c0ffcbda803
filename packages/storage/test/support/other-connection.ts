import { onTestFinished } from 'vitest';
import type { SqliteDatabase } from '../../src/sql/sqlite/driver.ts';
import { loadDriver, preferredDriver } from '../../src/sql/sqlite/driver.ts';

/** The SQLite that stores use on this machine. */
export const driver = await loadDriver(preferredDriver(process.versions));

/** Opens a connection like that of another process. It is closed after the test. */
export function otherConnection(file: string): SqliteDatabase {
  const db = driver.open(file);
  onTestFinished(() => db.close());
  return db;
}
