import type { JournalMethods } from '../../sessions/checked-store.ts';
import { notStored } from '../../errors.ts';
import type {
  JournalEvent,
  LoadedSession,
  Range,
  Reading,
  Seals,
  SessionRow,
  SessionWrite,
  SessionChange,
} from '../../sessions/session-store.ts';
import { maxNumber } from '../contents.ts';
import {
  eventTextColumns,
  eventValues,
  toEvents,
  toLoaded,
  toChange,
  fixedValues,
  headValues,
  onlyRow,
  readSession,
  readable,
  updatedSession,
  snapshotValues,
  toSnapshot,
  startedSession,
  headBefore,
} from '../stored-sessions.ts';
import type { SqlRow } from '../stored-sessions.ts';
import type { CallsBefore, CallTrace, DelayedWrite, WaitingCall, WaitingWrite } from '../write-behind.ts';
import { byCodeUnits } from '../../workflow-store.ts';
import type { BoundValue, PostgresDatabase, Connection } from './connection.ts';
import { brokenConstraint, lockPositions, postgresDialect, runTask } from './connection.ts';

const { sessionColumns } = postgresDialect;

/**
 * Selects the events in a range of revisions as one text, so that a session and its events are read in one statement
 * and at one moment.
 */
function eventsBetween(after: string, upTo: string): string {
  const columns = ['revision', ...eventTextColumns];
  const fields = columns.map((column) => `'${column}', events.${column}`).join(', ');
  return `
    (SELECT coalesce(json_agg(json_build_object(${fields}) ORDER BY events.revision), '[]')::text FROM events
     WHERE events.sid = sessions.sid AND events.revision > ${after} AND events.revision <= ${upTo}) AS events`;
}

const loaded = `
  SELECT ${sessionColumns}, state_revision, state_seal, state,
    ${eventsBetween('coalesce(state_revision, 0)', 'sessions.revision')}
  FROM sessions WHERE sid = $1`;

const ranged = `
  SELECT ${sessionColumns}, least(revision, $3::integer) AS up_to,
    ${eventsBetween('$2::integer', 'least(sessions.revision, $3::integer)')}
  FROM sessions WHERE sid = $1`;

/** Returns a session with its snapshot and the verified events after it. */
async function loadSession(
  db: PostgresDatabase,
  seals: Seals,
  sid: string,
): Promise<LoadedSession | undefined> {
  const row = onlyRow(await db.all(loaded, [sid]));
  if (row === undefined) return undefined;
  const session = readable(seals, row, { isUnverifiedToo: true });
  const snapshot = toSnapshot(seals, row, { ...session, next: eventRows(row)[0] });
  // The snapshot is not valid, so the events before it are needed too.
  if (snapshot === undefined && row['state_revision'] !== null) {
    const whole = onlyRow(await db.all(ranged, [sid, 0, maxNumber]));
    if (whole === undefined) return undefined;
    const now = readable(seals, whole, { isUnverifiedToo: true });
    const span = { after: 0, upTo: now.revision };
    return toLoaded(now, undefined, toEvents(seals, now, eventRows(whole), span));
  }
  const span = { after: snapshot?.revision ?? 0, upTo: session.revision };
  return toLoaded(session, snapshot, toEvents(seals, session, eventRows(row), span));
}

async function readEvents(
  db: PostgresDatabase,
  seals: Seals,
  sid: string,
  { after = 0, limit = Infinity, ...reading }: Range & Reading,
): Promise<readonly JournalEvent[]> {
  const row = onlyRow(
    await db.all(ranged, [sid, Math.min(after, maxNumber), Math.min(after + limit, maxNumber)]),
  );
  if (row === undefined) return [];
  const session = readable(seals, row, reading);
  return toEvents(seals, session, eventRows(row), { after, upTo: Number(row['up_to']) });
}

function eventRows(row: SqlRow): readonly SqlRow[] {
  return JSON.parse(String(row['events'])) as readonly SqlRow[];
}

/** The columns of a pending call. {@link callArrays} binds their values, starting at parameter `first`. */
const insertedCalls = (first: number): string => `
      unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::bigint[], $${first + 3}::text[], $${first + 4}::text[])
        WITH ORDINALITY AS call (sid, writer, seq, text, seal, place)`;

