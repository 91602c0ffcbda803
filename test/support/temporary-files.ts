import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** A file system in memory, which Linux has for every process. */
const memory = '/dev/shm';

/** Several times what the temporary files of all tests take. */
const neededBytes = 4 * 2 ** 30;

/**
 * Has the tests of `npm test` make their temporary files in memory, if there is much of it, and removes them in the end. No
 * test can tell whether a database has reached the disk, and waiting for that took a sixth of their time.
 */
export function setup(): (() => void) | undefined {
  if (process.env['WORKFLOWLOOKUP_TESTS'] !== 'unit' || !isUsable()) return undefined;
  const before = process.env['TMPDIR'];
  removeLeftovers();
  const folder = mkdtempSync(join(memory, `wl-tests-${process.pid}-`));
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Removes the folders of runs that were killed: their memory would be lost until the machine starts again. */
function removeLeftovers(): void {
  for (const name of readdirSync(memory)) {
    const pid = /^wl-tests-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      rmSync(join(memory, name), { recursive: true, force: true });
  }
}

/** Containers often have only a little of it, in which no program may be run. */
function isUsable(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .findLast(([, path]) => path === memory);
    const { bavail, bsize } = statfsSync(memory);
    return mount?.[3]?.split(',').includes('noexec') === false && bavail * bsize >= neededBytes;
  } catch {
    // Other systems have none.
    return false;
  }
}
