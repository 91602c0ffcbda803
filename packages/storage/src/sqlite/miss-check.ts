import { damagedStore } from '../sql/damaged-store.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';

/** A look at a whole table takes time that callers with made-up ids must not cost. */
const restMs = 60_000;

/** Looks whether a table is intact; gives what was found in it: nothing. */
export type MissCheck = (db: SqliteDatabase, table: Checked) => undefined;

type Checked = 'sessions' | 'definitions' | 'blobs' | 'api_keys' | 'revoked_ids';

/**
 * Makes the check that runs where something was not found: a damaged index finds nothing, and that must not look
 * like something that never was. A table that is intact is trusted for a minute.
 */
export function createMissCheck(): MissCheck {
  const trustedUntil = new Map<string, number>();
  return (db, table) => {
    if (performance.now() < (trustedUntil.get(table) ?? -Infinity)) return undefined;
    const [first] = db.all(`SELECT ${textColumns('integrity_check')} FROM pragma_integrity_check(?)`, [
      table,
    ]);
    if (first?.['integrity_check'] !== 'ok') throw damagedStore(`the index of its ${table} is broken`);
    trustedUntil.set(table, performance.now() + restMs);
    return undefined;
  };
}
