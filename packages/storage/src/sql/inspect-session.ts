import type { JsonObject } from '@workflowlookup/schema';
import { WorkflowError, isJsonObject, parseJson } from '@workflowlookup/schema';
import type {
  Inspected,
  InspectedCall,
  InspectedSession,
  JournalEvent,
  SealMark,
  Seals,
  SessionRow,
  Snapshot,
} from '../sessions/session-store.ts';
import type { SealedRow } from './contents.ts';
import { judgeRow, sealRow } from './contents.ts';
import type { Database, Dialect, Task } from './database.ts';
import { change, selectOnce } from './database.ts';
import {
  eventTextColumns,
  onlyRow,
  eventValues,
  judgeEvent,
  judgeSession,
  toEvent,
  judgeSnapshot,
  marksValue,
  sealOf,
  sessionValues,
  toSession,
} from './stored-sessions.ts';
import type { SqlRow, SqlValue } from './stored-sessions.ts';
import { sealMessages } from '../messages.ts';
import { atOnce, each, inTurns } from '../pauses.ts';

/** The rows of a session, read at one moment. */
interface SessionRows {
  /** Includes the columns of the snapshot. */
  readonly session: SqlRow | undefined;
  readonly events: readonly SqlRow[];
  readonly calls: readonly SqlRow[];
  readonly commands: readonly SqlRow[];
  readonly agents: readonly SqlRow[];
  readonly deliveries: readonly SqlRow[];
  readonly blobs: readonly SqlRow[];
  readonly definition: SqlRow | undefined;
}

/** The columns and the order in which each table beside `sessions` is read. */
const sessionTables = {
  events: { texts: eventTextColumns, numbers: ['revision'], order: 'revision' },
  calls: { texts: ['writer', 'call', 'seal'], numbers: ['n', 'seq'], order: 'n' },
  commands: { texts: ['key', 'result', 'seal'], numbers: [], order: 'commands.key' },
  agents: { texts: ['agent', 'seal'], numbers: ['number'], order: 'number' },
  deliveries: { texts: ['digest', 'seal'], numbers: ['agent'], order: 'agent, deliveries.digest' },
  session_blobs: { texts: ['digest'], numbers: [], order: 'session_blobs.digest' },
} as const;

function* readRows({ texts, sessionColumns }: Dialect, sid: string): Task<SessionRows> {
  const columns = `${sessionColumns}, state_revision, ${texts('state', 'state_seal')}`;
  const session = onlyRow(yield* selectOnce(`SELECT ${columns} FROM sessions WHERE sid = ?`, [sid]));
  function beside(table: keyof typeof sessionTables): Task<readonly SqlRow[]> {
    const { texts: own, numbers, order } = sessionTables[table];
    const selected = [texts(...own), ...numbers].join(', ');
    return selectOnce(`SELECT ${selected} FROM ${table} WHERE sid = ? ORDER BY ${order}`, [sid]);
  }
  // libsql can't bind a single null.
  const digest = session?.['digest'] ?? '';
  const definition = `SELECT ${texts('body', 'seal')} FROM definitions WHERE digest = ?`;
  return {
    session,
    events: yield* beside('events'),
    calls: yield* beside('calls'),
    commands: yield* beside('commands'),
    agents: yield* beside('agents'),
    deliveries: yield* beside('deliveries'),
    blobs: yield* beside('session_blobs'),
    definition: (yield* selectOnce(definition, [digest]))[0],
  };
}

export async function inspectSession(
  db: Database,
  seals: Seals,
  sid: string,
): Promise<InspectedSession | undefined> {
  return inTurns(toInspected(seals, sid, await db.snapshot(() => readRows(db.dialect, sid))));
}

/** Seals everything stored about a session again, if it has not changed since it was inspected. */
export function* sealSession(
  dialect: Dialect,
  seals: Seals,
  found: InspectedSession,
  mark: SealMark | undefined,
): Task<void> {
  const { sid } = found;
  yield* selectOnce(`SELECT 1 AS one FROM sessions WHERE sid = ? ${dialect.lock('UPDATE')}`, [sid]);
  const rows = yield* readRows(dialect, sid);
  if (JSON.stringify(atOnce(toInspected(seals, sid, rows))) !== JSON.stringify(found))
    throw new WorkflowError('CONFLICT', sealMessages.changedSinceInspection(sid), {
      data: { reason: 'changed', sid },
    });
  yield* reseal(seals, rows, { found, mark });
}

/**
 * Returns everything stored about a session with the verdict on each seal, or `undefined` if there is nothing. This is
 * long work, because an agent decides how many calls a session has.
 */
