import type { PageStart } from '../sessions/checks.ts';
import { pageCursor } from '../sessions/checks.ts';
import type { Seals, SessionCounts, SessionPage, SessionQuery } from '../sessions/session-store.ts';
import { wordsOf } from '../utilities.ts';
import type { SqlRow, SqlValue } from './stored-session.ts';
import { isAtEnd, toSession } from './stored-session.ts';

type Clause = readonly [sql: string, ...values: readonly SqlValue[]];

/** The SQL that differs between databases. Each part has one `?`. */
export interface FindDialect {
  /** Whether the status is in a JSON array. */
  readonly hasStatus: string;
  /** Whether a column contains a text, ignoring the case of the letters A to Z. */
  readonly mentions: (column: string) => string;
  /** Whether a column contains a text exactly. */
  readonly contains: (column: string) => string;
}

/** Returns the end of the SELECT that finds the sessions of a page and the one after it. */
export function findClauses(
  query: SessionQuery,
  page: PageStart,
  dialect: FindDialect,
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const clauses = [...queryClauses(query, dialect), ...cursorClause(page)];
  const where = clauses.map(([sql]) => sql).join(' AND ') || 'TRUE';
  return {
    sql: `WHERE ${where} ORDER BY sessions.updated_at DESC, sessions.sid DESC LIMIT ?`,
    values: [...clauses.flatMap(([, ...values]) => values), page.limit + 1],
  };
}

/** Returns the SELECT for the ids of all sessions that a query finds. */
export function selectFound(
  query: SessionQuery,
  dialect: FindDialect,
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const clauses = queryClauses(query, dialect);
  const where = clauses.map(([sql]) => sql).join(' AND ') || 'TRUE';
  return {
    sql: `SELECT sessions.sid FROM sessions WHERE ${where}`,
    values: clauses.flatMap(([, ...values]) => values),
  };
}

function queryClauses(query: SessionQuery, dialect: FindDialect): readonly Clause[] {
  return [
    ...comparedClauses(query),
    ...statusClause(query, dialect),
    ...textClause(query, dialect),
    ...endClause(query),
    ...agentClause(query, dialect),
    ...searchClauses(query, dialect),
    ...tagClauses(query, dialect),
  ];
}

/** Makes a page from the rows that {@link findClauses} found. */
export function toPage(seals: Seals, rows: readonly SqlRow[], { limit }: PageStart): SessionPage {
  const sessions = rows.slice(0, limit).map((row) => toSession(seals, row));
  const last = sessions.at(-1);
  return { sessions, ...(rows.length > limit && last && { next: pageCursor(last) }) };
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

function statusClause({ statuses }: SessionQuery, { hasStatus }: FindDialect): readonly Clause[] {
  return statuses === undefined ? [] : [[hasStatus, JSON.stringify(statuses)]];
}

const searched = ['sid', 'workflow_id', 'principal', 'agent', "coalesce(project, '')"];

function textClause({ text }: SessionQuery, { mentions }: FindDialect): readonly Clause[] {
  if (text === undefined) return [];
  return [[`(${searched.map(mentions).join(' OR ')})`, ...searched.map(() => text)]];
}

function agentClause({ agentPart }: SessionQuery, { mentions }: FindDialect): readonly Clause[] {
  return agentPart === undefined ? [] : [[mentions('agent'), agentPart]];
}

function searchClauses(
  { search = '' }: SessionQuery,
  { mentions, contains }: FindDialect,
): readonly Clause[] {
  return wordsOf(search).map((word) => [
    `(${[...searched.map(mentions), inEntry(contains('entry.text'))].join(' OR ')})`,
    ...searched.map(() => word),
    word,
  ]);
}

function tagClauses({ tags = [] }: SessionQuery, { contains }: FindDialect): readonly Clause[] {
  return tags.map((tag) => [inEntry(contains('entry.tags')), `\n${tag}\n`]);
}

function inEntry(condition: string): string {
  return `EXISTS (SELECT 1 FROM session_index AS entry WHERE entry.sid = sessions.sid AND ${condition})`;
}

function endClause({ isAtEnd: wanted }: SessionQuery): readonly Clause[] {
  return wanted === undefined ? [] : [[`(${isAtEnd}) IS ${wanted ? 'TRUE' : 'NOT TRUE'}`]];
}

function cursorClause({ before }: PageStart): readonly Clause[] {
  return before === undefined ? [] : [['(updated_at, sid) < (?, ?)', before.updatedAt, before.sid]];
}

/**
 * Counts sessions by status from indexes alone. The index of statuses does not include active sessions, which keeps the
 * common write cheap; their number is the rest of all.
 */
export const countSessions = `
  SELECT 'all' AS status, count(*) AS n FROM sessions
  UNION ALL
  SELECT status, count(*) AS n FROM sessions WHERE status <> 'active' GROUP BY status`;

/** Counts the sessions of one principal, which is bound to `mark`. */
export const countSessionsOf = (mark: '?' | '$1'): string =>
  `SELECT status, count(*) AS n FROM sessions WHERE principal = ${mark} GROUP BY status`;

/** Converts the rows of {@link countSessions} or {@link countSessionsOf}. */
export function toCounts(rows: readonly SqlRow[]): SessionCounts {
  const found = new Map(rows.map(({ status, n }) => [status, Number(n)]));
  const blocked = found.get('blocked') ?? 0;
  const parked = found.get('parked') ?? 0;
  const completed = found.get('completed') ?? 0;
  const active = found.get('active') ?? (found.get('all') ?? 0) - blocked - parked - completed;
  return { active: Math.max(0, active), blocked, parked, completed };
}
