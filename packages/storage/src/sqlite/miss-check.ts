import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';
import { damagedStore } from './storage-failure.ts';

/** A look at all sessions takes time that callers with made-up ids must not cost. */
const restMs = 60_000;

/**
 * Makes the check that runs where a session was not found: a damaged index finds nothing, and that must not look
 * like a session that never was. An intact one is trusted for a minute.
 */
export function createMissCheck(): (db: SqliteDatabase) => undefined {
  let trustedUntil = -Infinity;
  return (db) => {
    if (performance.now() < trustedUntil) return undefined;
    const [first] = db.all(
      `SELECT ${textColumns('integrity_check')} FROM pragma_integrity_check('sessions')`,
    );
    if (first?.['integrity_check'] !== 'ok') throw damagedStore('the index of its sessions is broken');
    trustedUntil = performance.now() + restMs;
    return undefined;
  };
}
