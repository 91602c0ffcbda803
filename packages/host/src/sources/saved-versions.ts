import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@workflowlookup/schema';

/** A text that a file of a definition had when somebody saved it in the console. */
export interface SavedVersion {
  /** SHA-256 of the text, in hexadecimal. */
  readonly digest: string;
  /** ISO 8601. For a text that was not saved in the console, the time at which its file was last changed. */
  readonly savedAt: string;
  /** Absent for a text that was not saved in the console, but replaced there. */
  readonly savedBy?: string;
  readonly text: string;
}

/** The texts that files had before, in the state directory. */
export interface SavedVersions {
  /** Returns the versions of a file, the newest first. Empty if none are stored. */
  of(path: string): Promise<readonly SavedVersion[]>;
  /**
   * Adds what a save replaced, unless it is the newest version already, and what it wrote. The oldest versions are dropped.
   * A version that can't be stored is left out, because the file itself is saved by then.
   */
  add(path: string, replaced: SavedVersion | undefined, written: SavedVersion): Promise<void>;
}

/** Versions of one file. */
const mostVersions = 20;

/** Opens the versions in a state directory. Nothing is read or written before it is asked for. */
export function openSavedVersions(stateDirectory: string): SavedVersions {
  const folder = join(stateDirectory, 'versions');
  const fileOf = (path: string): string =>
    join(folder, `${createHash('sha256').update(path).digest('hex')}.json`);

  async function of(path: string): Promise<readonly SavedVersion[]> {
    try {
      const kept: unknown = JSON.parse(await readFile(fileOf(path), 'utf8'));
      return isJsonObject(kept) && Array.isArray(kept['versions']) ? kept['versions'].filter(isVersion) : [];
    } catch {
      // No version is stored yet, or a person has changed the file.
      return [];
    }
  }

  return {
    of,
    async add(path, replaced, written) {
      const before = await of(path);
      const isKnown = replaced === undefined || before[0]?.digest === replaced.digest;
      const versions = [written, ...(isKnown ? [] : [replaced]), ...before].slice(0, mostVersions);
      try {
        await mkdir(folder, { recursive: true, mode: 0o700 });
        const { writeFile: replaceFile } = await import('atomically');
        await replaceFile(fileOf(path), `${JSON.stringify({ path, versions })}\n`, { mode: 0o600 });
      } catch {
        // For example, a server whose sessions are in Postgres may have no disk.
      }
    },
  };
}

function isVersion(value: unknown): value is SavedVersion {
  return isJsonObject(value) && [value['digest'], value['savedAt'], value['text']].every(isText);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}
