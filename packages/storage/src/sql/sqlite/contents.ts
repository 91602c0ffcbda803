import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Json, JsonObject } from '@workflowlookup/schema';
import { canonicalJson, digestOf } from '@workflowlookup/schema';
import type { CallAndAgentMethods, ContentMethods } from '../../sessions/checked-store.ts';
import { noSession } from '../../errors.ts';
import type {
  CallRecord,
  PutDefinitionOptions,
  Range,
  Reading,
  Seals,
} from '../../sessions/session-store.ts';
import { byCodeUnits } from '../../workflow-store.ts';
import {
  isKeptDefinition,
  toBlob,
  toDefinition,
  toAgents,
  toCalls,
  toDelivered,
} from '../stored-contents.ts';
import type { SqlRow } from '../stored-sessions.ts';
import type { CallTrace, DelayedWrite, WriteBehind } from '../write-behind.ts';
import type { Connection, Task } from './connection.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns, createMissCheck } from './driver.ts';
import { readSession, hasBlob } from './journal.ts';

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
