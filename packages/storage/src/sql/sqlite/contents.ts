import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Json, JsonObject } from '@workflowlookup/schema';
import { canonicalJson, digestOf } from '@workflowlookup/schema';
import type { CallAndAgentMethods, ContentMethods } from '../../sessions/checked-store.ts';
import { notStored, noSession } from '../../sessions/errors.ts';
import type {
  CallRecord,
  PutDefinitionOptions,
  Range,
  Reading,
  RecordedCommand,
  Seals,
} from '../../sessions/session-store.ts';
import { byCodeUnits } from '../../utilities.ts';
import {
  isKeptDefinition,
  toBlob,
  toDefinition,
  toAgents,
  toCalls,
  toCommand,
  toDelivered,
} from '../stored-contents.ts';
import type { SessionHead, SqlRow } from '../stored-session.ts';
import type { CallTrace, DelayedWrite, WaitingCall, WriteBehind } from '../write-behind.ts';
import type { Connection, Task } from './connection.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns, createMissCheck } from './driver.ts';
import { readSession } from './session-rows.ts';

/**
 * The methods of a SQLite store for definitions and large values. Existing ones are found without waiting for a lock.
 */
export function contentMethods(connection: Connection, seals: Seals, now: () => number): ContentMethods {
  const checkMiss = createMissCheck();
  const at = (): string => new Date(now()).toISOString();
  return {
    async putDefinition(digest, body, options) {
      const draft = { digest, body, ...options };
      if (await connection.read((db) => isDefinitionKept(db, seals, draft))) return;
      await connection.write((db) => putDefinition(db, seals, { ...draft, at: at() }));
    },
    async getDefinition(digest, options) {
      return connection.read(
        (db) => readDefinition(db, seals, digest, options) ?? checkMiss(db, 'definitions'),
      );
    },
    async putBlob(value) {
      const digest = digestOf(value);
      // A call may store hundreds of values, each in a transaction of its own. Others get a turn in between.
      await nextTurn();
      const isKept = await connection.read((db) => hasBlob(db, digest));
      if (!isKept) await connection.write((db) => insertBlob(db, { digest, value, at: at() }));
      return digest;
    },
    async getBlob(digest) {
      // The value itself may be null.
      return connection.read((db) => (hasBlob(db, digest) ? readBlob(db, digest) : checkMiss(db, 'blobs')));
    },
    async blobs(sid) {
      return connection.read((db) => blobsOf(db, sid));
    },
  };
}

export function hasDefinition(db: SqliteDatabase, digest: string): boolean {
  return db.all('SELECT 1 AS one FROM definitions WHERE digest = ?', [digest]).length > 0;
}

interface DefinitionDraft extends PutDefinitionOptions {
  readonly digest: string;
  readonly body: JsonObject;
}

/**
 * Whether the definition is stored with a genuine seal and, if it is served, with the same body, so that nothing has to
 * be written.
 */
function isDefinitionKept(db: SqliteDatabase, seals: Seals, draft: DefinitionDraft): boolean {
  const [row] = selectDefinition(db, draft.digest);
  return row !== undefined && isKeptDefinition(seals, row, draft);
}

/** Stores a definition. It replaces one without a genuine seal, unless the new one is unsealed too. */
function putDefinition(
  db: SqliteDatabase,
  seals: Seals,
  definition: DefinitionDraft & { readonly at: string },
): void {
  const { digest, body, at, isUnsealed = false } = definition;
  if (isDefinitionKept(db, seals, definition)) return;
  const text = JSON.stringify(body);
  if (isUnsealed) {
    db.run('INSERT INTO definitions (digest, body, put_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', [
      digest,
      text,
      at,
    ]);
    return;
  }
  db.run(
    `INSERT INTO definitions (digest, body, seal, put_at) VALUES (?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET body = excluded.body, seal = excluded.seal`,
    [digest, text, seals.make('definition', [digest, text]), at],
  );
}

/** Returns a definition. Throws if it was changed. */
function readDefinition(
  db: SqliteDatabase,
  seals: Seals,
  digest: string,
  options: { readonly isUnsealedToo?: boolean } = {},
): JsonObject | undefined {
  const [row] = selectDefinition(db, digest);
  return row && toDefinition(seals, digest, row, options);
}

function selectDefinition(db: SqliteDatabase, digest: string): readonly SqlRow[] {
  return db.all(`SELECT ${textColumns('body', 'seal')} FROM definitions WHERE digest = ?`, [digest]);
}

