import type { SessionStore } from '@workflowlookup/storage';
import { createPostgresSessionStore } from '@workflowlookup/storage/postgres';
import { describeSessionStore } from '@workflowlookup/storage/testing';
import { afterAll, beforeAll } from 'vitest';
import type { PostgresServer } from './support/postgres-server.ts';
import { startPostgres } from './support/postgres-server.ts';

let postgres: PostgresServer;
let url: string;

beforeAll(async () => {
  postgres = await startPostgres({ fsync: 'off' });
  url = await postgres.database();
  const store = createPostgresSessionStore({ server: url });
  await store.health();
  await store.close();
});
afterAll(() => postgres.remove());

describeSessionStore('A Postgres session store', async () => {
  await postgres.run(
    url,
    `TRUNCATE workflowlookup.sessions, workflowlookup.definitions, workflowlookup.blobs CASCADE;
     UPDATE workflowlookup.meta SET last_change = 0`,
  );
  const open = async (): Promise<SessionStore> => createPostgresSessionStore({ server: url });
  return {
    store: await open(),
    open,
    tear: async () => {
      await postgres.run(
        url,
        `DELETE FROM workflowlookup.events WHERE revision > 38;
         UPDATE workflowlookup.events SET data = left(data, 100) WHERE revision = 38`,
      );
    },
  };
});
