import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { WorkflowError } from '@workflowlookup/schema';

/** What a path on the command line leads to. */
export interface Place {
  /** Real path. */
  readonly path: string;
  readonly isDirectory: boolean;
}

/** Looks up what a path leads to. @throws WorkflowError INVALID_PARAMS */
export async function findPlace(path: string): Promise<Place> {
  try {
    const real = await realpath(resolve(path));
    return { path: real, isDirectory: (await stat(real)).isDirectory() };
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `can't be read (${code ?? 'unknown'})`;
    throw new WorkflowError('INVALID_PARAMS', `'${path}' ${why}.`, { cause });
  }
}

/** Whether a folder is that of an activity workflow. */
export async function isActivityFolder(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some(isWorkflowFile);
}

/** Whether a file of this name makes its folder one activity workflow. */
export function isWorkflowFile(name: string): boolean {
  return /^workflow\.(?:json|ya?ml|toon)$/.test(name);
}

/** The folder of the activity workflow that a file is an activity, skill or resource of. */
export async function workflowFolderOf(file: string): Promise<string | undefined> {
  const folder = dirname(file);
  if (!['activities', 'skills', 'resources'].includes(basename(folder))) return undefined;
  return (await isActivityFolder(dirname(folder))) ? dirname(folder) : undefined;
}
