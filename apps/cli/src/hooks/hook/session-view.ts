import { join } from 'node:path';
import { defined } from '../../commands/command-line.ts';
import type { ToolKind } from './tools.ts';

/** The part of a session that a hook needs. */
export interface SessionView {
  readonly sid: string;
  readonly workflow: string;
  readonly status: 'active' | 'blocked' | 'parked' | 'completed';
  readonly revision: number;
  /** The revision that entered the current activity: it grows with every accepted transition. */
  readonly since: number;
  readonly activity?: string;
  /** What the current activity allows; absent if it allows everything. */
  readonly allows?: readonly ToolKind[];
  readonly lastAnswer?: { readonly checkpoint: string; readonly answer: string; readonly at: string };
}

interface State {
  readonly since: number;
  readonly current?: string;
  readonly lastAnswer?: {
    readonly checkpoint: string;
    readonly answer: { readonly kind: string; readonly option?: string };
    readonly at: string;
  };
}

interface Activity {
  readonly id: string;
  readonly definition?: { readonly allows?: readonly ToolKind[] };
}

type Rows = readonly Readonly<Record<string, unknown>>[];

interface ReadOnlyDatabase {
  prepare(sql: string): { all(...values: readonly string[]): unknown[] };
  close(): unknown;
}

interface NodeSqlite {
  readonly DatabaseSync: new (file: string, options: { readonly readOnly: boolean }) => ReadOnlyDatabase;
}

/** The query for the snapshots of a session and of its definition. */
const select = `SELECT s.workflow_id AS workflow, s.status AS status, s.revision AS revision,
  s.state AS state, d.body AS body FROM sessions s LEFT JOIN definitions d ON d.digest = s.digest WHERE s.sid = ?`;

/**
 * Reads a session from the database of a state directory, without the engine and without writing. Seals are not
 * checked: a hook is a guardrail, and whoever can write to the database can change the hook too. Returns `undefined` if
 * there is no such session.
 *
 * @throws an error of the driver if the database is missing, locked or broken
 */
export async function readSession(stateDirectory: string, sid: string): Promise<SessionView | undefined> {
  const db = await openReadOnly(join(stateDirectory, 'sessions.db'));
  try {
    // A server may be writing at this moment. Its writes take a few milliseconds.
    db.prepare('PRAGMA busy_timeout = 1000').all();
    const [row] = db.prepare(select).all(sid) as Rows;
    return row === undefined ? undefined : viewOf(sid, row);
  } finally {
    db.close();
  }
}

function viewOf(sid: string, row: Rows[number]): SessionView {
  const { state } = row;
  const { since, current, lastAnswer } = (
    typeof state === 'string' ? JSON.parse(state) : { since: 0 }
  ) as State;
  const allows = current === undefined ? undefined : allowsOf(row['body'], current);
  return {
    sid,
    workflow: String(row['workflow']),
    status: String(row['status']) as SessionView['status'],
    revision: Number(row['revision']),
    since,
    ...defined({ activity: current, allows }),
    ...(lastAnswer && {
      lastAnswer: { ...lastAnswer, answer: lastAnswer.answer.option ?? lastAnswer.answer.kind },
    }),
  };
}

/** Returns what an activity allows. A definition without the word is not parsed, because it may be long. */
function allowsOf(body: unknown, activity: string): readonly ToolKind[] | undefined {
  if (typeof body !== 'string' || !body.includes('"allows"')) return undefined;
  const { activities } = JSON.parse(body) as { readonly activities?: readonly Activity[] };
  return activities?.find(({ id }) => id === activity)?.definition?.allows;
}

/** Opens a database with Node's own SQLite, or else with the library that servers use on older versions of Node. */
async function openReadOnly(file: string): Promise<ReadOnlyDatabase> {
  if (process.versions['sqlite'] !== undefined) {
    const sqlite = process.getBuiltinModule('node:sqlite') as NodeSqlite | undefined;
    if (sqlite !== undefined) return new sqlite.DatabaseSync(file, { readOnly: true });
  }
  const { default: Database } = await import('libsql');
  return new Database(file, { readonly: true, fileMustExist: true }) as unknown as ReadOnlyDatabase;
}
