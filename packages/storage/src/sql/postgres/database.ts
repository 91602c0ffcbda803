import { byCodeUnits } from '../../workflow-store.ts';
import type { Database, Dialect, Task } from '../database.ts';
import { sessionNumberColumns, sessionTextColumns } from '../stored-sessions.ts';
import type { DelayedWrite, WaitingCall, WaitingWrite } from '../write-behind.ts';
import type { BoundValue, Connection, PostgresDatabase } from './connection.ts';

/** Keeps positions from being assigned until the transaction ends, so that writes can be deleted. */
export const lockPositions = 'SELECT last_change FROM meta FOR UPDATE';

export const postgresDialect: Dialect = {
  texts: (...columns) => columns.join(', '),
  sessionColumns: [...sessionTextColumns, ...sessionNumberColumns].join(', '),
  isIn: (column) => `${column} IN (SELECT json_array_elements_text(?::json))`,
  mentions: (column) => `strpos(lower(${column}), lower(?::text COLLATE "C")) > 0`,
  contains: (column) => `strpos(${column}, ?::text COLLATE "C") > 0`,
  elements: 'json_array_elements(?::json) AS element (value)',
  lock: (strength) => `FOR ${strength}`,
  turns: {
    'noting keys': 'LOCK TABLE keys IN SHARE ROW EXCLUSIVE MODE',
    'deleting sessions': lockPositions,
  },
};

/** Makes the database that the shared parts of a store use. */
export function databaseOf(connection: Connection): Database {
  return {
    dialect: postgresDialect,
    isMade: () => true,
    select: (sql, values) => connection.all(numbered(sql), values),
    selectOnce: (sql, values) => connection.once(numbered(sql), values),
    change: (sql, values) => connection.change(numbered(sql), values),
    read: (task) => connection.run((db) => runTask(db, task())),
    snapshot: (task) =>
      connection.write(async (db) => {
        await db.once('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
        return runTask(db, task());
      }),
    write: (task) => connection.write((db) => runTask(db, task())),
    checkMiss: async () => undefined,
  };
}

/** Runs the statements of a task one after the other. */
export async function runTask<Result>(db: PostgresDatabase, task: Task<Result>): Promise<Result> {
  for (let step = task.next(); ;) {
    if (step.done === true) return step.value;
    const { sql, values, kind } = step.value;
    const run = { select: db.all, 'select-once': db.once, change: db.change }[kind];
    step = task.next(await run(numbered(sql), values));
  }
}

/** Replaces each `?` in a statement by `$1`, `$2` and so on. */
function numbered(sql: string): string {
  let count = 0;
  return sql.replaceAll('?', () => `$${(count += 1)}`);
}

/**
 * Returns the function that does delayed writes, in one transaction. Sessions are always locked in the same order, so
 * that replicas do not deadlock.
 */
export function delayedWriter(
  connection: Connection,
): (writes: readonly WaitingWrite<DelayedWrite>[]) => Promise<void> {
  // Other writes to calls, agents and deliveries of these sessions wait until the transaction ends.
  const lock = 'SELECT pg_advisory_xact_lock(hashtextextended(sid, 0)) FROM unnest($1::text[]) AS sid';
  return (writes) => {
    const sids = [...new Set(writes.map(({ sid }) => sid))].toSorted(byCodeUnits);
    const calls = writes.flatMap(({ task }) => ('call' in task ? [task.call] : []));
    return connection.write(async (db) => {
      await db.all(lock, [sids]);
      if (calls.length > 0) await insertCalls(db, calls);
      for (const { task } of writes) if ('task' in task) await runTask(db, task.task());
    });
  };
}

/**
 * Adds calls after the existing ones, in this order. A call that is already stored is not added again, and one for a
 * deleted session is dropped.
 */
async function insertCalls(db: PostgresDatabase, calls: readonly WaitingCall[]): Promise<void> {
  await db.all(
    `INSERT INTO calls (sid, writer, seq, call, seal)
     SELECT call.sid, call.writer, call.seq, call.text, call.seal FROM ${insertedCalls(1)}
     WHERE EXISTS (SELECT FROM sessions WHERE sessions.sid = call.sid)
     ORDER BY call.place ON CONFLICT DO NOTHING`,
    callArrays(calls),
  );
}

/** The columns of a pending call. {@link callArrays} binds their values, starting at parameter `first`. */
export const insertedCalls = (first: number): string => `
      unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::bigint[], $${first + 3}::text[], $${first + 4}::text[])
        WITH ORDINALITY AS call (sid, writer, seq, text, seal, place)`;

/** Returns the values for {@link insertedCalls}. */
export function callArrays(calls: readonly WaitingCall[]): readonly BoundValue[] {
  return [
    calls.map(({ sid }) => sid),
    calls.map(({ writer }) => writer),
    calls.map(({ seq }) => seq),
    calls.map(({ text }) => text),
    calls.map(({ seal }) => seal),
  ];
}