/** Returns the values for {@link insertedCalls}. */
function callArrays(calls: readonly WaitingCall[]): readonly BoundValue[] {
  return [
    calls.map(({ sid }) => sid),
    calls.map(({ writer }) => writer),
    calls.map(({ seq }) => seq),
    calls.map(({ text }) => text),
    calls.map(({ seal }) => seal),
  ];
}

/**
 * Builds a whole write of a session as one statement: one transaction in one round trip. If the first part finds
 * nothing to write to, the rest writes nothing.
 */
function statement(written: string): string {
  return `
    WITH written AS (${written} RETURNING sid),
    added AS (
      INSERT INTO events (sid, revision, at, type, data, prev_hash, hash, follows, seal)
      SELECT sid, event.revision, event.at, event.type, event.data, event.prev_hash, event.hash, $16, event.seal
      FROM written,
        unnest($9::integer[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[])
          AS event (revision, at, type, data, prev_hash, hash, seal)
    ),
    entered AS (
      INSERT INTO writes (sid, first_revision, last_revision) SELECT sid, $17::integer, $2 FROM written
    ),
    answered AS (
      INSERT INTO commands (sid, key, result, seal)
      SELECT sid, $18::text, $19::text, $20::text FROM written WHERE $18::text IS NOT NULL
    ),
    named AS (
      INSERT INTO session_blobs (sid, digest)
      SELECT sid, digest FROM written, unnest($21::text[]) AS digest ON CONFLICT DO NOTHING
    ),
    traced AS (
      INSERT INTO calls (sid, writer, seq, call, seal)
      SELECT call.sid, call.writer, call.seq, call.text, call.seal FROM written, ${insertedCalls(22)}
      WHERE call.sid = written.sid ORDER BY call.place ON CONFLICT DO NOTHING
    )
    SELECT sid FROM written`;
}

const inserted = statement(`
  INSERT INTO sessions (
    status, revision, hash, updated_at, seal, state_revision, state_seal, state,
    sid, workflow_id, version, digest, parent_sid, principal, agent, project, marks, created_at
  ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36)
  ON CONFLICT (sid) DO NOTHING`);

// If two writes start from the same revision, the second one waits for the first and then finds another revision. A
// command that was recorded by then is visible too.
const moved = statement(`
  UPDATE sessions SET status = $1, revision = $2, hash = $3, updated_at = $4, seal = $5,
    state_revision = coalesce($6, state_revision), state_seal = coalesce($7, state_seal), state = coalesce($8, state)
  WHERE sid = $27 AND revision = $28 AND hash = $29
    AND NOT EXISTS (SELECT FROM commands WHERE commands.sid = $27 AND commands.key = $18)`);

function valuesOf(
  seals: Seals,
  session: SessionRow,
  { write, before }: { readonly write: SessionWrite; readonly before: CallsBefore },
): readonly BoundValue[] {
  const { events, command, blobs = [] } = write;
  const { sid } = session;
  const result = command && JSON.stringify(command.result);
  return [
    ...headValues(seals, session),
    ...snapshotValues(seals, sid, write),
    events.map((event) => event.revision),
    events.map(({ at }) => at),
    events.map(({ type }) => type),
    events.map(({ data }) => JSON.stringify(data)),
    events.map(({ prevHash }) => prevHash),
    events.map((event) => event.hash),
    events.map((event) => seals.make('event', eventValues(session, event, before.follows))),
    before.follows,
    events[0]?.revision ?? 0,
    command?.key ?? null,
    result ?? null,
    command && result !== undefined ? seals.make('command', [sid, command.key, result]) : null,
    blobs,
    ...callArrays(before.calls),
  ];
}

async function run(
  db: PostgresDatabase,
  { blobs = [] }: SessionWrite,
  { sql, values }: { readonly sql: string; readonly values: readonly BoundValue[] },
): Promise<boolean> {
  try {
    return (await db.all(sql, values)).length === 1;
  } catch (error) {
    if (brokenConstraint(error) !== 'session_blobs_blob') throw error;
    const lacking =
      'SELECT digest FROM unnest($1::text[]) AS digest WHERE digest NOT IN (SELECT digest FROM blobs)';
    const [row] = await db.all(lacking, [blobs]);
    throw notStored('blob', String(row?.['digest'] ?? blobs[0]));
  }
}

