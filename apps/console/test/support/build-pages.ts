import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The folder of the console package. */
export const consoleFolder = fileURLToPath(new URL('../..', import.meta.url));

/** Builds the pages for production into a folder. It uses another process, because Vite would build for development inside the test runner. */
export async function buildPages(outDir: string): Promise<void> {
  const vite = join(consoleFolder, 'node_modules/.bin/vite');
  await promisify(execFile)(vite, ['build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'error'], {
    cwd: consoleFolder,
    env: { PATH: process.env['PATH'], NODE_ENV: 'production' },
  });
}
