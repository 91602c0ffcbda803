import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'vitest';
import { onTestFinished } from 'vitest';
import type { CliOptions, CliProcess } from './cli-process.ts';
import { startCli } from './cli-process.ts';

/** A temporary project folder, with the command line to run in it. */
export interface TestProject {
  readonly root: string;
  write(path: string, content: string | object): Promise<void>;
  read(path: string): Promise<string>;
  /** Returns the sorted names of the files in a folder. */
  list(path: string): Promise<readonly string[]>;
  start(args: readonly string[], more?: Partial<CliOptions>): CliProcess;
  run(args: readonly string[], more?: Partial<CliOptions>): CliProcess['ended'];
}

/** Returns options that run the command line as another user. Skips the test if that user can't read this checkout. */
export async function asAnotherUser(
  project: TestProject,
  context: TestContext,
): Promise<Partial<CliOptions>> {
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const { code } = await project.run(['--version'], user).catch(() => ({ code: 1 }));
  if (code !== 0) context.skip('another user cannot read this checkout');
  return user;
}

/** Creates a project with these files, which is removed after the test. */
export async function openTestProject(
  entry: string,
  files: Readonly<Record<string, string | object>> = {},
): Promise<TestProject> {
  const root = await mkdtemp(join(tmpdir(), 'workflowlookup-project-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const write: TestProject['write'] = async (path, content) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  };
  for (const [path, content] of Object.entries(files)) await write(path, content);
  // Most tests run in a trusted project. Tests of untrusted projects override this.
  const trusted = { WORKFLOWLOOKUP_TRUST_PROJECT: '1' };
  const start: TestProject['start'] = (args, more = {}) =>
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
