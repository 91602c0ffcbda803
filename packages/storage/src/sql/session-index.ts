import type { JsonObject } from '@workflowlookup/schema';
import { each, inTurns } from '../pauses.ts';
import type { IndexEntry, IndexGap, Seals, SessionIndex } from '../sessions/session-store.ts';
import { byCodeUnits } from '../workflow-store.ts';
import type { Database, Dialect } from './database.ts';
import { change } from './database.ts';
import { selectFound } from './session-queries.ts';
import type { SqlRow, SqlValue } from './stored-sessions.ts';
import { sealOf } from './stored-sessions.ts';

/** Makes the index of a store. It does not create a database that does not exist. */
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
          yield* change(insert, [...indexValues(seals, version, entry), entry.sid]);
      });
    },
    entries: async (sids) =>
      sids.length === 0 ? [] : entriesWhere(dialect.isIn('sid'), [JSON.stringify(sids)]),
    async select(query) {
      const { sql, values } = selectFound(query, dialect);
      return entriesWhere(`sid IN (${sql})`, values);
    },
  };
}

type ShownEntry = Omit<IndexEntry, 'text'>;

const indexTextColumns = ['sid', 'title', 'outcome', 'tags', 'figures', 'seal'] as const;
const indexNumberColumns = ['version', 'revision', 'calls'] as const;

/** In the order of {@link indexValues}. */
const columns = [
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
const insert = `
  INSERT INTO session_index (${columns.join(', ')})
  SELECT ${columns.map(() => '?').join(', ')} FROM sessions WHERE sid = ?
  ON CONFLICT (sid) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`;

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
