import type { JsonObject } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';
import type { IndexEntry, IndexGap, Seals } from '../sessions/session-store.ts';
import { each, inTurns } from '../utilities.ts';
import type { SqlRow, SqlValue } from './stored-session.ts';
import { sealOf } from './stored-session.ts';

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
