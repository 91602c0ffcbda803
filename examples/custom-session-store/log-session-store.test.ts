import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeSessionStore } from '@workflowlookup/storage/testing';
import { createFolderLog } from './entry-log.ts';
import { createLogSessionStore } from './log-session-store.ts';

describeSessionStore('A store over a log', async () => {
  const root = await mkdtemp(join(tmpdir(), 'log-session-store-'));
  const folder = join(root, 'log');
  const open = async () => createLogSessionStore(createFolderLog(folder));
  return {
    store: await open(),
    open,
    async tear() {
      const last = (await readdir(folder)).toSorted().at(-1) ?? '';
      await truncate(join(folder, last), 100);
    },
    dispose: () => rm(root, { recursive: true, force: true }),
  };
});
