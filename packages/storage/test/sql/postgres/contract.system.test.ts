import type { AccessStore } from '@workflowlookup/storage';
import { createPostgresSessionStore } from '@workflowlookup/storage/postgres';
import { describeAccessStore, describeSessionStore } from '@workflowlookup/storage/testing';
import { beforeAll, onTestFinished } from 'vitest';
import { emptied, postgresPlaces } from '../../support/postgres-place.ts';

const { server } = postgresPlaces({ fsync: 'off' });

let url: string;

beforeAll(async () => {
  url = await server().database();
  const store = createPostgresSessionStore({ server: url });
  await store.health();
  await store.close();
});

describeSessionStore('A Postgres session store', () => emptied(server(), url));

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
