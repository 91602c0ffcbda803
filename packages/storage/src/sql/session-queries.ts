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

function queryClauses(query: SessionQuery, dialect: Dialect): Clause[] {
  return [
    ...comparedClauses(query),
    ...listClauses(query, dialect),
    ...textClause(query, dialect),
    ...endClause(query),
    ...agentClause(query, dialect),
    ...searchClauses(query, dialect),
    ...tagClauses(query, dialect),
  ];
}

function comparedClauses(query: SessionQuery): readonly Clause[] {
  const { workflowId, principal, agent, parentSid, project, updatedBefore, updatedSince } = query;
  const compared: readonly (readonly [string, string | undefined])[] = [
    ['workflow_id = ?', workflowId],
    ['principal = ?', principal],
    ['agent = ?', agent],
    ['parent_sid = ?', parentSid],
    ['project = ?', project],
    ['updated_at < ?', updatedBefore],
    ['updated_at >= ?', updatedSince],
  ];
  return compared.flatMap(([sql, value]): Clause[] => (value === undefined ? [] : [[sql, value]]));
}

function listClauses({ statuses, sids }: SessionQuery, { isIn }: Dialect): readonly Clause[] {
  return [
    ...(statuses === undefined ? [] : [[isIn('status'), JSON.stringify(statuses)] as const]),
    ...(sids === undefined ? [] : [[isIn('sid'), JSON.stringify(sids)] as const]),
  ];
}

const searched = ['sid', 'workflow_id', 'principal', 'agent', "coalesce(project, '')"];

function textClause({ text }: SessionQuery, { mentions }: Dialect): readonly Clause[] {
  if (text === undefined) return [];
  return [[`(${searched.map(mentions).join(' OR ')})`, ...searched.map(() => text)]];
}

function agentClause({ agentPart }: SessionQuery, { mentions }: Dialect): readonly Clause[] {
  return agentPart === undefined ? [] : [[mentions('agent'), agentPart]];
}

function searchClauses({ search = '' }: SessionQuery, { mentions, contains }: Dialect): readonly Clause[] {
  return wordsOf(search).map((word) => [
    `(${[...searched.map(mentions), inEntry(contains('entry.text'))].join(' OR ')})`,
    ...searched.map(() => word),
    word,
  ]);
}

function tagClauses({ tags = [] }: SessionQuery, { contains }: Dialect): readonly Clause[] {
  return tags.map((tag) => [inEntry(contains('entry.tags')), `\n${tag}\n`]);
}

function inEntry(condition: string): string {
  return `EXISTS (SELECT 1 FROM session_index AS entry WHERE entry.sid = sessions.sid AND ${condition})`;
}

function endClause({ isAtEnd: wanted }: SessionQuery): readonly Clause[] {
  return wanted === undefined ? [] : [[`(${isAtEnd}) IS ${wanted ? 'TRUE' : 'NOT TRUE'}`]];
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
