import type { SessionPage, SessionQuery } from '../session-store.ts';
import { checkTexts } from '../sessions/check-write.ts';
import type { PageStart } from '../sessions/page-cursor.ts';
import { pageCursor } from '../sessions/page-cursor.ts';
import type { SqliteDatabase, SqlValue } from './driver.ts';
import { sessionColumns, toSession } from './session-rows.ts';

/** A part of a WHERE clause, and what is bound in it. */
type Clause = readonly [sql: string, ...values: readonly SqlValue[]];

/** A page of the sessions that a query finds. */
export function findSessions(db: SqliteDatabase, query: SessionQuery, page: PageStart): SessionPage {
  checkTexts(query);
  const clauses = [...clausesOf(query), ...placeClause(page)];
  const where = clauses.map(([sql]) => sql).join(' AND ') || 'TRUE';
  const rows = db.all(
    `SELECT ${sessionColumns} FROM sessions WHERE ${where} ORDER BY sessions.updated_at DESC, sessions.sid DESC LIMIT ?`,
    [...clauses.flatMap(([, ...values]) => values), page.limit + 1],
  );
  const sessions = rows.slice(0, page.limit).map(toSession);
  const last = sessions.at(-1);
  return { sessions, ...(rows.length > page.limit && last && { next: pageCursor(last) }) };
}

function clausesOf(query: SessionQuery): readonly Clause[] {
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
  return [
    ...compared.flatMap(([sql, value]): Clause[] => (value === undefined ? [] : [[sql, value]])),
    ...statusClause(query),
    ...textClause(query),
  ];
}

function statusClause({ statuses }: SessionQuery): readonly Clause[] {
  if (statuses === undefined) return [];
  return [['status IN (SELECT value FROM json_each(?))', JSON.stringify(statuses)]];
}

const searched = ['sid', 'workflow_id', 'principal', 'agent', "coalesce(project, '')"];

function textClause({ text }: SessionQuery): readonly Clause[] {
  if (text === undefined) return [];
  const sql = searched.map((column) => `instr(lower(${column}), lower(?)) > 0`).join(' OR ');
  return [[`(${sql})`, ...searched.map(() => text)]];
}

function placeClause({ before }: PageStart): readonly Clause[] {
  return before === undefined ? [] : [['(updated_at, sid) < (?, ?)', before.updatedAt, before.sid]];
}
