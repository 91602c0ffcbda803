import { pageCursor, pageStart, wordsOf } from '../sessions/checked-store.ts';
import type { JournalMethods } from '../sessions/checked-store.ts';
import type { Seals, SessionCounts, SessionQuery } from '../sessions/session-store.ts';
import { toCommand } from './contents.ts';
import type { Database, Dialect } from './database.ts';
import type { SqlRow, SqlValue } from './stored-sessions.ts';
import { isAtEnd, toSession } from './stored-sessions.ts';

type Clause = readonly [sql: string, ...values: readonly SqlValue[]];

/** The methods of a store that find sessions, count them and return the results of commands. */
export function queryMethods(
  db: Database,
  seals: Seals,
): Pick<JournalMethods, 'recorded' | 'find' | 'counts'> {
  const { dialect } = db;
  const command = `SELECT ${dialect.texts('key', 'result', 'seal')} FROM commands WHERE sid = ? AND key = ?`;
  return {
    async recorded(sid, key) {
      const [row] = await db.select(command, [sid, key]);
      return row && toCommand(seals, sid, row);
    },
    async find(query, page = {}) {
      const { limit, before } = pageStart(page);
      const clauses = queryClauses(query, dialect);
      if (before !== undefined) clauses.push(['(updated_at, sid) < (?, ?)', before.updatedAt, before.sid]);
      const { where, values } = joined(clauses);
      const found = await db.selectOnce(
        `SELECT ${dialect.sessionColumns} FROM sessions WHERE ${where}
         ORDER BY sessions.updated_at DESC, sessions.sid DESC LIMIT ?`,
        [...values, limit + 1],
      );
      const sessions = found.slice(0, limit).map((row) => toSession(seals, row));
      const last = sessions.at(-1);
      return { sessions, ...(found.length > limit && last && { next: pageCursor(last) }) };
    },
    async counts(principal) {
      if (!db.isMade()) return toCounts([]);
      return toCounts(
        await (principal === undefined ? db.select(countSessions) : db.select(countSessionsOf, [principal])),
      );
    },
  };
}

/** Returns the SELECT for the ids of all sessions that a query finds. */
export function selectFound(
  query: SessionQuery,
  dialect: Dialect,
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const { where, values } = joined(queryClauses(query, dialect));
  return { sql: `SELECT sessions.sid FROM sessions WHERE ${where}`, values };
}

function joined(clauses: readonly Clause[]): {
  readonly where: string;
  readonly values: readonly SqlValue[];
} {
  return {
    where: clauses.map(([sql]) => sql).join(' AND ') || 'TRUE',
    values: clauses.flatMap(([, ...values]) => values),
  };
}

function queryClauses(query: SessionQuery, { isIn, mentions, contains }: Dialect): Clause[] {
  const { statuses, sids, text, search = '', tags = [], isAtEnd: wanted } = query;
  const compared: readonly (readonly [sql: string, value: string | undefined])[] = [
    ['workflow_id = ?', query.workflowId],
    ['principal = ?', query.principal],
    ['agent = ?', query.agent],
    ['parent_sid = ?', query.parentSid],
    ['project = ?', query.project],
    ['updated_at < ?', query.updatedBefore],
    ['updated_at >= ?', query.updatedSince],
    [isIn('status'), statuses && JSON.stringify(statuses)],
    [isIn('sid'), sids && JSON.stringify(sids)],
    [mentions('agent'), query.agentPart],
  ];
  const clauses = compared.flatMap(([sql, value]): Clause[] => (value === undefined ? [] : [[sql, value]]));
  if (text !== undefined)
    clauses.push([`(${searched.map(mentions).join(' OR ')})`, ...searched.map(() => text)]);
  for (const word of wordsOf(search)) {
    const places = [...searched.map(mentions), inEntry(contains('entry.text'))];
    clauses.push([`(${places.join(' OR ')})`, ...places.map(() => word)]);
  }
  for (const tag of tags) clauses.push([inEntry(contains('entry.tags')), `\n${tag}\n`]);
  if (wanted !== undefined) clauses.push([`(${isAtEnd}) IS ${wanted ? 'TRUE' : 'NOT TRUE'}`]);
  return clauses;
}

/** The columns that a text is searched in. */
const searched = ['sid', 'workflow_id', 'principal', 'agent', "coalesce(project, '')"];

function inEntry(condition: string): string {
  return `EXISTS (SELECT 1 FROM session_index AS entry WHERE entry.sid = sessions.sid AND ${condition})`;
}

/**
 * Counts sessions by status with indexes only. The index of statuses leaves out active sessions, which keeps the most
 * common write cheap. The number of active sessions is the total minus the others.
 */
export const countSessions = `
  SELECT 'all' AS status, count(*) AS n FROM sessions
  UNION ALL
  SELECT status, count(*) AS n FROM sessions WHERE status <> 'active' GROUP BY status`;

const countSessionsOf = 'SELECT status, count(*) AS n FROM sessions WHERE principal = ? GROUP BY status';

function toCounts(rows: readonly SqlRow[]): SessionCounts {
  const found = new Map(rows.map(({ status, n }) => [status, Number(n)]));
  const blocked = found.get('blocked') ?? 0;
  const parked = found.get('parked') ?? 0;
  const completed = found.get('completed') ?? 0;
  const active = found.get('active') ?? (found.get('all') ?? 0) - blocked - parked - completed;
  return { active: Math.max(0, active), blocked, parked, completed };
}
