import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorkflowError } from '@workflowlookup/schema';
import { nameOf } from '../name-of.ts';
import type { Files } from './scaffold.ts';

/** Writes files that are not there yet, all or none. @throws WorkflowError INVALID_PARAMS where one is there, STORAGE */
export async function writeNewFiles(directory: string, files: Files): Promise<void> {
  const written: string[] = [];
  try {
    for (const [file, text] of files) {
      const path = join(directory, file);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: 'wx' });
      written.push(path);
    }
  } catch (cause) {
    for (const path of written) await rm(path, { force: true });
    throw refusal(cause);
  }
}

function refusal(cause: unknown): WorkflowError {
  const { code = 'unknown', path = '' } = cause as NodeJS.ErrnoException;
  return code === 'EEXIST'
    ? new WorkflowError('INVALID_PARAMS', `'${nameOf(path)}' is there already. Nothing was written.`, {
        cause,
      })
    : new WorkflowError('STORAGE', `'${nameOf(path)}' can't be written (${code}). Nothing was written.`, {
        cause,
      });
}

/** What a file says; `undefined` where there is none. */
export async function textOf(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
