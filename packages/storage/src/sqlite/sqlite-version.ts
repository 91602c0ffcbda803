/** The first SQLite whose write-ahead log can't be corrupted by two connections that reset it at once. */
const soundLog = '3.51.3';

/** Whether many processes may write ahead with this version of SQLite. */
export function hasSoundLog(version: string): boolean {
  const [have, need] = [version, soundLog].map((text) => text.split('.').map(Number));
  for (const [index, part] of (need ?? []).entries()) {
    const difference = (have?.[index] ?? 0) - part;
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** The journal mode a database is made with. */
export function journalModeOf(version: string): 'WAL' | 'TRUNCATE' {
  return hasSoundLog(version) ? 'WAL' : 'TRUNCATE';
}
