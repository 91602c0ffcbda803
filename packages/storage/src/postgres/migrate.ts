import { WorkflowError } from '@workflowlookup/schema';
import { newerSchema } from '../sql/newer-schema.ts';
import type { PostgresDatabase, Task } from './database.ts';
import { migrations } from './migrations.ts';

/** Replicas that start at once take turns by this key. It is like no other program's. */
const turn = '7234816559203147';

/** Takes the steps a database lacks, all in one transaction. One that has more than this program knows is refused. */
export async function migrate(
  transact: (task: Task<void>) => Promise<void>,
  db: PostgresDatabase,
  steps: readonly string[] = migrations,
): Promise<void> {
  if ((await versionOf(db, steps)) === steps.length) return;
  await transact(async (inside) => {
    await inside.once('SELECT pg_advisory_xact_lock($1)', [turn]);
    await found(inside);
    // Another replica may have taken the steps while this one waited for its turn.
    const version = (await versionOf(inside, steps)) ?? 0;
    for (const step of steps.slice(version)) await inside.once(step);
    await inside.once('UPDATE meta SET schema_version = $1', [steps.length]);
  });
}

/** Makes a database ours, without any step taken. */
async function found(db: PostgresDatabase): Promise<void> {
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

/** How many steps a database has taken; `undefined` where it is not ours yet. */
async function versionOf(db: PostgresDatabase, steps: readonly string[]): Promise<number | undefined> {
  const [row] = await db.once("SELECT to_regclass('workflowlookup.meta') IS NOT NULL AS has_meta");
  if (!row?.['has_meta']) return undefined;
  const [meta] = await db.once('SELECT schema_version FROM meta');
  const version = Number(meta?.['schema_version'] ?? 0);
  if (version > steps.length) throw newerSchema({ found: version, known: steps.length }, 'database');
  return version;
}

function otherEncoding(encoding: string): WorkflowError {
  return new WorkflowError(
    'STORAGE',
    `The session database keeps texts as ${encoding}, which not every text can be. Create one with ENCODING 'UTF8'.`,
    { data: { reason: 'encoding', retryable: false } },
  );
}
