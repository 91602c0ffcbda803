import { damagedStore, newerSchema } from '../../errors.ts';
import type { SqliteDatabase } from './driver.ts';
import { damageMessages } from '../../messages.ts';

/** Runs the missing migrations in one transaction. Refuses a database that is newer than this program. */
export function migrate(db: SqliteDatabase, steps: readonly string[]): void {
  if (versionOf(db, steps) === steps.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have migrated while this one waited for the lock.
    for (const step of steps.slice(versionOf(db, steps))) db.exec(step);
    db.run('UPDATE meta SET schema_version = ?', [steps.length]);
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

/** Creates the table that holds the schema version, with no migrations applied. */
export function createMetaTable(db: SqliteDatabase): void {
  db.exec(`
    CREATE TABLE meta (schema_version INTEGER NOT NULL) STRICT;
    INSERT INTO meta (schema_version) VALUES (0);
  `);
}

function versionOf(db: SqliteDatabase, steps: readonly string[]): number {
  const version = db.all('SELECT schema_version AS version FROM meta')[0]?.['version'];
  if (typeof version !== 'number' || version < 0) throw damagedStore(damageMessages.noSchemaVersion());
  if (version > steps.length) throw newerSchema({ found: version, known: steps.length }, 'state directory');
  return version;
}

/**
 * The migrations from an empty database to the current schema, in order. The schema version is the number of applied
 * migrations. A released migration never changes. `seal` authenticates a row with a key that is not in the database; it
 * is NULL in rows from older programs, whose checksums the third migration drops. `position` grows with every commit,
 * because writers take turns and AUTOINCREMENT never repeats a number.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE definitions (
    digest TEXT PRIMARY KEY,
    body TEXT NOT NULL,
    crc INTEGER NOT NULL,
    put_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE sessions (
    sid TEXT PRIMARY KEY,
    workflow_id TEXT NOT NULL,
    version TEXT NOT NULL,
    digest TEXT NOT NULL REFERENCES definitions (digest),
    parent_sid TEXT,
    principal TEXT NOT NULL,
    agent TEXT NOT NULL,
    project TEXT,
    status TEXT NOT NULL,
    revision INTEGER NOT NULL,
    hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    updated_at TEXT NOT NULL,
    crc INTEGER NOT NULL,
    head_crc INTEGER NOT NULL,
    state_revision INTEGER,
    state_crc INTEGER,
    state TEXT
  ) STRICT;
  CREATE INDEX sessions_by_update ON sessions (updated_at, sid);
  CREATE INDEX sessions_by_digest ON sessions (digest);
  CREATE INDEX sessions_by_parent ON sessions (parent_sid) WHERE parent_sid IS NOT NULL;
  CREATE INDEX sessions_not_active ON sessions (status) WHERE status <> 'active';

  CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    sid TEXT NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
    revision INTEGER NOT NULL,
    at TEXT NOT NULL,
    type TEXT NOT NULL,
    data TEXT NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL,
    UNIQUE (sid, revision)
  ) STRICT;

  CREATE TABLE commands (
    sid TEXT NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
    key TEXT NOT NULL,
    result TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (sid, key)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE calls (
    sid TEXT NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
    n INTEGER NOT NULL,
    call TEXT NOT NULL,
    crc INTEGER NOT NULL,
    PRIMARY KEY (sid, n)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE agents (
    sid TEXT NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    agent TEXT NOT NULL,
    PRIMARY KEY (sid, number),
    UNIQUE (sid, agent)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE deliveries (
    sid TEXT NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
    agent INTEGER NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (sid, agent, digest)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE blobs (
    digest TEXT PRIMARY KEY,
    value TEXT NOT NULL,
    put_at TEXT NOT NULL
  ) STRICT;

  CREATE TABLE session_blobs (
    sid TEXT NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
    digest TEXT NOT NULL REFERENCES blobs (digest),
    PRIMARY KEY (sid, digest)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX session_blobs_by_digest ON session_blobs (digest);
  `,
  `
  CREATE TABLE api_keys (
    id TEXT PRIMARY KEY,
    principal TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_at TEXT NOT NULL,
    expires_at TEXT,
    hash TEXT NOT NULL,
    crc INTEGER NOT NULL,
    revoked_at TEXT
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE revoked_ids (
    id TEXT PRIMARY KEY,
    until TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX revoked_ids_by_end ON revoked_ids (until);

  CREATE TABLE keys (
    fingerprint TEXT PRIMARY KEY
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE definitions ADD COLUMN seal TEXT;
  ALTER TABLE definitions DROP COLUMN crc;

  ALTER TABLE sessions ADD COLUMN marks TEXT;
  ALTER TABLE sessions ADD COLUMN seal TEXT;
  ALTER TABLE sessions ADD COLUMN state_seal TEXT;
  ALTER TABLE sessions DROP COLUMN crc;
  ALTER TABLE sessions DROP COLUMN head_crc;
  ALTER TABLE sessions DROP COLUMN state_crc;

  ALTER TABLE events ADD COLUMN follows TEXT;
  ALTER TABLE events ADD COLUMN seal TEXT;

  ALTER TABLE commands ADD COLUMN seal TEXT;
  ALTER TABLE commands DROP COLUMN crc;

  ALTER TABLE calls ADD COLUMN writer TEXT;
  ALTER TABLE calls ADD COLUMN seq INTEGER;
  ALTER TABLE calls ADD COLUMN seal TEXT;
  ALTER TABLE calls DROP COLUMN crc;
  CREATE UNIQUE INDEX calls_by_writer ON calls (sid, writer, seq);

  ALTER TABLE agents ADD COLUMN seal TEXT;
  ALTER TABLE deliveries ADD COLUMN seal TEXT;
  `,
  `
  CREATE INDEX sessions_by_principal ON sessions (principal, status);
  `,
  `
  DROP INDEX calls_by_writer;
  `,
  `
  CREATE TABLE session_index (
    sid TEXT PRIMARY KEY REFERENCES sessions (sid) ON DELETE CASCADE,
    version INTEGER NOT NULL,
    revision INTEGER NOT NULL,
    calls INTEGER NOT NULL,
    title TEXT NOT NULL,
    outcome TEXT NOT NULL,
    tags TEXT NOT NULL,
    figures TEXT NOT NULL,
    seal TEXT,
    text TEXT NOT NULL
  ) STRICT;
  `,
];
