import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPostgresSessionStore } from '@workflowlookup/storage/postgres';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import Database from 'libsql';

/**
 * A database under measurement.
 *
 * @typedef {object} SizedDatabase
 * @property {() => import('@workflowlookup/storage').SessionStore} open
 * @property {() => Promise<number>} bytes returns its size on the disk
 * @property {() => Promise<Readonly<Record<string, number>>>} tables returns the size of each table with its indexes
 * @property {() => Promise<void>} tidy makes the space of deleted rows reusable, like regular maintenance
 * @property {() => Promise<void>} shrink returns the space of deleted rows to the disk
 * @property {() => Promise<{ bytes: number } | { skipped: string }>} backup
 * @property {() => Promise<void>} remove
 */

/** Creates a SQLite database, in memory if possible, which does not affect sizes. @returns {Promise<SizedDatabase>} */
export async function sqliteDatabase() {
  const folder = await mkdtemp(
    join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'workflowlookup-sizing-'),
  );
  const file = join(folder, 'sessions.db');
  return {
    open: () => createSqliteSessionStore({ file }),
    bytes: async () => (await stat(file)).size,
    tables: async () =>
      totals(
        within(file, (db) =>
          db
            .prepare(
              `SELECT coalesce(tbl_name, dbstat.name) AS name, sum(pgsize) AS bytes
               FROM dbstat LEFT JOIN sqlite_master ON sqlite_master.name = dbstat.name GROUP BY 1`,
            )
            .all(),
        ),
      ),
    tidy: async () => undefined,
    shrink: async () => void within(file, (db) => db.exec('VACUUM')),
    async backup() {
      const copy = join(folder, 'copy.db');
      const { error, status, stderr } = spawnSync('sqlite3', [file, `.backup ${copy}`], { encoding: 'utf8' });
      if (error?.code === 'ENOENT') within(file, (db) => db.exec(`VACUUM INTO '${copy}'`));
      else if (status !== 0) throw error ?? new Error(stderr);
      return { bytes: (await stat(copy)).size };
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

function within(file, job) {
  const db = new Database(file);
  try {
    return job(db);
  } finally {
    db.close();
  }
}

/** Creates a database on a Postgres server. @returns {Promise<SizedDatabase>} */
export async function postgresDatabase(server, scratch) {
  const url = await server.database();
  const run = (sql) => server.run(url, sql);
  return {
    open: () => createPostgresSessionStore({ server: url }),
    async bytes() {
      const [row] = await run('SELECT pg_database_size(current_database()) AS bytes');
      return Number(row.bytes);
    },
    tables: async () =>
      totals(
        await run(
          `SELECT relname AS name, pg_total_relation_size(oid) AS bytes FROM pg_class
           WHERE relnamespace = 'workflowlookup'::regnamespace AND relkind = 'r'`,
        ),
      ),
    tidy: async () => void (await run('VACUUM ANALYZE')),
    shrink: async () => void (await run('VACUUM FULL')),
    async backup() {
      const copy = join(scratch, 'sizing.dump');
      const { error, status, stderr } = spawnSync('pg_dump', ['--format', 'custom', '--file', copy, url], {
        encoding: 'utf8',
      });
      if (error?.code === 'ENOENT') return { skipped: 'there is no pg_dump' };
      if (/server version mismatch/.test(stderr)) return { skipped: 'pg_dump is older than the server' };
      if (status !== 0) throw error ?? new Error(stderr);
      return { bytes: (await stat(copy)).size };
    },
    remove: async () => undefined,
  };
}

function totals(rows) {
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}
