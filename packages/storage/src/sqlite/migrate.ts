import { damagedStore } from '../sql/damaged-store.ts';
import { newerSchema } from '../sql/newer-schema.ts';
import type { SqliteDatabase } from './driver.ts';

/** Takes the steps a database lacks, all in one transaction. One that has more than this program knows is refused. */
export function migrate(db: SqliteDatabase, steps: readonly string[]): void {
  if (versionOf(db, steps) === steps.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have taken the steps while this one waited for its turn.
    for (const step of steps.slice(versionOf(db, steps))) db.exec(step);
    db.run('UPDATE meta SET schema_version = ?', [steps.length]);
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

/** Makes a file a database of ours, without any step taken. */
export function found(db: SqliteDatabase): void {
  db.exec(`
    CREATE TABLE meta (schema_version INTEGER NOT NULL) STRICT;
    INSERT INTO meta (schema_version) VALUES (0);
  `);
}

function versionOf(db: SqliteDatabase, steps: readonly string[]): number {
  const version = db.all('SELECT schema_version AS version FROM meta')[0]?.['version'];
  if (typeof version !== 'number' || version < 0) throw damagedStore('it has no schema version');
  if (version > steps.length) throw newerSchema({ found: version, known: steps.length }, 'state directory');
  return version;
}
