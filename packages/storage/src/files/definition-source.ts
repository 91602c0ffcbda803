import type { DefinitionReader } from '@workflowlookup/schema';
import { forEachLimit } from '../for-each-limit.ts';
import type { Catalogue } from './catalogue.ts';
import { createCatalogue } from './catalogue.ts';
import type { Entry } from './entry.ts';
import { lookAt } from './look-at.ts';
import { readDefinitionFile } from './read-definition-file.ts';
import type { Scan } from './scan-directory.ts';
import { concurrency, scanDirectory } from './scan-directory.ts';
import type { FoundFile } from './scan-folder.ts';

/** The definitions of a directory, and how to bring them up to date. */
export interface DefinitionSource {
  readonly catalogue: Catalogue;
  /** Compares the whole directory by names, sizes and times, and reads what differs; returns the ids touched. */
  rescan(): Promise<readonly string[]>;
  /** Reads these real paths again, changed or not; returns the ids touched, or `undefined` when only a rescan can tell. */
  refresh(paths: Iterable<string>): Promise<readonly string[] | undefined>;
  /** What the last rescan saw. */
  seen(): Scan | undefined;
  /** Files whose reading failed for a reason that may pass. */
  unsettled(): Iterable<string>;
}

/** Makes a source of a directory that was not looked at yet. */
export function createDefinitionSource(directory: string, read: DefinitionReader): DefinitionSource {
  const catalogue = createCatalogue();
  const unsettled = new Set<string>();
  let scan: Scan | undefined;

  async function readAll(files: Iterable<readonly [path: string, found: FoundFile]>): Promise<Entry[]> {
    const entries: Entry[] = [];
    await forEachLimit(files, concurrency, async ([path, { file, signature }]) => {
      const outcome = await readDefinitionFile(path, file, read);
      entries.push({ path, file, signature: outcome.unsettled ? '' : signature, ...outcome });
    });
    for (const entry of entries) {
      if (entry.unsettled) unsettled.add(entry.path);
      else unsettled.delete(entry.path);
    }
    return entries;
  }

  async function rescan(): Promise<readonly string[]> {
    scan = await scanDirectory(directory);
    const { files, problems } = scan;
    const removed = [...catalogue.paths()].filter((path) => !files.has(path));
    for (const path of removed) unsettled.delete(path);
    const changed = [...files].filter(([path, found]) => !isSame(catalogue.entry(path), found));
    return catalogue.apply({ removed, read: await readAll(changed), problems });
  }

  async function refresh(paths: Iterable<string>): Promise<readonly string[] | undefined> {
    const changed = new Map<string, FoundFile>();
    const removed: string[] = [];
    let isEnough = true;
    await forEachLimit(paths, concurrency, async (path) => {
      const found = scan === undefined ? 'rescan' : await lookAt(scan, path, catalogue.entry(path)?.file);
      if (found === 'rescan') isEnough = false;
      else if (found === 'gone') removed.push(path);
      else if (found !== 'nothing') changed.set(path, found);
    });
    if (!isEnough) return undefined;
    for (const path of removed) unsettled.delete(path);
    return catalogue.apply({ removed, read: await readAll(changed) });
  }

  return { catalogue, rescan, refresh, seen: () => scan, unsettled: () => unsettled };
}

function isSame(entry: Entry | undefined, { file, signature }: FoundFile): boolean {
  return signature !== '' && entry?.signature === signature && entry.file === file;
}
