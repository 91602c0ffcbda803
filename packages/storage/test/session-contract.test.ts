import { readFile, truncate } from 'node:fs/promises';
import { createMemorySessionStore } from '@workflowlookup/storage/memory';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { describeSessionStore } from '@workflowlookup/storage/testing';
import { tempFolder } from './support/temp-folder.ts';

describeSessionStore('A memory session store', async () => ({ store: createMemorySessionStore() }), {
  skip: {
    open: 'what a memory store holds is gone with it',
    tear: 'a memory store has no file',
  },
});

describeSessionStore('A SQLite session store', async () => {
  const folder = await tempFolder();
  const file = folder.path('state', 'sessions.db');
  const open = async (): Promise<ReturnType<typeof createSqliteSessionStore>> =>
    createSqliteSessionStore({ file });
  return {
    store: await open(),
    open,
    tear: async () => truncate(file, (await readFile(file)).length - 5_000),
  };
});
