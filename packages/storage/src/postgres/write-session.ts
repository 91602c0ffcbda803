import type { SessionRow, SessionStatus, SessionWrite } from '../session-store.ts';
import { notKept } from '../sessions/no-session.ts';
import { checksum } from '../sql/guarded-json.ts';
import type { SessionHead, SessionPlace } from '../sql/stored-session.ts';
import {
  fixedChecksum,
  fixedValues,
  headAfter,
  headChecksum,
  headValues,
  snapshotValues,
  toSession,
} from '../sql/stored-session.ts';
import type { BoundValue, PostgresDatabase } from './database.ts';
import { mostNumber, sessionColumns } from './read-session.ts';
import { brokenConstraint } from './storage-failure.ts';

/**
 * A write of a session, whole, as one statement and so one transaction in one round trip: where the first part finds
 * nothing to write to, the rest writes nothing.
 */
function statement(written: string): string {
  return `
    WITH written AS (${written} RETURNING sid),
    added AS (
      INSERT INTO events (sid, revision, at, type, data, prev_hash, hash)
      SELECT sid, event.* FROM written,
        unnest($9::integer[], $10::text[], $11::text[], $12::text[], $13::text[], $14::text[]) AS event
    ),
    entered AS (
      INSERT INTO writes (sid, first_revision, last_revision) SELECT sid, $15::integer, $2 FROM written
    ),
    answered AS (
      INSERT INTO commands (sid, key, result, crc)
      SELECT sid, $16::text, $17::text, $18::bigint FROM written WHERE $16::text IS NOT NULL
    ),
    named AS (
      INSERT INTO session_blobs (sid, digest)
      SELECT sid, digest FROM written, unnest($19::text[]) AS digest ON CONFLICT DO NOTHING
    )
    SELECT sid FROM written`;
}

const inserted = statement(`
  INSERT INTO sessions (
    status, revision, hash, updated_at, head_crc, state_revision, state_crc, state,
    sid, workflow_id, version, digest, parent_sid, principal, agent, project, created_at, crc
  ) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29)
  ON CONFLICT (sid) DO NOTHING`);

// Of two that move a session from one place the second waits for the first, and then finds it elsewhere. What was
// recorded up to a place is seen together with it.
const moved = statement(`
  UPDATE sessions SET status = $1, revision = $2, hash = $3, updated_at = $4, head_crc = $5,
    state_revision = coalesce($6, state_revision), state_crc = coalesce($7, state_crc), state = coalesce($8, state)
  WHERE sid = $20 AND revision = $21 AND hash = $22
    AND NOT EXISTS (SELECT FROM commands WHERE commands.sid = $20 AND commands.key = $16)`);

/** Keeps a new session, that is already as its write leaves it; false where its id is taken. */
export async function insertSession(
  db: PostgresDatabase,
  session: SessionRow,
  write: SessionWrite,
): Promise<boolean> {
  const fixed = [...fixedValues(session), fixedChecksum(session)];
  return run(db, write, { sql: inserted, values: [...valuesOf(session, write), ...fixed] });
}

/**
 * Moves a session on from where the write was made for; false where it is elsewhere, or the command was recorded
 * before. It is read only for its status, where the write has none.
 */
export async function moveSession(
  db: PostgresDatabase,
  from: SessionPlace,
  write: SessionWrite,
): Promise<boolean> {
  if (from.revision > mostNumber - write.events.length) return false;
  const status = write.status ?? (await statusAt(db, from));
  if (status === undefined) return false;
  const values = valuesOf(headAfter(from, write, status), write);
  return run(db, write, { sql: moved, values: [...values, from.sid, from.revision, from.hash] });
}

async function statusAt(
  db: PostgresDatabase,
  { sid, revision, hash }: SessionPlace,
): Promise<SessionStatus | undefined> {
  const [row] = await db.all(
    `SELECT ${sessionColumns} FROM sessions WHERE sid = $1 AND revision = $2 AND hash = $3`,
    [sid, revision, hash],
  );
  return row && toSession(row).status;
}

function valuesOf(head: SessionHead, write: SessionWrite): readonly BoundValue[] {
  const { events, snapshot, command, blobs = [] } = write;
  const result = command && JSON.stringify(command.result);
  return [
    ...headValues(head),
    headChecksum(head),
    ...snapshotValues(snapshot),
    events.map((event) => event.revision),
    events.map(({ at }) => at),
    events.map(({ type }) => type),
    events.map(({ data }) => JSON.stringify(data)),
    events.map(({ prevHash }) => prevHash),
    events.map((event) => event.hash),
    events[0]?.revision ?? 0,
    command?.key ?? null,
    result ?? null,
    command ? checksum([result, command.key]) : null,
    blobs,
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
