import type { JsonObject } from '@workflowlookup/schema';
import { each, inTurns } from '../pauses.ts';
import { pageCursor, pageStart, wordsOf } from '../sessions/checked-store.ts';
import type { JournalMethods } from '../sessions/checked-store.ts';
import type {
  IndexEntry,
  IndexGap,
  Seals,
  SessionCounts,
  SessionIndex,
  SessionQuery,
} from '../sessions/session-store.ts';
import { byCodeUnits } from '../workflow-store.ts';
import { toCommand } from './contents.ts';
import type { Database, Dialect } from './database.ts';
import { change } from './database.ts';
import type { SqlRow, SqlValue } from './stored-sessions.ts';
import { isAtEnd, sealOf, toSession } from './stored-sessions.ts';

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

/** Makes the index of a store, which searches read too. It does not create a database that does not exist. */
export function sessionIndex(db: Database, seals: Seals): SessionIndex {
  const { dialect } = db;
  const outdated = selectOutdated(dialect);
  const selected = [dialect.texts(...indexTextColumns), ...indexNumberColumns].join(', ');

  /** Returns the entries that a clause selects. Deletes those that are not genuine, so that they are derived again. */
  async function entriesWhere(clause: string, values: readonly SqlValue[]): Promise<readonly ShownEntry[]> {
    if (!db.isMade()) return [];
    const found = await db.selectOnce(`SELECT ${selected} FROM session_index WHERE ${clause}`, values);
    // In short parts, because there may be very many.
    const entries = await inTurns(each(found, (row) => toEntry(seals, row)));
    const broken = found.flatMap((row, at) => (entries[at] === undefined ? [String(row['sid'])] : []));
    if (broken.length > 0 && (seals.isPlain || seals.hasKeys()))
      await db.change(`DELETE FROM session_index WHERE ${dialect.isIn('sid')}`, [JSON.stringify(broken)]);
    return entries.flatMap((entry) => entry ?? []);
  }

  return {
    async outdated(version, limit) {
      if (!db.isMade()) return [];
      return (await db.selectOnce(outdated, [version, limit])).map(toGap);
    },
    async put(version, entries) {
      if (entries.length === 0) return;
      // In the order of their ids, so that two servers that store the same entries don't wait for each other forever.
      const ordered = entries.toSorted((a, b) => byCodeUnits(a.sid, b.sid));
      await db.write(function* () {
        for (const entry of ordered)
          yield* change(insertEntry, [...indexValues(seals, version, entry), entry.sid]);
      });
    },
    entries: async (sids) =>
      sids.length === 0 ? [] : entriesWhere(dialect.isIn('sid'), [JSON.stringify(sids)]),
    async select(query) {
      const { where, values } = joined(queryClauses(query, dialect));
      return entriesWhere(`sid IN (SELECT sessions.sid FROM sessions WHERE ${where})`, values);
    },
  };
}

type ShownEntry = Omit<IndexEntry, 'text'>;

const indexTextColumns = ['sid', 'title', 'outcome', 'tags', 'figures', 'seal'] as const;
const indexNumberColumns = ['version', 'revision', 'calls'] as const;

/** In the order of {@link indexValues}. */
const entryColumns = [
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

/** Stores an entry, unless its session was deleted. */
const insertEntry = `
  INSERT INTO session_index (${entryColumns.join(', ')})
  SELECT ${entryColumns.map(() => '?').join(', ')} FROM sessions WHERE sid = ?
  ON CONFLICT (sid) DO UPDATE SET ${entryColumns.map((name) => `${name} = excluded.${name}`).join(', ')}`;

/** Returns the values of the columns of an entry. */
function indexValues(seals: Seals, version: number, entry: IndexEntry): readonly SqlValue[] {
  const { sid, revision, calls, title, outcome, text } = entry;
  const tags = entry.tags.length === 0 ? '' : `\n${entry.tags.join('\n')}\n`;
  const sealed = [sid, version, revision, calls, title, outcome, tags, JSON.stringify(entry.figures)];
  return [...sealed, text, seals.make('index', sealed)];
}

/** Converts a row. Returns `undefined` if somebody changed it in the database, or if it was sealed with a lost key. */
function toEntry(seals: Seals, row: SqlRow): ShownEntry | undefined {
  const [sid, title, outcome] = [String(row['sid']), String(row['title']), String(row['outcome'])];
  const [version, revision] = [Number(row['version']), Number(row['revision'])];
  const [tags, figures] = [String(row['tags']), String(row['figures'])];
  const calls = Number(row['calls']);
  const sealed = [sid, version, revision, calls, title, outcome, tags, figures];
  if (seals.judge('index', sealed, sealOf(row)) !== 'genuine') return undefined;
  return {
    sid,
    revision,
    calls,
    title,
    outcome,
    tags: tags.split('\n').filter(Boolean),
    figures: JSON.parse(figures) as JsonObject,
  };
}

/**
 * Selects sessions whose entry is missing or outdated. The number of the last call takes the place of the number of
 * calls, because a database may number the calls of all sessions together.
 */
const selectOutdated = ({ texts }: Dialect): string => `
  SELECT ${texts('sid')}, revision, calls FROM (
    SELECT sid, revision, updated_at,
      coalesce((SELECT max(n) FROM calls WHERE calls.sid = sessions.sid), 0) AS calls
    FROM sessions
  ) AS found WHERE NOT EXISTS (
    SELECT 1 FROM session_index AS entry WHERE entry.sid = found.sid AND entry.version = ?
      AND entry.revision = found.revision AND entry.calls = found.calls
  )
  ORDER BY found.updated_at DESC, found.sid DESC LIMIT ?`;

function toGap(row: SqlRow): IndexGap {
  return { sid: String(row['sid']), revision: Number(row['revision']), calls: Number(row['calls']) };
}
