import type { AccessStore, SessionStore } from '@workflowlookup/storage';
import { createPostgresSessionStore } from '@workflowlookup/storage/postgres';
import { describeAccessStore, describeSessionStore } from '@workflowlookup/storage/testing';
import { beforeAll, onTestFinished } from 'vitest';
import { postgresPlaces } from './support/postgres-place.ts';

const { server } = postgresPlaces({ fsync: 'off' });

let url: string;

beforeAll(async () => {
  url = await server().database();
  const store = createPostgresSessionStore({ server: url });
  await store.health();
  await store.close();
});

describeSessionStore('A Postgres session store', async () => {
  await server().run(
    url,
    `TRUNCATE workflowlookup.sessions, workflowlookup.definitions, workflowlookup.blobs CASCADE;
     UPDATE workflowlookup.meta SET last_change = 0`,
  );
  const open = async (): Promise<SessionStore> => createPostgresSessionStore({ server: url });
  return {
    store: await open(),
    open,
    tear: async () => {
      await server().run(
        url,
        `DELETE FROM workflowlookup.events WHERE revision > 38;
         UPDATE workflowlookup.events SET data = left(data, 100) WHERE revision = 38`,
      );
    },
  };
});

describeAccessStore('A Postgres store', async () => {
  await server().run(
    url,
    'TRUNCATE workflowlookup.api_keys, workflowlookup.revoked_ids, workflowlookup.keys',
  );
  const open = async (): Promise<AccessStore> => {
    const store = createPostgresSessionStore({ server: url });
    onTestFinished(() => store.close());
    return store.access;
  };
  return { store: await open(), open };
});
