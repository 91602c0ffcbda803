import type { JsonObject } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';
import type { PageStart } from '../sessions/checked-store.ts';
import { pageCursor, wordsOf } from '../sessions/checked-store.ts';
import type {
  IndexEntry,
  IndexGap,
  Seals,
  SessionCounts,
  SessionPage,
  SessionQuery,
} from '../sessions/session-store.ts';
import { each, inTurns } from '../pauses.ts';
import type { SqlRow, SqlValue } from './stored-sessions.ts';
import { isAtEnd, toSession, sealOf } from './stored-sessions.ts';

type Clause = readonly [sql: string, ...values: readonly SqlValue[]];

/** The SQL that differs between databases. Each part has one `?`. */
export interface FindDialect {
  /** Whether the text of a column is in a JSON array. */
  readonly isIn: (column: string) => string;
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
    ...listClauses(query, dialect),
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

function listClauses({ statuses, sids }: SessionQuery, { isIn }: FindDialect): readonly Clause[] {
  return [
    ...(statuses === undefined ? [] : [[isIn('status'), JSON.stringify(statuses)] as const]),
    ...(sids === undefined ? [] : [[isIn('sid'), JSON.stringify(sids)] as const]),
  ];
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
 * Counts sessions by status with indexes only. The index of statuses leaves out active sessions, which keeps the most
 * common write cheap. The number of active sessions is the total minus the others.
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

export const indexTextColumns = ['sid', 'title', 'outcome', 'tags', 'figures', 'seal'] as const;
export const indexNumberColumns = ['version', 'revision', 'calls'] as const;

/** The columns of an entry in the order of {@link indexValues}. */
export const indexColumns = [
  'sid',
  'version',
  'revision',
  'calls',
  'title',
  'outcome',
  'tags',
  'figures',
  'text',
  'seal',
] as const;

/** Returns the values of the columns of an entry. */
export function indexValues(seals: Seals, version: number, entry: IndexEntry): readonly SqlValue[] {
  const { sid, revision, calls, title, outcome, text } = entry;
  const tags = entry.tags.length === 0 ? '' : `\n${entry.tags.join('\n')}\n`;
  const sealed = [sid, version, revision, calls, title, outcome, tags, JSON.stringify(entry.figures)];
  return [...sealed, text, seals.make('index', sealed)];
}

/**
 * Converts rows into entries, in short parts. Leaves out those that somebody changed in the database or that were sealed
 * with a lost key, and passes their ids to `drop`, so that they are derived again.
 */
export async function toEntries(
  seals: Seals,
  rows: readonly SqlRow[],
  drop: (sids: readonly string[]) => Promise<void>,
): Promise<readonly Omit<IndexEntry, 'text'>[]> {
  const entries = await inTurns(each(rows, (row) => toEntry(seals, row)));
  const broken = rows.filter((_, at) => entries[at] === undefined).map((row) => String(row['sid']));
  if (broken.length > 0 && (seals.isPlain || seals.hasKeys())) await drop(broken);
  return entries.flatMap((entry) => entry ?? []);
}

function toEntry(seals: Seals, row: SqlRow): Omit<IndexEntry, 'text'> | undefined {
  const [sid, title, outcome] = [String(row['sid']), String(row['title']), String(row['outcome'])];
  const [version, revision] = [Number(row['version']), Number(row['revision'])];
  const [tags, figures] = [String(row['tags']), String(row['figures'])];
  const calls = Number(row['calls']);
  const sealed = [sid, version, revision, calls, title, outcome, tags, figures];
  if (seals.judge('index', sealed, sealOf(row)) !== 'genuine') return undefined;
  const value = parsed(figures);
  return { sid, revision, calls, title, outcome, tags: tags.split('\n').filter(Boolean), figures: value };
}

function parsed(text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  return isJsonObject(value) ? value : {};
}

/**
 * Selects sessions whose entry is missing or outdated. The number of the last call takes the place of the number of
 * calls, because a database may number the calls of all sessions together.
 */
export const selectOutdated = (sid: string): string => `
  SELECT ${sid}, found.revision, found.calls FROM (
    SELECT sessions.sid, sessions.revision, sessions.updated_at,
      coalesce((SELECT max(n) FROM calls WHERE calls.sid = sessions.sid), 0) AS calls
    FROM sessions
  ) AS found LEFT JOIN session_index AS entry ON entry.sid = found.sid
  WHERE entry.sid IS NULL OR entry.version <> ? OR entry.revision <> found.revision OR entry.calls <> found.calls
  ORDER BY found.updated_at DESC, found.sid DESC LIMIT ?`;

export function toGap(row: SqlRow): IndexGap {
  return { sid: String(row['sid']), revision: Number(row['revision']), calls: Number(row['calls']) };
}
