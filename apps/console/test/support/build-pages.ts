import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The folder of the package. */
export const consoleFolder = fileURLToPath(new URL('../..', import.meta.url));

/** Builds the pages into a folder, as they are shipped: in a process of its own, for a test runner makes what is for development. */
export async function buildPages(outDir: string): Promise<void> {
  const vite = join(consoleFolder, 'node_modules/.bin/vite');
  await promisify(execFile)(vite, ['build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error'], {
    cwd: consoleFolder,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  });
}
