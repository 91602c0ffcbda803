import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Json, JsonObject } from '@workflowlookup/schema';
import { canonicalJson, digestOf, isJsonObject, parseJson } from '@workflowlookup/schema';
import { damagedStore, noSession } from '../errors.ts';
import { damageMessages, rowNames } from '../messages.ts';
import type { CallAndAgentMethods, ContentMethods } from '../sessions/checked-store.ts';
import { forged } from '../sessions/hash-chain.ts';
import type {
  CallRecord,
  Reading,
  SealValue,
  SealVerdict,
  Seals,
  SessionRow,
} from '../sessions/session-store.ts';
import { byCodeUnits } from '../workflow-store.ts';
import type { Database, Dialect, Task } from './database.ts';
import { change, select } from './database.ts';
import type { SqlRow } from './stored-sessions.ts';
import { readSession, sealOf } from './stored-sessions.ts';
import type { CallTrace, DelayedWrite, WriteBehind } from './write-behind.ts';

/** The methods of a store for definitions and large values. Existing ones are found without waiting for a lock. */
export function contentMethods(db: Database, seals: Seals, now: () => number): ContentMethods {
  const at = (): string => new Date(now()).toISOString();
  const { texts } = db.dialect;

  async function definition(digest: string): Promise<SqlRow | undefined> {
    const selected = `SELECT ${texts('body', 'seal')} FROM definitions WHERE digest = ?`;
    return (await db.select(selected, [digest]))[0];
  }

  return {
    async putDefinition(digest, body, { isUnsealed = false, isServed = false } = {}) {
      const text = JSON.stringify(body);
      const found = await definition(digest);
      if (found !== undefined && isKeptDefinition(seals, found, { digest, text, isServed })) return;
      if (isUnsealed)
        await db.change(
          'INSERT INTO definitions (digest, body, put_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
          [digest, text, at()],
        );
      else
        await db.change(
          `INSERT INTO definitions (digest, body, seal, put_at) VALUES (?, ?, ?, ?)
           ON CONFLICT (digest) DO UPDATE SET body = excluded.body, seal = excluded.seal`,
          [digest, text, seals.make('definition', [digest, text]), at()],
        );
    },
    async getDefinition(digest, options) {
      const row = await definition(digest);
      return row === undefined
        ? db.checkMiss('definitions')
        : toDefinition(seals, digest, { ...options, row });
    },
    async putBlob(value) {
      const digest = digestOf(value);
      // A call may store hundreds of values, each in a transaction of its own. Others get a turn in between.
      await nextTurn();
      const kept = await db.select('SELECT 1 AS one FROM blobs WHERE digest = ?', [digest]);
      if (kept.length === 0)
        await db.change('INSERT INTO blobs (digest, value, put_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', [
          digest,
          canonicalJson(value),
          at(),
        ]);
      return digest;
    },
    async getBlob(digest) {
      const [row] = await db.select(`SELECT ${texts('value')} FROM blobs WHERE digest = ?`, [digest]);
      return row === undefined ? db.checkMiss('blobs') : toBlob(digest, String(row['value']));
    },
    async blobs(sid) {
      const named = await db.select(`SELECT ${texts('digest')} FROM session_blobs WHERE sid = ?`, [sid]);
      return named.map(({ digest }) => String(digest)).toSorted(byCodeUnits);
    },
  };
}

/** The highest number that every database takes as a limit. */
export const maxNumber = 2_147_483_647;

