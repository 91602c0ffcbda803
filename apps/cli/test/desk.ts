import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { CliOptions, CliProcess } from './cli-process.ts';
import { startCli } from './cli-process.ts';

/** A working folder of an author, and the command line in it. */
export interface Desk {
  readonly root: string;
  write(path: string, content: string | object): Promise<void>;
  read(path: string): Promise<string>;
  /** The names in a folder, sorted. */
  list(path: string): Promise<readonly string[]>;
  start(args: readonly string[], more?: Partial<CliOptions>): CliProcess;
  run(args: readonly string[], more?: Partial<CliOptions>): CliProcess['ended'];
}

/** Sets up a desk that is cleared after the test. */
export async function openDesk(
  entry: string,
  files: Readonly<Record<string, string | object>> = {},
): Promise<Desk> {
  const root = await mkdtemp(join(tmpdir(), 'workflowlookup-desk-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const write: Desk['write'] = async (path, content) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  };
  for (const [path, content] of Object.entries(files)) await write(path, content);
  const start: Desk['start'] = (args, more = {}) => startCli(args, { entry, cwd: root, ...more });
  return {
    root,
    write,
    read: (path) => readFile(join(root, path), 'utf8'),
    list: async (path) => (await readdir(join(root, path))).toSorted(),
    start,
    run: (args, more) => start(args, more).ended,
  };
}
