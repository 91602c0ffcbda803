import { WorkflowError } from '@workflowlookup/schema';
import { newerSchema } from '../../errors.ts';
import type { PostgresDatabase, ConnectionTask } from './connection.ts';
import { databaseMessages } from '../../messages.ts';

/** The key of the lock by which replicas that start at the same time take turns. It is a random number. */
const migrationLock = '7234816559203147';

/** Runs the missing migrations in one transaction. Refuses a database that is newer than this program. */
export async function migrate(
  transact: (task: ConnectionTask<void>) => Promise<void>,
  db: PostgresDatabase,
  steps: readonly string[] = migrations,
): Promise<void> {
  if ((await versionOf(db, steps)) === steps.length) return;
  await transact(async (inside) => {
    await inside.once('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    await createSchema(inside);
    // Another replica may have migrated while this one waited for the lock.
    const version = (await versionOf(inside, steps)) ?? 0;
    for (const step of steps.slice(version)) await inside.once(step);
    await inside.once('UPDATE meta SET schema_version = $1', [steps.length]);
  });
}

async function createSchema(db: PostgresDatabase): Promise<void> {
  const [row] = await db.once(
    `SELECT to_regnamespace('workflowlookup') IS NOT NULL AS has_schema,
       to_regclass('workflowlookup.meta') IS NOT NULL AS has_meta, current_setting('server_encoding') AS encoding`,
  );
  if (row?.['encoding'] !== 'UTF8') throw otherEncoding(String(row?.['encoding']));
  if (!row['has_schema']) await db.once('CREATE SCHEMA workflowlookup');
  if (row['has_meta']) return;
  await db.once('CREATE TABLE meta (schema_version integer NOT NULL, last_change bigint NOT NULL)');
  await db.once('INSERT INTO meta (schema_version, last_change) VALUES (0, 0)');
}

/** Returns how many migrations are applied, or `undefined` if the database has no schema of ours yet. */
async function versionOf(db: PostgresDatabase, steps: readonly string[]): Promise<number | undefined> {
  const [row] = await db.once("SELECT to_regclass('workflowlookup.meta') IS NOT NULL AS has_meta");
  if (!row?.['has_meta']) return undefined;
  const [meta] = await db.once('SELECT schema_version FROM meta');
  const version = Number(meta?.['schema_version'] ?? 0);
  if (version > steps.length) throw newerSchema({ found: version, known: steps.length }, 'database');
  return version;
}

function otherEncoding(encoding: string): WorkflowError {
  return new WorkflowError('STORE_UNAVAILABLE', databaseMessages.otherEncoding(encoding), {
    data: { reason: 'encoding', retryable: false },
  });
}

/**
 * The migrations from an empty database to the current schema, in order. The schema version is the number of applied
 * migrations. A released migration never changes. `seal` authenticates a row with a key that is not in the database; it
 * is NULL in rows from older programs, whose checksums the third migration drops. Texts are compared by their bytes.
 * JSON is stored as text, because Postgres would change it. A write gets its `entry` when it starts and its `position`
 * among all changes when a reader sees it as committed, so no reader can have passed it.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE definitions (
    digest text COLLATE "C" PRIMARY KEY,
    body text NOT NULL,
    crc bigint NOT NULL,
    put_at text COLLATE "C" NOT NULL
  );

  CREATE TABLE sessions (
    sid text COLLATE "C" PRIMARY KEY,
    workflow_id text COLLATE "C" NOT NULL,
    version text NOT NULL,
    digest text COLLATE "C" NOT NULL CONSTRAINT sessions_definition REFERENCES definitions (digest),
    parent_sid text COLLATE "C",
    principal text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    project text COLLATE "C",
    status text COLLATE "C" NOT NULL,
    revision integer NOT NULL,
    hash text COLLATE "C" NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    updated_at text COLLATE "C" NOT NULL,
    crc bigint NOT NULL,
    head_crc bigint NOT NULL,
    state_revision integer,
    state_crc bigint,
    state text
  );
  CREATE INDEX sessions_by_update ON sessions (updated_at, sid);
  CREATE INDEX sessions_by_digest ON sessions (digest);
  CREATE INDEX sessions_by_parent ON sessions (parent_sid) WHERE parent_sid IS NOT NULL;
  CREATE INDEX sessions_not_active ON sessions (status) WHERE status <> 'active';

  CREATE TABLE events (
    sid text COLLATE "C" NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
    revision integer NOT NULL,
    at text NOT NULL,
    type text NOT NULL,
    data text NOT NULL,
    prev_hash text NOT NULL,
    hash text NOT NULL,
    PRIMARY KEY (sid, revision)
  );

  CREATE TABLE writes (
    sid text COLLATE "C" NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
    first_revision integer NOT NULL,
    last_revision integer NOT NULL,
    entry bigint GENERATED ALWAYS AS IDENTITY,
    position bigint UNIQUE,
    PRIMARY KEY (sid, last_revision)
  );
  CREATE INDEX writes_without_position ON writes (entry) WHERE position IS NULL;

  CREATE TABLE commands (
    sid text COLLATE "C" NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
    key text COLLATE "C" NOT NULL,
    result text NOT NULL,
    crc bigint NOT NULL,
    PRIMARY KEY (sid, key)
  );

  CREATE TABLE calls (
    sid text COLLATE "C" NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
    n integer NOT NULL,
    id uuid NOT NULL UNIQUE,
    call text NOT NULL,
    crc bigint NOT NULL,
    PRIMARY KEY (sid, n)
  );

  CREATE TABLE agents (
    sid text COLLATE "C" NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
    number integer NOT NULL,
    agent text COLLATE "C" NOT NULL,
    PRIMARY KEY (sid, number),
    UNIQUE (sid, agent)
  );

  CREATE TABLE deliveries (
    sid text COLLATE "C" NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
    agent integer NOT NULL,
    digest text COLLATE "C" NOT NULL,
    PRIMARY KEY (sid, agent, digest)
  );

  CREATE TABLE blobs (
    digest text COLLATE "C" PRIMARY KEY,
    value text NOT NULL,
    put_at text COLLATE "C" NOT NULL
  );

  CREATE TABLE session_blobs (
    sid text COLLATE "C" NOT NULL REFERENCES sessions (sid) ON DELETE CASCADE,
    digest text COLLATE "C" NOT NULL CONSTRAINT session_blobs_blob REFERENCES blobs (digest),
    PRIMARY KEY (sid, digest)
  );
  CREATE INDEX session_blobs_by_digest ON session_blobs (digest);
  `,
  `
  CREATE TABLE api_keys (
    id text COLLATE "C" PRIMARY KEY,
    principal text NOT NULL,
    scopes text NOT NULL,
    created_at text COLLATE "C" NOT NULL,
    expires_at text,
    hash text NOT NULL,
    crc bigint NOT NULL,
    revoked_at text
  );

  CREATE TABLE revoked_ids (
    id text COLLATE "C" PRIMARY KEY,
    until text COLLATE "C" NOT NULL
  );
  CREATE INDEX revoked_ids_by_end ON revoked_ids (until);

  CREATE TABLE keys (
    fingerprint text COLLATE "C" PRIMARY KEY
  );
  `,
  `
  ALTER TABLE definitions ADD COLUMN seal text, DROP COLUMN crc;
  ALTER TABLE sessions ADD COLUMN marks text, ADD COLUMN seal text, ADD COLUMN state_seal text,
    DROP COLUMN crc, DROP COLUMN head_crc, DROP COLUMN state_crc;
  ALTER TABLE events ADD COLUMN follows text, ADD COLUMN seal text;
  ALTER TABLE commands ADD COLUMN seal text, DROP COLUMN crc;

  -- Calls of several writers are numbered as they come, without waiting for each other.
  CREATE SEQUENCE calls_order;
  SELECT setval('calls_order', (SELECT coalesce(max(n), 0) + 1 FROM calls));
  ALTER TABLE calls ALTER COLUMN n TYPE bigint;
  ALTER TABLE calls ALTER COLUMN n SET DEFAULT nextval('calls_order');
  ALTER TABLE calls ADD COLUMN writer text COLLATE "C", ADD COLUMN seq bigint, ADD COLUMN seal text,
    DROP COLUMN crc, DROP COLUMN id;
  CREATE UNIQUE INDEX calls_by_writer ON calls (sid, writer, seq);

  ALTER TABLE agents ADD COLUMN seal text;
  ALTER TABLE deliveries ADD COLUMN seal text;
  `,
  `
  CREATE INDEX sessions_by_principal ON sessions (principal, status);
  `,
  `
  CREATE TABLE session_index (
    sid text COLLATE "C" PRIMARY KEY REFERENCES sessions (sid) ON DELETE CASCADE,
    version integer NOT NULL,
    revision integer NOT NULL,
    calls bigint NOT NULL,
    title text NOT NULL,
    outcome text NOT NULL,
    tags text COLLATE "C" NOT NULL,
    figures text NOT NULL,
    seal text,
    text text COLLATE "C" NOT NULL
  );
  `,
];