export function callAndAgentMethods(
  db: Database,
  seals: Seals,
  { behind, trace }: { readonly behind: WriteBehind<DelayedWrite>; readonly trace: CallTrace },
): CallAndAgentMethods {
  const { dialect } = db;
  const { texts } = dialect;
  return {
    recordCall: trace.record,
    async calls(sid, { after = 0, limit = Infinity, ...reading } = {}) {
      await behind.settle(sid);
      return db.read(function* () {
        const found = yield* select(
          `SELECT seq, ${texts('writer', 'call', 'seal')} FROM calls WHERE sid = ? ORDER BY n LIMIT ? OFFSET ?`,
          [sid, Math.min(limit, maxNumber), Math.min(after, maxNumber)],
        );
        if (found.length === 0) return [];
        return toCalls(seals, yield* readSession(dialect, seals, sid, reading), found, after);
      });
    },
    async joinAgent(sid, agent) {
      const known = (await db.read(() => agentsOf(dialect, seals, sid))).indexOf(agent);
      return known === -1 ? db.write(() => joinAgent(dialect, seals, sid, agent)) : known + 1;
    },
    agents: (sid, reading) => db.read(() => agentsOf(dialect, seals, sid, reading)),
    async delivered(sid, agent) {
      await behind.settle(sid);
      const sent = `SELECT agent, ${texts('digest', 'seal')} FROM deliveries WHERE sid = ? AND agent = ?`;
      // A row without a genuine seal is ignored, so that bundle is sent again.
      return (await db.select(sent, [sid, agent]))
        .filter((row) => judgeRow(seals, 'delivery', sid, row) === 'genuine')
        .map(({ digest }) => String(digest))
        .toSorted(byCodeUnits);
    },
    async markDelivered(sid, agent, digests) {
      const all = [...new Set(digests)];
      await behind.add(sid, () => ({ task: () => insertDeliveries(dialect, seals, sid, [agent, all]) }));
    },
    async resetDelivered(sid, agent) {
      const reset = 'DELETE FROM deliveries WHERE sid = ? AND agent = ?';
      await behind.add(sid, () => ({ task: () => change(reset, [sid, agent]) }));
    },
  };
}

function* agentsOf(
  dialect: Dialect,
  seals: Seals,
  sid: string,
  reading: Reading = {},
): Task<readonly string[]> {
  const selected = `SELECT number, ${dialect.texts('agent', 'seal')} FROM agents WHERE sid = ? ORDER BY number`;
  const found = yield* select(selected, [sid]);
  if (found.length === 0) return [];
  // The session is read after the names, so that the names are checked against the latest state of the session.
  return toAgents(seals, yield* readSession(dialect, seals, sid, reading), found);
}

/** Adds an agent if it is new and returns its number. Agents of one session join one after the other. */
function* joinAgent(dialect: Dialect, seals: Seals, sid: string, agent: string): Task<number> {
  const locked = `SELECT 1 AS one FROM sessions WHERE sid = ? ${dialect.lock('NO KEY UPDATE')}`;
  if ((yield* select(locked, [sid])).length === 0) throw noSession(sid);
  const agents = yield* agentsOf(dialect, seals, sid);
  if (agents.includes(agent)) return agents.indexOf(agent) + 1;
  const number = agents.length + 1;
  const seal = seals.make('agent', [sid, number, agent]);
  yield* change('INSERT INTO agents (sid, number, agent, seal) VALUES (?, ?, ?, ?)', [
    sid,
    number,
    agent,
    seal,
  ]);
  return number;
}

/** Records deliveries. Those of a deleted session are dropped. */
function* insertDeliveries(
  { elements }: Dialect,
  seals: Seals,
  sid: string,
  [agent, digests]: readonly [agent: number, digests: readonly string[]],
): Task<void> {
  const sealed = digests.map((digest) => [digest, seals.make('delivery', [sid, agent, digest])]);
  yield* change(
    `INSERT INTO deliveries (sid, agent, digest, seal)
     SELECT sid, ?, element.value->>0, element.value->>1 FROM sessions, ${elements} WHERE sid = ?
     ON CONFLICT (sid, agent, digest) DO UPDATE SET seal = excluded.seal`,
    [agent, JSON.stringify(sealed), sid],
  );
}

/** The values that the seal of each kind of row covers, after the session or the digest that it belongs to. */
const sealedValues = {
  agent: (row) => [Number(row['number']), String(row['agent'])],
  call: (row) => [String(row['writer']), Number(row['seq']), String(row['call'])],
  command: (row) => [String(row['key']), String(row['result'])],
  definition: (row) => [String(row['body'])],
  delivery: (row) => [Number(row['agent']), String(row['digest'])],
} satisfies Readonly<Record<string, (row: SqlRow) => readonly SealValue[]>>;

