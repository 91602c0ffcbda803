import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'vitest';
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

/** What runs the command line as another user; skips the test where that one can't read this checkout. */
export async function anotherUser(desk: Desk, context: TestContext): Promise<Partial<CliOptions>> {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { code } = await desk.run(['--version'], user).catch(() => ({ code: 1 }));
  if (code !== 0) context.skip('another user can not read this checkout');
  return user;
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
  // An author trusts their own folder; what is so before they do is tested with a desk that does not say it.
  const trusted = { WORKFLOWLOOKUP_TRUST_PROJECT: '1' };
  const start: Desk['start'] = (args, more = {}) =>
    startCli(args, { entry, cwd: root, ...more, env: { ...trusted, ...more.env } });
  return {
    root,
    write,
    read: (path) => readFile(join(root, path), 'utf8'),
    list: async (path) => (await readdir(join(root, path))).toSorted(),
    start,
    run: (args, more) => start(args, more).ended,
  };
}
