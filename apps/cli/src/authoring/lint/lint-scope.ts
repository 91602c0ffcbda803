import { readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import type { InspectedPlace } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';

/** What a path on the command line asks to be linted. */
export interface LintScope {
  readonly place: InspectedPlace;
  /** Absolute path of the only file that is told of. */
  readonly file?: string;
}

/** The folders of an activity workflow that hold its parts. */
const partFolders = new Set(['activities', 'skills', 'resources']);

/**
 * What a path means: a folder of definitions as deep as it goes, the folder of one activity workflow, a definition, or a
 * part of an activity workflow. `sources` are directories that definitions are served from: a `workflow.*` in one of
 * them is a file like any other.
 *
 * @throws WorkflowError INVALID_PARAMS for a path that is none of these
 */
export async function scopeOf(path: string, sources: readonly string[]): Promise<LintScope> {
  const place = await realPlace(path);
  if (place.isDirectory) {
    const isFlow = !sources.includes(place.path) && (await isActivityFolder(place.path));
    return { place: isFlow ? only(place.path) : { directory: place.path, depth: Number.MAX_SAFE_INTEGER } };
  }
  const folder = dirname(place.path);
  if (partFolders.has(basename(folder)) && (await isActivityFolder(dirname(folder)))) {
    return { place: only(dirname(folder)), file: place.path };
  }
  if (!sources.includes(folder) && /^workflow\.(?:json|ya?ml|toon)$/.test(basename(path))) {
    return { place: only(folder) };
  }
  if (/\.(?:json|ya?ml)$/.test(place.path)) return { place: only(place.path) };
  throw new WorkflowError(
    'INVALID_PARAMS',
    `'${path}' is no definition: name a .json, .yaml or .yml file, the folder of an activity workflow or a file in it.`,
  );
}

/** One thing in a directory. */
function only(path: string): InspectedPlace {
  return { directory: dirname(path), only: [basename(path)] };
}

async function realPlace(path: string): Promise<{ readonly path: string; readonly isDirectory: boolean }> {
  try {
    const real = await realpath(resolve(path));
    return { path: real, isDirectory: (await stat(real)).isDirectory() };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'does not exist' : `can't be read (${code ?? 'unknown'})`;
    throw new WorkflowError('INVALID_PARAMS', `'${path}' ${why}.`);
  }
}

async function isActivityFolder(folder: string): Promise<boolean> {
  const names = await readdir(folder).catch(() => []);
  return names.some((name) => /^workflow\.(?:json|ya?ml|toon)$/.test(name));
}
