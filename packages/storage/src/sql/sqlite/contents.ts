import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Json, JsonObject } from '@workflowlookup/schema';
import { canonicalJson, digestOf } from '@workflowlookup/schema';
import type { ContentMethods } from '../../sessions/checked-store.ts';
import { notStored } from '../../sessions/errors.ts';
import type { PutDefinitionOptions, Seals } from '../../sessions/session-store.ts';
import { isKeptDefinition, toBlob, toDefinition } from '../stored-contents.ts';
import type { SqlRow } from '../stored-session.ts';
import type { Connection } from './connection.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';
import { createMissCheck } from './storage-failure.ts';

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
