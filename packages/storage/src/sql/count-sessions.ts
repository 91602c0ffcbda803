import type { SessionCounts } from '../session-store.ts';
import type { SqlRow } from './sql-row.ts';

/**
 * Counts sessions by status, from indexes alone. Active ones are not in the index of statuses, so that an advance has no
 * more to write; they are what is left of all.
 */
export const countSessions = `
  SELECT 'all' AS status, count(*) AS n FROM sessions
  UNION ALL
  SELECT status, count(*) AS n FROM sessions WHERE status <> 'active' GROUP BY status`;

/** The same of one principal, whose name takes the place of `mark`. */
export const countSessionsOf = (mark: '?' | '$1'): string =>
  `SELECT status, count(*) AS n FROM sessions WHERE principal = ${mark} GROUP BY status`;

/** What {@link countSessions} or {@link countSessionsOf} found. */
export function toCounts(rows: readonly SqlRow[]): SessionCounts {
  const found = new Map(rows.map(({ status, n }) => [status, Number(n)]));
  const blocked = found.get('blocked') ?? 0;
  const completed = found.get('completed') ?? 0;
  const active = found.get('active') ?? (found.get('all') ?? 0) - blocked - completed;
  return { active: Math.max(0, active), blocked, completed };
}
