import type { StateStore } from '@workflowlookup/storage';
import type { SqliteSessionStoreOptions } from '@workflowlookup/storage/sqlite';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { onTestFinished } from 'vitest';
import type { TempFolder } from './temp-folder.ts';
import { tempFolder } from './temp-folder.ts';

/** The folder of one test for a session database. */
export interface SessionFolder {
  readonly folder: TempFolder;
  readonly file: string;
  /** Opens a store over the file. It is closed after the test. */
  open(options?: Partial<SqliteSessionStoreOptions>): StateStore;
}

export async function sessionFolder(): Promise<SessionFolder> {
  const folder = await tempFolder();
  const file = folder.path('state', 'sessions.db');
  return {
    folder,
    file,
    open(options) {
      const store = createSqliteSessionStore({ file, ...options });
      // A store over a damaged file may fail to write what is pending.
      onTestFinished(() => store.close().catch(() => {}));
      return store;
    },
  };
}
