import { link, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkflowError } from '@workflowlookup/schema';

/** Numbered texts, each written once. An object store with conditional writes (`If-None-Match: *`) has all it takes. */
export interface EntryLog {
  /** `undefined` where that number is still free. */
  read(number: number): Promise<string | undefined>;
  /** Keeps an entry for good before it returns; false where another writer had the number first. */
  writeIfNew(number: number, text: string): Promise<boolean>;
}

/** Makes a log of files in a folder: a hard link is there whole or not at all, and never twice. */
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

/** The name of a new file survives a crash once its folder is on the disk. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What a task gives, or `undefined` where it fails as expected; any other failure is said as a store says it. */
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
