import { statfs } from 'node:fs/promises';
import { shellWord } from '../render/shell-word.ts';
import type { Check } from './check.ts';
import { failure, fine, problem } from './check.ts';
import { existingPart } from './existing-part.ts';

const name = 'disk';

/** A session takes some hundred kilobytes; with less room than this, writes will soon be refused. */
const leastBytes = 100_000_000;

/** What a file system says of its room. */
type Stat = (folder: string) => Promise<{ readonly bavail: number; readonly bsize: number }>;

/** Whether there is room where sessions are kept. */
export async function checkDisk(directory: string, stat: Stat = statfs): Promise<Check> {
  const folder = existingPart(directory);
  try {
    const { bavail, bsize } = await stat(folder);
    const freeBytes = bavail * bsize;
    const free = `${Math.floor(freeBytes / 1_000_000)} MB free for ${folder}`;
    return freeBytes >= leastBytes
      ? fine(name, free)
      : problem(
          name,
          free,
          'Make room, drop old sessions (workflowlookup sessions prune), or name another place with --state.',
        );
  } catch (error) {
    return failure(name, error, `Let this user read it: chmod u+rx ${shellWord(folder)}`);
  }
}