function* toInspected(
  seals: Seals,
  sid: string,
  rows: SessionRows,
): Generator<void, InspectedSession | undefined> {
  const { events, calls, commands, agents, deliveries, blobs, definition } = rows;
  const beside = [events, calls, commands, agents, deliveries];
  if (rows.session === undefined && beside.every(({ length }) => length === 0)) return undefined;
  const session = rows.session && inspectedSession(seals, rows.session);
  const owner = session?.value ?? { sid, principal: '', digest: '' };
  const sealed = (kind: SealedRow, row: SqlRow): Omit<Inspected<never>, 'value'> => ({
    verdict: judgeRow(seals, kind, kind === 'definition' ? owner.digest : sid, row),
    seal: sealOf(row),
  });
  return {
    sid,
    ...(session !== undefined && { session }),
    ...(rows.session !== undefined && { snapshot: inspectedSnapshot(seals, rows.session, events) }),
    events: yield* each(events, (row) => ({
      value: inspectedEvent(sid, row),
      verdict: judgeEvent(seals, owner, row),
      seal: sealOf(row),
      follows: sealOf(row, 'follows'),
    })),
    calls: yield* each(calls, (row) => ({ value: inspectedCall(row), ...sealed('call', row) })),
    commands: yield* each(commands, (row) => {
      const result = objectIn(row['result']);
      return { value: result && { key: String(row['key']), result }, ...sealed('command', row) };
    }),
    agents: yield* each(agents, (row) => ({
      value: { number: Number(row['number']), agent: String(row['agent']) },
      ...sealed('agent', row),
    })),
    deliveries: yield* each(deliveries, (row) => ({
      value: { agent: Number(row['agent']), digest: String(row['digest']) },
      ...sealed('delivery', row),
    })),
    blobs: blobs.map(({ digest }) => String(digest)),
    ...(definition !== undefined && {
      definition: { value: objectIn(definition['body']), ...sealed('definition', definition) },
    }),
  };
}

function inspectedSession(seals: Seals, row: SqlRow): Inspected<SessionRow> {
  const value = toSession({ ...seals, isPlain: false }, row);
  return { value, verdict: judgeSession(seals, row), seal: sealOf(row) };
}

function inspectedSnapshot(
  seals: Seals,
  row: SqlRow,
  events: readonly SqlRow[],
): Inspected<Snapshot | undefined> {
  const { state, state_revision: revision } = row;
  const seal = sealOf(row, 'state_seal');
  if (state === null || state === undefined) return { value: undefined, verdict: 'genuine', seal };
  const next = events.find((event) => Number(event['revision']) === Number(revision) + 1);
  const verdict = judgeSnapshot(seals, row, next);
  const found = objectIn(state);
  return { value: found && { revision: Number(revision), state: found }, verdict, seal };
}

function inspectedCall({ call: text, writer, seq }: SqlRow): InspectedCall | undefined {
  const call = objectIn(text);
  return (
    call && {
      call,
      writer: typeof writer === 'string' ? writer : null,
      seq: seq === null || seq === undefined ? null : Number(seq),
    }
  );
}

function objectIn(text: SqlValue | undefined): JsonObject | undefined {
  const value = parseJson(String(text));
  return isJsonObject(value) ? value : undefined;
}

function inspectedEvent(sid: string, row: SqlRow): JournalEvent | undefined {
  try {
    return toEvent(sid, row);
  } catch (error) {
    if (error instanceof WorkflowError) return undefined;
    throw error;
  }
}

/** The writer of calls that were stored before calls had a writer. */
const olderWriter = 'older';

/**
 * Seals everything stored about a session with the current signing key. Deliveries without a genuine seal are deleted,
 * so those bundles are sent again.
 */
function* reseal(
  seals: Seals,
  rows: SessionRows,
  { found, mark }: { readonly found: InspectedSession; readonly mark: SealMark | undefined },
): Task<void> {
  const { sid } = found;
  if (found.session === undefined) return;
  const { unauthentic: _unauthentic, ...plain } = found.session.value;
  const session: SessionRow = { ...plain, ...(mark !== undefined && { sealed: mark }) };
  yield* change(
    `UPDATE sessions SET marks = ?, status = ?, seal = ?, state = NULL, state_revision = NULL, state_seal = NULL
     WHERE sid = ?`,
    [marksValue(session), session.status, seals.make('session', sessionValues(session)), sid],
  );
  for (const row of rows.events) {
    const event = { revision: Number(row['revision']), hash: String(row['hash']) };
    const seal = seals.make('event', eventValues(session, event, sealOf(row, 'follows')));
    yield* change('UPDATE events SET seal = ? WHERE sid = ? AND revision = ?', [seal, sid, event.revision]);
  }
  let older = 0;
  for (const row of rows.calls) {
    const isOlder = typeof row['writer'] !== 'string';
    if (isOlder) older += 1;
    const { writer = null, seq = null } = isOlder ? { writer: olderWriter, seq: older } : row;
    const seal = sealRow(seals, 'call', sid, { ...row, writer, seq });
    const numbered = [writer, seq, seal, sid, row['n'] ?? 0];
    yield* change('UPDATE calls SET writer = ?, seq = ?, seal = ? WHERE sid = ? AND n = ?', numbered);
  }
  for (const row of rows.commands) {
    const seal = sealRow(seals, 'command', sid, row);
    yield* change('UPDATE commands SET seal = ? WHERE sid = ? AND key = ?', [seal, sid, row['key'] ?? null]);
  }
  for (const row of rows.agents) {
    const seal = sealRow(seals, 'agent', sid, row);
    yield* change('UPDATE agents SET seal = ? WHERE sid = ? AND number = ?', [seal, sid, row['number'] ?? 0]);
  }
  yield* change('DELETE FROM deliveries WHERE sid = ?', [sid]);
  // It was derived while the session could not be verified.
  yield* change('DELETE FROM session_index WHERE sid = ?', [sid]);
  // A person who vouches for a session does not vouch for a definition that other sessions could use.
  if (rows.definition === undefined || found.definition?.verdict !== 'genuine') return;
  const seal = sealRow(seals, 'definition', session.digest, rows.definition);
  yield* change('UPDATE definitions SET seal = ? WHERE digest = ?', [seal, session.digest]);
}
