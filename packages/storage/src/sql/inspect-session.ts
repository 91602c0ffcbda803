import type { JsonObject } from '@workflowlookup/schema';
import { WorkflowError, isJsonObject } from '@workflowlookup/schema';
import type {
  Inspected,
  InspectedCall,
  InspectedSession,
  JournalEvent,
  RecordedCommand,
  SealMark,
  Seals,
  SessionRow,
  Snapshot,
} from '../sessions/session-store.ts';
import { judgeAgent, judgeCall, judgeCommand, judgeDefinition, judgeDelivery } from './stored-contents.ts';
import {
  eventTextColumns,
  eventValues,
  judgeEvent,
  toEvent,
  judgeSnapshot,
  marksValue,
  sealOf,
  sessionValues,
  toSession,
} from './stored-sessions.ts';
import type { SqlRow, SqlValue } from './stored-sessions.ts';
import { sealMessages } from '../messages.ts';
import { each } from '../pauses.ts';

/** The rows of a session, read at one moment. */
export interface SessionRows {
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
export const sessionTables = {
  events: { texts: eventTextColumns, numbers: ['revision'], order: 'revision' },
  calls: { texts: ['writer', 'call', 'seal'], numbers: ['n', 'seq'], order: 'n' },
  commands: { texts: ['key', 'result', 'seal'], numbers: [], order: 'commands.key' },
  agents: { texts: ['agent', 'seal'], numbers: ['number'], order: 'number' },
  deliveries: { texts: ['digest', 'seal'], numbers: ['agent'], order: 'agent, deliveries.digest' },
  session_blobs: { texts: ['digest'], numbers: [], order: 'session_blobs.digest' },
} as const;

/**
 * Returns everything stored about a session with the verdict on each seal, or `undefined` if there is nothing. This is
 * long work, because an agent decides how many calls a session has.
 */
export function* toInspected(
  seals: Seals,
  sid: string,
  rows: SessionRows,
): Generator<void, InspectedSession | undefined> {
  const { events, calls, commands, agents, deliveries, blobs, definition } = rows;
  const beside = [events, calls, commands, agents, deliveries];
  if (rows.session === undefined && beside.every(({ length }) => length === 0)) return undefined;
  const session = rows.session && inspectedSession(seals, rows.session);
  const owner = session?.value ?? { sid, principal: '', digest: '' };
  return {
    sid,
    ...(session !== undefined && { session }),
    ...(rows.session !== undefined && { snapshot: inspectedSnapshot(seals, rows.session, events) }),
    events: yield* each(events, (row) => ({
      value: tryRead(() => toEvent(sid, row)),
      verdict: judgeEvent(seals, owner, row),
      seal: sealOf(row),
      follows: sealOf(row, 'follows'),
    })),
    calls: yield* each(calls, (row) => inspectedCall(seals, sid, row)),
    commands: yield* each(commands, (row) => inspectedCommand(seals, sid, row)),
    agents: yield* each(agents, (row) => ({
      value: { number: Number(row['number']), agent: String(row['agent']) },
      verdict: judgeAgent(seals, sid, row),
      seal: sealOf(row),
    })),
    deliveries: yield* each(deliveries, (row) => ({
      value: { agent: Number(row['agent']), digest: String(row['digest']) },
      verdict: judgeDelivery(seals, sid, row),
      seal: sealOf(row),
    })),
    blobs: blobs.map(({ digest }) => String(digest)),
    ...(definition !== undefined && {
      definition: {
        value: objectIn(definition['body']),
        verdict: judgeDefinition(seals, owner.digest, definition),
        seal: sealOf(definition),
      },
    }),
  };
}

function inspectedSession(seals: Seals, row: SqlRow): Inspected<SessionRow> {
  const seal = sealOf(row);
  const value = toSession({ ...seals, isPlain: false }, row);
  const { unauthentic: _unauthentic, ...plain } = value;
  const values = sessionValues(
    { ...plain, status: row['status'] as SessionRow['status'] },
    row['marks'] ?? null,
  );
  return { value, verdict: seals.judge('session', values, seal), seal };
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

function inspectedCall(seals: Seals, sid: string, row: SqlRow): Inspected<InspectedCall | undefined> {
  const { writer, seq } = row;
  const call = objectIn(row['call']);
  return {
    value: call && {
      call,
      writer: typeof writer === 'string' ? writer : null,
      seq: seq === null || seq === undefined ? null : Number(seq),
    },
    verdict: judgeCall(seals, sid, row),
    seal: sealOf(row),
  };
}

function inspectedCommand(seals: Seals, sid: string, row: SqlRow): Inspected<RecordedCommand | undefined> {
  const result = objectIn(row['result']);
  return {
    value: result && { key: String(row['key']), result },
    verdict: judgeCommand(seals, sid, row),
    seal: sealOf(row),
  };
}

function objectIn(text: SqlValue | undefined): JsonObject | undefined {
  return tryRead(() => {
    const value: unknown = JSON.parse(String(text));
    return isJsonObject(value) ? value : undefined;
  });
}

function tryRead<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof WorkflowError) return undefined;
    throw error;
  }
}