export type SealedRow = keyof typeof sealedValues;

/** Returns the verdict on the seal of a row. `owner` is its session, or the digest of a definition. */
export function judgeRow(seals: Seals, kind: SealedRow, owner: string, row: SqlRow): SealVerdict {
  return seals.judge(kind, [owner, ...sealedValues[kind](row)], sealOf(row));
}

/** Returns a new seal for a row. */
export function sealRow(seals: Seals, kind: SealedRow, owner: string, row: SqlRow): string {
  return seals.make(kind, [owner, ...sealedValues[kind](row)]);
}

/** Parses a stored value. Throws if it does not match its digest. */
function toBlob(digest: string, text: string): Json {
  const value = parseJson(text);
  if (value === undefined || digestOf(value) !== digest) throw damagedStore(damageMessages.value(digest));
  return value;
}

/**
 * Converts rows into the calls of a session after a number. Throws if one was changed. Only `verify` detects missing
 * calls.
 *
 * @param session absent if the session was deleted
 */
function toCalls(
  seals: Seals,
  session: SessionRow | undefined,
  found: readonly SqlRow[],
  after: number,
): readonly CallRecord[] {
  if (session === undefined) return [];
  const { sid, unauthentic } = session;
  return found.map((row, index) => {
    const n = after + index + 1;
    if (unauthentic === undefined && judgeRow(seals, 'call', sid, row) !== 'genuine')
      throw seals.isPlain ? damagedStore(damageMessages.call(n, sid)) : forged(sid, rowNames.call(n));
    return { n, call: toObject(row['call'], rowNames.call(n)) };
  });
}

/** Returns the recorded result of a command in an authentic session. Throws if it was changed. */
export function toCommand(seals: Seals, sid: string, row: SqlRow): JsonObject {
  if (judgeRow(seals, 'command', sid, row) === 'genuine')
    return toObject(row['result'], rowNames.commandResult());
  throw seals.isPlain ? damagedStore(damageMessages.commandResult()) : forged(sid, rowNames.commandResult());
}

/** Returns the names of agents in order. Throws if one was changed or is missing. */
function toAgents(
  seals: Seals,
  session: SessionRow | undefined,
  found: readonly SqlRow[],
): readonly string[] {
  if (session === undefined) return [];
  const { sid, unauthentic } = session;
  return found.map((row, index) => {
    const isGenuine = unauthentic !== undefined || judgeRow(seals, 'agent', sid, row) === 'genuine';
    if (!isGenuine || Number(row['number']) !== index + 1)
      throw seals.isPlain ? damagedStore(damageMessages.agent()) : forged(sid, rowNames.agent(index + 1));
    return String(row['agent']);
  });
}

/** Whether a definition has a genuine seal and stays as it is. It does not stay if another body is served. */
function isKeptDefinition(
  seals: Seals,
  row: SqlRow,
  { digest, text, isServed }: { readonly digest: string; readonly text: string; readonly isServed: boolean },
): boolean {
  const isSealed = sealOf(row) !== null && judgeRow(seals, 'definition', digest, row) === 'genuine';
  return isSealed && (!isServed || String(row['body']) === text);
}

/** Returns a definition from its row. Throws if its seal is not genuine, unless one without a seal is accepted. */
function toDefinition(
  seals: Seals,
  digest: string,
  { row, isUnsealedToo = false }: { readonly row: SqlRow; readonly isUnsealedToo?: boolean },
): JsonObject {
  const verdict = judgeRow(seals, 'definition', digest, row);
  const isTaken =
    verdict === 'genuine' || (isUnsealedToo && ['absent', 'unchecked', 'unknown-key'].includes(verdict));
  if (!isTaken)
    throw damagedStore(damageMessages.definition(digest), {
      reason: seals.isPlain ? 'corrupt' : 'unauthentic',
    });
  return toObject(row['body'], 'a definition');
}

function toObject(text: unknown, what: string): JsonObject {
  const value = parseJson(String(text));
  if (!isJsonObject(value)) throw damagedStore(damageMessages.notAnObject(what));
  return value;
}
