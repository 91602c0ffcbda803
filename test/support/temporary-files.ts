import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

/** On Linux, a file system in memory. */
const memory = '/dev/shm';

/** Several times the size of the temporary files of all tests. */
const neededBytes = 4 * 2 ** 30;

/**
 * Lets the tests of `npm test` create their temporary files in memory, if there is enough, and removes the files at the
 * end. Waiting for databases to be written to the disk would take a sixth of the time, and no test can notice it.
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

/** Removes the folders of runs that were killed. Otherwise, they would take memory until the machine restarts. */
function removeLeftovers(): void {
  for (const name of readdirSync(memory)) {
    const pid = /^wl-tests-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !existsSync(`/proc/${pid}`))
      rmSync(join(memory, name), { recursive: true, force: true });
  }
}

/** Returns whether the file system is large enough and allows programs to run. In containers, it often isn't and doesn't. */
function isUsable(): boolean {
  try {
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .findLast(([, path]) => path === memory);
    const { bavail, bsize } = statfsSync(memory);
    return mount?.[3]?.split(',').includes('noexec') === false && bavail * bsize >= neededBytes;
  } catch {
    // Other systems don't have it.
    return false;
  }
}