function hasBlob(db: SqliteDatabase, digest: string): boolean {
  return db.all('SELECT 1 AS one FROM blobs WHERE digest = ?', [digest]).length > 0;
}

function insertBlob(
  db: SqliteDatabase,
  blob: { readonly digest: string; readonly value: Json; readonly at: string },
): void {
  db.run('INSERT INTO blobs (digest, value, put_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', [
    blob.digest,
    canonicalJson(blob.value),
    blob.at,
  ]);
}

/** Returns a value. Throws if it does not match its digest. */
function readBlob(db: SqliteDatabase, digest: string): Json | undefined {
  const text = db.all(`SELECT ${textColumns('value')} FROM blobs WHERE digest = ?`, [digest])[0]?.['value'];
  return text === undefined ? undefined : toBlob(digest, String(text));
}

/** Records that a session refers to values. Throws `NOT_FOUND` if one of them is not stored. */
export function recordBlobs(db: SqliteDatabase, sid: string, digests: readonly string[]): void {
  for (const digest of digests) {
    if (!hasBlob(db, digest)) throw notStored('blob', digest);
    db.run('INSERT INTO session_blobs (sid, digest) VALUES (?, ?) ON CONFLICT DO NOTHING', [sid, digest]);
  }
}

/** Returns the digests of the values that a session refers to, sorted. */
function blobsOf(db: SqliteDatabase, sid: string): readonly string[] {
  const rows = db.all(
    `SELECT ${textColumns('digest')} FROM session_blobs WHERE sid = ? ORDER BY session_blobs.digest`,
    [sid],
  );
  return rows.map(({ digest }) => String(digest));
}

export function callAndAgentMethods(
  connection: Connection,
  seals: Seals,
  { behind, trace }: { readonly behind: WriteBehind<DelayedWrite<Task<void>>>; readonly trace: CallTrace },
): CallAndAgentMethods {
  return {
    recordCall: trace.record,
    async calls(sid, range) {
      await behind.settle(sid);
      return connection.read((db) => readCalls(db, seals, sid, range));
    },
    async joinAgent(sid, agent) {
      const known = await connection.read((db) => agentNumber(db, seals, sid, agent));
      return known ?? connection.write((db) => joinAgent(db, seals, sid, agent));
    },
    async agents(sid, reading) {
      return connection.read((db) => agentsOf(db, seals, sid, reading));
    },
    async delivered(sid, agent) {
      await behind.settle(sid);
      return connection.read((db) => deliveriesOf(db, seals, sid, agent));
    },
    async markDelivered(sid, agent, digests) {
      const all = [...digests];
      const task: Task<void> = (db) => {
        for (const digest of all) insertDelivery(db, seals, sid, { agent, digest });
      };
      await behind.add(sid, () => ({ task }));
    },
    async resetDelivered(sid, agent) {
      await behind.add(sid, () => ({ task: (db) => deleteDeliveries(db, sid, agent) }));
    },
  };
}

// A call or a delivery for a deleted session is dropped.

/**
 * Adds a call after the existing ones, unless it is already stored. A writer's calls are stored in the order of their
 * numbers, so the last number tells which ones are stored, and no index has to be written for it.
 */
export function insertCall(db: SqliteDatabase, { sid, writer, seq, text, seal }: WaitingCall): void {
  const numbers = storedNumbersOf(db);
  const key = `${writer} ${sid}`;
  if (seq <= (numbers.get(key) ?? lastStoredNumber(db, sid, writer))) return;
  db.run(
    `INSERT INTO calls (sid, n, writer, seq, call, seal)
     SELECT sid, (SELECT coalesce(max(n), 0) + 1 FROM calls WHERE calls.sid = sessions.sid), ?, ?, ?, ?
     FROM sessions WHERE sid = ?`,
    [writer, seq, text, seal, sid],
  );
  numbers.set(key, seq);
}

/** A connection remembers the numbers of this many sessions. It reads the others from the database. */
const maxNumbers = 20_000;

const numbersOf = new WeakMap<SqliteDatabase, Map<string, number>>();

/**
 * Returns the last stored number of each session and writer, as far as this connection knows it. The numbers belong to
 * the connection because it is closed when a write fails, and nobody knows then what was stored.
 */
function storedNumbersOf(db: SqliteDatabase): Map<string, number> {
  const known = numbersOf.get(db);
  if (known !== undefined && known.size < maxNumbers) return known;
  const numbers = new Map<string, number>();
  numbersOf.set(db, numbers);
  return numbers;
}

