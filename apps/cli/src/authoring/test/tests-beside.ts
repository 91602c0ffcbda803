import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';

/** Whether a file of this name holds tests of a workflow. */
export function isTestsFile(path: string): boolean {
  return /.\.test\.(?:json|ya?ml)$/.test(basename(path));
}

/** The files of tests in folders, sorted; a folder that can't be read has none, which whoever read it has told of. */
export async function testsIn(folders: Iterable<string>): Promise<readonly string[]> {
  const found = await Promise.all(
    Array.from(new Set(folders), async (folder) => {
      const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
      return entries
        .filter((entry) => !entry.isDirectory() && !entry.name.startsWith('.') && isTestsFile(entry.name))
        .map(({ name }) => join(folder, name));
    }),
  );
  return found.flat().toSorted();
}
