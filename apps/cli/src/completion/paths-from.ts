import { readdir } from 'node:fs/promises';
import type { Suggestion } from './suggestion.ts';

/** The files and folders, or the folders alone, that a path begun so can lead to; those hidden where it begins so. */
export async function pathsFrom(start: string, onlyFolders: boolean): Promise<readonly Suggestion[]> {
  const folder = start.slice(0, start.lastIndexOf('/') + 1);
  // Where nothing can be read there is nothing to suggest.
  const entries = await readdir(folder || '.', { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() || !onlyFolders)
    .filter(({ name }) => !name.startsWith('.') || start.startsWith(`${folder}.`))
    .map((entry) => ({ value: `${folder}${entry.name}${entry.isDirectory() ? '/' : ''}` }));
}
