import type { Seals, SessionPage, SessionQuery } from '../session-store.ts';
import type { PageStart } from '../sessions/page-cursor.ts';
import { pageCursor } from '../sessions/page-cursor.ts';
import { isAtEnd } from './is-at-end.ts';
import type { SqlRow, SqlValue } from './sql-row.ts';
import { toSession } from './stored-session.ts';

/** A part of a WHERE clause, with `?` for each of what is bound in it. */
type Clause = readonly [sql: string, ...values: readonly SqlValue[]];

/** Where databases differ; each has one `?`. */
export interface FindDialect {
  /** Whether the status is in a JSON array of them. */
  readonly hasStatus: string;
  /** Whether a column has a text in it, of letters only A to Z equal to a to z. */
  readonly mentions: (column: string) => string;
}

/** What follows `SELECT …` to find the sessions of a page and the one after it. */
export function findClauses(
  query: SessionQuery,
  page: PageStart,
  dialect: FindDialect,
): { readonly sql: string; readonly values: readonly SqlValue[] } {
  const clauses = [
    ...comparedClauses(query),
    ...statusClause(query, dialect),
    ...textClause(query, dialect),
    ...endClause(query),
    ...placeClause(page),
  ];
  const where = clauses.map(([sql]) => sql).join(' AND ') || 'TRUE';
  return {
    sql: `WHERE ${where} ORDER BY sessions.updated_at DESC, sessions.sid DESC LIMIT ?`,
    values: [...clauses.flatMap(([, ...values]) => values), page.limit + 1],
  };
}

/** A page from what {@link findClauses} found. */
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

function endClause({ isAtEnd: wanted }: SessionQuery): readonly Clause[] {
  return wanted === undefined ? [] : [[`(${isAtEnd}) IS ${wanted ? 'TRUE' : 'NOT TRUE'}`]];
}

function placeClause({ before }: PageStart): readonly Clause[] {
  return before === undefined ? [] : [['(updated_at, sid) < (?, ?)', before.updatedAt, before.sid]];
}
