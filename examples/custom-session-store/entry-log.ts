import { link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkflowError } from '@workflowlookup/schema';

/** A log of numbered entries. You can also build one on an object store with conditional writes (`If-None-Match: *`). */
export interface EntryLog {
  /** Returns an entry, or `undefined` if there is none with this number. */
  read(number: number): Promise<string | undefined>;
  /** Stores an entry durably. Returns false if an entry with this number exists already. */
  writeIfNew(number: number, text: string): Promise<boolean>;
}

/** Creates a log with one file for each entry. A hard link makes a complete file appear at once, and only if it is new. */
export function createFolderLog(folder: string): EntryLog {
  const fileOf = (number: number): string => join(folder, String(number).padStart(12, '0'));
  return {
    read: (number) => checked(readFile(fileOf(number), 'utf8'), 'ENOENT'),
    async writeIfNew(number, text) {
      await checked(mkdir(folder, { recursive: true, mode: 0o700 }));
      const draft = join(folder, `draft-${crypto.randomUUID()}`);
      await checked(writeFile(draft, text, { flush: true, mode: 0o600 }));
      const linked = link(draft, fileOf(number)).then(() => true);
      const isKept = (await checked(linked, 'EEXIST')) ?? false;
      await checked(rm(draft));
      if (isKept) await checked(syncFolder(folder));
      return isKept;
    },
  };
}

/** Writes a folder to the disk, so that the name of a new file in it survives a crash. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Returns the result of a task, or `undefined` if it fails with the expected code. @throws STORE_UNAVAILABLE otherwise */
async function checked<T>(task: Promise<T>, expected?: 'ENOENT' | 'EEXIST'): Promise<T | undefined> {
  try {
    return await task;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === expected) return undefined;
    throw new WorkflowError('STORE_UNAVAILABLE', 'The log of sessions could not be read or written.', {
      cause,
    });
  }
}
