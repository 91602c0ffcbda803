import type { Json, JsonObject } from '@workflowlookup/schema';
import { canonicalJson } from '@workflowlookup/schema';
import { notKept } from '../sessions/no-session.ts';
import type { PutDefinitionOptions, Seals } from '../session-store.ts';
import { isKeptDefinition, toBlob, toDefinition } from '../sql/stored-contents.ts';
import type { SqlRow } from '../sql/sql-row.ts';
import type { SqliteDatabase } from './driver.ts';
import { textColumns } from './driver.ts';

/** Whether there is a definition with this digest. */
export function hasDefinition(db: SqliteDatabase, digest: string): boolean {
  return db.all('SELECT 1 AS one FROM definitions WHERE digest = ?', [digest]).length > 0;
}

/** A definition that is to be kept. */
export interface DefinitionDraft extends PutDefinitionOptions {
  readonly digest: string;
  readonly body: JsonObject;
}

/** Whether the definition is kept with a genuine seal and, if it is served, with the same body. Then nothing has to be written. */
export function isDefinitionKept(db: SqliteDatabase, seals: Seals, draft: DefinitionDraft): boolean {
  const [row] = selectDefinition(db, draft.digest);
  return row !== undefined && isKeptDefinition(seals, row, draft);
}

/** Keeps a definition, also in the place of one without a genuine seal; one that stays unsealed itself replaces nothing. */
export function putDefinition(
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

/** A definition; one that was changed is an error. */
export function readDefinition(
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

export function hasBlob(db: SqliteDatabase, digest: string): boolean {
  return db.all('SELECT 1 AS one FROM blobs WHERE digest = ?', [digest]).length > 0;
}

/** Keeps a value under its digest. */
export function insertBlob(
  db: SqliteDatabase,
  blob: { readonly digest: string; readonly value: Json; readonly at: string },
): void {
  db.run('INSERT INTO blobs (digest, value, put_at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING', [
    blob.digest,
    canonicalJson(blob.value),
    blob.at,
  ]);
}

/** A value; one that is not what its digest says is an error. */
export function readBlob(db: SqliteDatabase, digest: string): Json | undefined {
  const text = db.all(`SELECT ${textColumns('value')} FROM blobs WHERE digest = ?`, [digest])[0]?.['value'];
  return text === undefined ? undefined : toBlob(digest, String(text));
}

/** Notes that a session refers to values; one that is not there is `STATE`. */
export function nameBlobs(db: SqliteDatabase, sid: string, digests: readonly string[]): void {
  for (const digest of digests) {
    if (!hasBlob(db, digest)) throw notKept('blob', digest);
    db.run('INSERT INTO session_blobs (sid, digest) VALUES (?, ?) ON CONFLICT DO NOTHING', [sid, digest]);
  }
}

/** The digests of the values a session refers to, sorted. */
export function blobsOf(db: SqliteDatabase, sid: string): readonly string[] {
  const rows = db.all(
    `SELECT ${textColumns('digest')} FROM session_blobs WHERE sid = ? ORDER BY session_blobs.digest`,
    [sid],
  );
  return rows.map(({ digest }) => String(digest));
}