export function journalMethods(
  connection: Connection,
  seals: Seals,
  trace: CallTrace,
): Pick<JournalMethods, 'create' | 'load' | 'append' | 'events' | 'changes'> {
  return {
    async create(session, write) {
      const started = startedSession(session, write);
      const values = valuesOf(seals, started, { write, before: { calls: [], follows: null } });
      try {
        return await run(connection, write, { sql: inserted, values: [...values, ...fixedValues(started)] });
      } catch (error) {
        if (brokenConstraint(error) === 'sessions_definition') throw notStored('definition', session.digest);
        throw error;
      }
    },
    load: (sid) => loadSession(connection, seals, sid),
    async append(sid, revision, write) {
      if (revision > maxNumber - write.events.length) return false;
      const before = trace.before(sid);
      const session = write.session ?? (await runTask(connection, readSession(postgresDialect, seals, sid)));
      if (session === undefined) return false;
      const { hash } = headBefore(sid, write, revision);
      const values = valuesOf(seals, updatedSession(session, write), { write, before });
      const isKept = await run(connection, write, { sql: moved, values: [...values, sid, revision, hash] });
      if (isKept) trace.confirm(before);
      return isKept;
    },
    events: (sid, range = {}) => readEvents(connection, seals, sid, range),
    changes: (after, limit) => readChanges(connection, after, limit),
  };
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

/** How many writes get their position in one transaction. */
const batch = 10_000;

/**
 * Returns the events that were committed after a position. Writers never wait for each other to get a position: each
 * reader assigns the next positions to all writes that are committed by then, one reader at a time. A write that
 * commits later has no position yet and gets a higher one than any reader has seen.
 */
async function readChanges(
  connection: Connection,
  after: number,
  limit: number,
): Promise<readonly SessionChange[]> {
  await assignPositions(connection);
  const rows = await connection.once(
    `SELECT position - (last_revision - events.revision) AS position, sid, events.revision, at, type
     FROM writes JOIN events USING (sid)
     WHERE events.revision BETWEEN first_revision AND last_revision
       AND writes.position > $1 AND position - (last_revision - events.revision) > $1
     ORDER BY writes.position, events.revision LIMIT $2`,
    [after, Math.min(limit, Number.MAX_SAFE_INTEGER)],
  );
  return rows.map(toChange);
}

/** Returns the position of the last event that was ever committed. */
export async function lastPosition(connection: Connection): Promise<number> {
  await assignPositions(connection);
  const [meta] = await connection.all('SELECT last_change FROM meta');
  return Number(meta?.['last_change'] ?? 0);
}

/**
 * Writes that commit in the meantime wait for the next reader, because under load this loop would otherwise not end.
 */
async function assignPositions(connection: Connection): Promise<void> {
  const [open] = await connection.all('SELECT 1 FROM writes WHERE position IS NULL LIMIT 1');
  for (let placed = open ? batch : 0; placed === batch;) placed = await connection.write(assignBatch);
}

/** The position of a write is that of its last event. The writes of one session are already in order. */
async function assignBatch(db: PostgresDatabase): Promise<number> {
  await db.all(lockPositions);
  const [row] = await db.once(
    `WITH oldest AS (
       SELECT sid, first_revision, last_revision, entry FROM writes WHERE position IS NULL ORDER BY entry LIMIT $1
     ),
     counted AS (
       SELECT sid, last_revision, sum(last_revision - first_revision + 1) OVER (ORDER BY entry) AS upto FROM oldest
     ),
     placed AS (
       UPDATE writes SET position = meta.last_change + counted.upto FROM counted, meta
       WHERE writes.sid = counted.sid AND writes.last_revision = counted.last_revision
       RETURNING writes.position
     )
     UPDATE meta SET last_change = (SELECT max(position) FROM placed) WHERE EXISTS (SELECT FROM placed)
     RETURNING (SELECT count(*) FROM placed) AS placed`,
    [batch],
  );
  return Number(row?.['placed'] ?? 0);
}
