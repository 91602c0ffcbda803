import type { Seals, SessionRow, SessionWrite } from '../session-store.ts';
import { notKept } from '../sessions/no-session.ts';
import type { CallsBefore } from '../sql/call-writer.ts';
import { eventValues } from '../sql/stored-events.ts';
import type { SessionPlace } from '../sql/stored-session.ts';
import { fixedValues, headValues, movedSession, snapshotValues } from '../sql/stored-session.ts';
import type { BoundValue, PostgresDatabase } from './database.ts';
import { mostNumber, readSession } from './read-session.ts';
import { brokenConstraint } from './storage-failure.ts';

/** The columns of a waiting call, as {@link callArrays} binds them from `first` on. */
export const insertedCalls = (first: number): string => `
      unnest($${first}::text[], $${first + 1}::text[], $${first + 2}::bigint[], $${first + 3}::text[], $${first + 4}::text[])
        WITH ORDINALITY AS call (sid, writer, seq, text, seal, place)`;

/** What is bound for {@link insertedCalls}. */
export function callArrays(calls: CallsBefore['calls']): readonly BoundValue[] {
  return [
    calls.map(({ sid }) => sid),
    calls.map(({ writer }) => writer),
    calls.map(({ seq }) => seq),
    calls.map(({ text }) => text),
    calls.map(({ seal }) => seal),
  ];
}

/**
 * A write of a session, whole, as one statement and so one transaction in one round trip: where the first part finds
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

// Of two that move a session from one place the second waits for the first, and then finds it elsewhere. What was
// recorded up to a place is seen together with it.
const moved = statement(`
  UPDATE sessions SET status = $1, revision = $2, hash = $3, updated_at = $4, seal = $5,
    state_revision = coalesce($6, state_revision), state_seal = coalesce($7, state_seal), state = coalesce($8, state)
  WHERE sid = $27 AND revision = $28 AND hash = $29
    AND NOT EXISTS (SELECT FROM commands WHERE commands.sid = $27 AND commands.key = $18)`);

/** Keeps a new session, that is already as its write leaves it; false where its id is taken. */
export async function insertSession(
  db: PostgresDatabase,
  seals: Seals,
  session: SessionRow,
  write: SessionWrite,
): Promise<boolean> {
  const values = valuesOf(seals, session, { write, before: { calls: [], follows: null } });
  return run(db, write, { sql: inserted, values: [...values, ...fixedValues(session)] });
}

/**
 * Moves a session on from where the write was made for; false where it is elsewhere, or the command was recorded
 * before. It is read only where the write does not bring it.
 */
export async function moveSession(
  db: PostgresDatabase,
  seals: Seals,
  from: SessionPlace,
  { write, before }: { readonly write: SessionWrite; readonly before: CallsBefore },
): Promise<boolean> {
  if (from.revision > mostNumber - write.events.length) return false;
  const session = write.session ?? (await readSession(db, seals, from.sid));
  if (session === undefined) return false;
  const values = valuesOf(seals, movedSession(session, write), { write, before });
  return run(db, write, { sql: moved, values: [...values, from.sid, from.revision, from.hash] });
}

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
    throw notKept('blob', String(row?.['digest'] ?? blobs[0]));
  }
}