/** A statement that seals one row again, with its values. */
export interface Resealed {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/** The writer of calls that were stored before calls had a writer. */
const olderWriter = 'older';

/**
 * Returns the statements that seal everything stored about a session with the current signing key. `?` stands for a
 * value. Deliveries without a genuine seal are deleted, so those bundles are sent again.
 */
export function resealed(
  seals: Seals,
  rows: SessionRows,
  { found, mark }: { readonly found: InspectedSession; readonly mark: SealMark | undefined },
): readonly Resealed[] {
  const { sid } = found;
  if (found.session === undefined) return [];
  const { unauthentic: _unauthentic, ...plain } = found.session.value;
  const session: SessionRow = { ...plain, ...(mark !== undefined && { sealed: mark }) };
  const sealedSession: Resealed = {
    sql: `UPDATE sessions SET marks = ?, status = ?, seal = ?, state = NULL, state_revision = NULL, state_seal = NULL
          WHERE sid = ?`,
    values: [marksValue(session), session.status, seals.make('session', sessionValues(session)), sid],
  };
  let older = 0;
  return [
    sealedSession,
    ...rows.events.map((row): Resealed => {
      const event = { revision: Number(row['revision']), hash: String(row['hash']) } as JournalEvent;
      const seal = seals.make('event', eventValues(session, event, sealOf(row, 'follows')));
      return {
        sql: 'UPDATE events SET seal = ? WHERE sid = ? AND revision = ?',
        values: [seal, sid, event.revision],
      };
    }),
    ...rows.calls.map((row): Resealed => {
      const isOlder = typeof row['writer'] !== 'string';
      if (isOlder) older += 1;
      const writer = isOlder ? olderWriter : String(row['writer']);
      const seq = isOlder ? older : Number(row['seq']);
      const seal = seals.make('call', [sid, writer, seq, String(row['call'])]);
      return {
        sql: 'UPDATE calls SET writer = ?, seq = ?, seal = ? WHERE sid = ? AND n = ?',
        values: [writer, seq, seal, sid, row['n'] ?? 0],
      };
    }),
    ...rows.commands.map((row): Resealed => {
      const [key, result] = [String(row['key']), String(row['result'])];
      const seal = seals.make('command', [sid, key, result]);
      return { sql: 'UPDATE commands SET seal = ? WHERE sid = ? AND key = ?', values: [seal, sid, key] };
    }),
    ...rows.agents.map((row): Resealed => {
      const [number, agent] = [Number(row['number']), String(row['agent'])];
      const seal = seals.make('agent', [sid, number, agent]);
      return {
        sql: 'UPDATE agents SET seal = ? WHERE sid = ? AND number = ?',
        values: [seal, sid, number],
      };
    }),
    { sql: 'DELETE FROM deliveries WHERE sid = ?', values: [sid] },
    // It was derived while the session could not be verified.
    { sql: 'DELETE FROM session_index WHERE sid = ?', values: [sid] },
    // A person who vouches for a session does not vouch for a definition that other sessions could use.
    ...(rows.definition === undefined || found.definition?.verdict !== 'genuine'
      ? []
      : [
          {
            sql: 'UPDATE definitions SET seal = ? WHERE digest = ?',
            values: [
              seals.make('definition', [session.digest, String(rows.definition['body'])]),
              session.digest,
            ],
          },
        ]),
  ];
}

/** Returns the error for a session that was written to after it was inspected. */
export function changedMeanwhile(sid: string): WorkflowError {
  return new WorkflowError('CONFLICT', sealMessages.changedSinceInspection(sid), {
    data: { reason: 'changed', sid },
  });
}
