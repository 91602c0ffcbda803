import type { SessionStore, StateStore } from '@workflowlookup/storage';
import type { PostgresSessionStoreOptions } from '@workflowlookup/storage/postgres';
import { createPostgresSessionStore } from '@workflowlookup/storage/postgres';
import type { SessionStoreHarness } from '@workflowlookup/storage/testing';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import type { PostgresServer } from './postgres-server.ts';
import { startPostgres } from './postgres-server.ts';
import { serverSettings } from './rounds.ts';

/** The database of one test. */
export interface PostgresPlace {
  readonly url: string;
  /** Opens a store over the database, as another replica would. It is closed after the test. */
  open(options?: Partial<PostgresSessionStoreOptions>): StateStore;
  /** Runs a statement without a store. */
  run(sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]>;
  /** Resolves when a statement in this database sleeps. */
  asleep(): Promise<void>;
}

/** A server for the tests of a file, with a database for each test. */
export interface PostgresPlaces {
  server(): PostgresServer;
  place(): Promise<PostgresPlace>;
}

/** The time limit for starting a server, which is enough on a busy machine. */
const startMs = 60_000;

/** Runs a server for the tests of this file, with these settings and with these files beside its data. */
export function postgresPlaces(
  settings: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
): PostgresPlaces {
  let postgres: PostgresServer | undefined;
  beforeAll(async () => {
    postgres = await startPostgres({ ...serverSettings, ...settings }, files);
  }, startMs);
  afterAll(() => postgres?.remove());

  function server(): PostgresServer {
    if (postgres === undefined) throw new Error('The server has not started yet');
    return postgres;
  }

  return {
    server,
    async place() {
      const url = await server().database();
      return {
        url,
        run: (sql, values) => server().run(url, sql, values),
        async asleep() {
          const sleeping =
            "SELECT FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
          while ((await server().run(url, sleeping)).length === 0);
        },
        open(options) {
          const store = createPostgresSessionStore({ server: url, ...options });
          // A store whose server was stopped may fail to write what is pending.
          onTestFinished(() => store.close().catch(() => {}));
          return store;
        },
      };
    },
  };
}

/** Empties a database for the cases of `describeSessionStore`. */
export async function emptied(server: PostgresServer, url: string): Promise<SessionStoreHarness> {
  await server.run(
    url,
    `TRUNCATE workflowlookup.sessions, workflowlookup.definitions, workflowlookup.blobs CASCADE;
     UPDATE workflowlookup.meta SET last_change = 0`,
  );
  const open = async (): Promise<SessionStore> => createPostgresSessionStore({ server: url });
  return {
    store: await open(),
    open,
    async tear() {
      await server.run(
        url,
        `DELETE FROM workflowlookup.events WHERE revision > 38;
         UPDATE workflowlookup.events SET data = left(data, 100) WHERE revision = 38`,
      );
    },
  };
}