function lastStoredNumber(db: SqliteDatabase, sid: string, writer: string): number {
  const [row] = db.all('SELECT max(seq) AS seq FROM calls WHERE sid = ? AND writer = ?', [sid, writer]);
  return Number(row?.['seq'] ?? 0);
}

function readCalls(
  db: SqliteDatabase,
  seals: Seals,
  sid: string,
  { after = 0, limit = -1, ...reading }: Range & Reading = {},
): readonly CallRecord[] {
  const rows = db.all(
    `SELECT seq, ${textColumns('writer', 'call', 'seal')} FROM calls WHERE sid = ? ORDER BY n LIMIT ? OFFSET ?`,
    [sid, limit === Infinity ? -1 : limit, after],
  );
  return toCalls(seals, rows.length === 0 ? undefined : readSession(db, seals, sid, reading), rows, after);
}

/**
 * Records the result of a command. Returns false if the session is not at the expected revision or the command is
 * already recorded.
 */
export function insertCommand(
  db: SqliteDatabase,
  seals: Seals,
  { sid, revision, hash }: SessionHead,
  { key, result }: RecordedCommand,
): boolean {
  const text = JSON.stringify(result);
  const added = db.run(
    `INSERT INTO commands (sid, key, result, seal)
     SELECT sid, ?, ?, ? FROM sessions WHERE sid = ? AND revision = ? AND hash = ? ON CONFLICT DO NOTHING`,
    [key, text, seals.make('command', [sid, key, text]), sid, revision, hash],
  );
  return added === 1;
}

export function readCommand(
  db: SqliteDatabase,
  seals: Seals,
  sid: string,
  key: string,
): JsonObject | undefined {
  const [row] = db.all(
    `SELECT ${textColumns('key', 'result', 'seal')} FROM commands WHERE sid = ? AND key = ?`,
    [sid, key],
  );
  return row && toCommand(seals, sid, row);
}

/** Returns the number of an agent, or `undefined` if it has not joined. */
function agentNumber(db: SqliteDatabase, seals: Seals, sid: string, agent: string): number | undefined {
  const at = agentsOf(db, seals, sid).indexOf(agent);
  return at === -1 ? undefined : at + 1;
}

/** Adds an agent if it is new and returns its number. */
function joinAgent(db: SqliteDatabase, seals: Seals, sid: string, agent: string): number {
  const agents = agentsOf(db, seals, sid);
  if (agents.includes(agent)) return agents.indexOf(agent) + 1;
  const number = agents.length + 1;
  const added = db.run(
    'INSERT INTO agents (sid, number, agent, seal) SELECT sid, ?, ?, ? FROM sessions WHERE sid = ?',
    [number, agent, seals.make('agent', [sid, number, agent]), sid],
  );
  if (added === 0) throw noSession(sid);
  return number;
}

function agentsOf(db: SqliteDatabase, seals: Seals, sid: string, reading: Reading = {}): readonly string[] {
  const rows = db.all(
    `SELECT number, ${textColumns('agent', 'seal')} FROM agents WHERE sid = ? ORDER BY number`,
    [sid],
  );
  return toAgents(seals, rows.length === 0 ? undefined : readSession(db, seals, sid, reading), rows);
}

function insertDelivery(
  db: SqliteDatabase,
  seals: Seals,
  sid: string,
  { agent, digest }: { readonly agent: number; readonly digest: string },
): void {
  const seal = seals.make('delivery', [sid, agent, digest]);
  db.run(
    `INSERT INTO deliveries (sid, agent, digest, seal) SELECT sid, ?, ?, ? FROM sessions WHERE sid = ?
     ON CONFLICT DO UPDATE SET seal = excluded.seal`,
    [agent, digest, seal, sid],
  );
}

function deleteDeliveries(db: SqliteDatabase, sid: string, agent: number): void {
  db.run('DELETE FROM deliveries WHERE sid = ? AND agent = ?', [sid, agent]);
}

function deliveriesOf(db: SqliteDatabase, seals: Seals, sid: string, agent: number): readonly string[] {
  const columns = `agent, ${textColumns('digest', 'seal')}`;
  const rows: readonly SqlRow[] = db.all(`SELECT ${columns} FROM deliveries WHERE sid = ? AND agent = ?`, [
    sid,
    agent,
  ]);
  return toDelivered(seals, sid, rows).toSorted(byCodeUnits);
}
