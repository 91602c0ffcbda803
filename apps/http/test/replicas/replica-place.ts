import { fileURLToPath } from 'node:url';
import type { SessionStore } from '@workflowlookup/storage';
import { createPostgresSessionStore } from '@workflowlookup/storage/postgres';
import { afterAll, beforeAll } from 'vitest';
import type { PostgresServer } from '../../../../packages/storage/test/support/postgres-server.ts';
import { startPostgres } from '../../../../packages/storage/test/support/postgres-server.ts';
import { buildApp, removeApp } from '../../../stdio/test/support/built-app.ts';
import { relayFiles } from '../../../stdio/test/support/relay-workflow.ts';
import type { StateFolder } from '../../../stdio/test/support/state-folder.ts';
import { stateFolder } from '../../../stdio/test/support/state-folder.ts';
import { sharedKeys } from '../../../stdio/test/support/whole-journal.ts';
import type { Replica } from '../support/replica.ts';
import { startReplica } from '../support/replica.ts';

/** A Postgres server, and replicas that share only a database in it and their keys. */
export interface ReplicaPlace {
  postgres(): PostgresServer;
  /** Address of the database. */
  database(): string;
  /** Starts one of the two replicas, each with definitions and a state directory of its own. */
  start(which: 0 | 1, port?: number): Promise<Replica>;
  /** Opens the store with the keys of the replicas, to read the database directly. */
  store(): SessionStore;
}

const app = fileURLToPath(new URL('../..', import.meta.url));
const keys = 'ab'.repeat(32);

/** Creates a place that is removed after the tests of this file. Every replica gets these flags. */
export function replicaPlace(flags: readonly string[] = []): ReplicaPlace {
  let entry: string;
  let postgres: PostgresServer;
  let database: string;
  let folders: readonly StateFolder[];
  const started: Replica[] = [];

  beforeAll(async () => {
    [entry, postgres, ...folders] = await Promise.all([
      buildApp(app),
      // The tests stop only processes, so no data is lost without fsync.
      startPostgres({ fsync: 'off' }),
      stateFolder(relayFiles),
      stateFolder(relayFiles),
    ]);
    database = await postgres.database();
  }, 60_000);

  afterAll(async () => {
    await Promise.all(started.map((replica) => replica.kill()));
    await postgres.remove();
    await Promise.all(folders.map((folder) => folder.dispose()));
    await removeApp(entry);
  });

  return {
    postgres: () => postgres,
    database: () => database,
    store: () => createPostgresSessionStore({ server: database, keys: sharedKeys(keys) }),
    async start(which, port) {
      const own = folders[which]?.flags ?? [];
      const env = { WORKFLOWLOOKUP_KEYS: keys, WORKFLOWLOOKUP_DATABASE: database };
      const replica = await startReplica({
        entry,
        flags: [...own, ...flags],
        env,
        ...(port !== undefined && { port }),
      });
      started.push(replica);
      return replica;
    },
  };
}
