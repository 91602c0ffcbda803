import { chmodSync, lstatSync, mkdtempSync, readFileSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** On Linux, a file system in memory. */
const memory = '/dev/shm';

/** Several times the size of the temporary files of all tests. */
const neededBytes = 4 * 2 ** 30;

/**
 * Gives the tests a folder for their temporary files, and removes it at the end. For the tests of `npm test`, it is in
 * memory, if there is enough. Waiting for databases to be written to the disk would take a sixth of the time, and none of
 * these tests can notice it.
 */
export function setup(): (() => void) | undefined {
  const before = process.env['TMPDIR'];
  // Vitest calls this function for each project. In nested folders, the paths of sockets would become too long.
  if (before?.includes(`wl-tests-${process.pid}-`) === true) return undefined;
  const parent = process.env['WORKFLOWLOOKUP_TEST_FILES'] === 'memory' && isUsable() ? memory : tmpdir();
  removeLeftovers(parent);
  const folder = mkdtempSync(join(parent, `wl-tests-${process.pid}-`));
  // Everybody may write here, as in /tmp, because Postgres runs as another user.
  chmodSync(folder, 0o1777);
  process.env['TMPDIR'] = folder;
  return () => {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  };
}

/** Removes the folders of own runs that were killed. Otherwise, those in memory would stay until the machine restarts. */
function removeLeftovers(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = /^wl-tests-(\d+)-/.exec(name)?.[1];
    if (pid === undefined || isRunning(Number(pid))) continue;
    const folder = join(parent, name);
    const isOwn = lstatSync(folder, { throwIfNoEntry: false })?.uid === process.getuid?.();
    if (isOwn) rmSync(folder, { recursive: true, force: true });
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user can't be signalled.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
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
