import type { AccessStore } from '@workflowlookup/storage';
import { createMemorySessionStore } from '@workflowlookup/storage/memory';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { describeAccessStore } from '@workflowlookup/storage/testing';
import { onTestFinished } from 'vitest';
import { tempFolder } from './support/temp-folder.ts';

describeAccessStore('A memory store', async () => ({ store: createMemorySessionStore().access }), {
  skip: { open: 'what a memory store holds is gone with it' },
});

describeAccessStore('A SQLite store', async () => {
  const file = (await tempFolder()).path('state', 'sessions.db');
  const open = async (): Promise<AccessStore> => {
    const store = createSqliteSessionStore({ file });
    onTestFinished(() => store.close());
    return store.access;
  };
  return { store: await open(), open };
});
