import { readdir, readFile } from 'node:fs/promises';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readWorkflowFolder } from '@workflowlookup/core';
import type { Folder, FolderReading } from '@workflowlookup/schema';

const root = fileURLToPath(new URL('../../definitions/', import.meta.url));

let bundled: Promise<readonly FolderReading[]> | undefined;

/** Reads every bundled activity workflow once, with every check, sorted by id. */
export function readBundledFolders(): Promise<readonly FolderReading[]> {
  return (bundled ??= readAll());
}

async function readAll(): Promise<readonly FolderReading[]> {
  const entries = await readdir(root, { withFileTypes: true });
  const ids = entries
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
  const folders = new Map(await Promise.all(ids.map(async (id) => [id, await readFolder(id)] as const)));
  const borrow = (id: string): Folder | undefined => folders.get(id);
  return Promise.all([...folders].map(([id, folder]) => readWorkflowFolder(folder, { id, borrow })));
}

async function readFolder(id: string): Promise<Folder> {
  const entries = await readdir(root + id, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => `${parentPath}${sep}${name}`);
  return new Map(
    await Promise.all(
      paths.map(
        async (path) =>
          [
            path.slice(root.length + id.length + 1).replaceAll(sep, '/'),
            await readFile(path, 'utf8'),
          ] as const,
      ),
    ),
  );
}
