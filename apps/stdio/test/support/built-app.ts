import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const stdio = fileURLToPath(new URL('../..', import.meta.url));

/**
 * Whether all apps and the pages of the console are built. `npm run test:system` builds them first. Other runs may have
 * an old build, or none.
 */
export const isBuilt = process.env['WORKFLOWLOOKUP_BUILT'] === '1';

/**
 * Bundles an app like for a release, next to its installed dependencies. If all apps are built already, it returns the
 * entry of that build, so tests must not change the files next to the entry. Call `removeApp` at the end.
 *
 * @returns path of the bundle's entry
 */
export async function buildApp(app = stdio): Promise<string> {
  if (isBuilt) return join(app, 'dist', 'main.js');
  const out = join(app, 'node_modules', '.cache', `test-${process.pid}`);
  const tsup = join(app, '..', '..', 'node_modules', '.bin', 'tsup');
  const run = (...args: readonly string[]): Promise<unknown> =>
    promisify(execFile)(tsup, [...args, '--out-dir', out, '--silent'], { cwd: app });
  await run();
  await run('--config', '../../tsup.job-thread.config.ts');
  return join(out, 'main.js');
}

/** Removes a bundle, unless it is the build that all tests share. */
export async function removeApp(entry: string): Promise<void> {
  if (!isBuilt) await rm(dirname(entry), { recursive: true, force: true });
}

/** A temporary home, working folder and folder of definitions. */
export interface Sandbox {
  readonly root: string;
  readonly definitions: string;
  write(path: string, content: string | object): Promise<void>;
  dispose(): Promise<void>;
}

/** Creates a sandbox with the definition `review-flow`. */
export async function createSandbox(): Promise<Sandbox> {
  const root = await mkdtemp(join(tmpdir(), 'workflowlookup-'));
  const write = (path: string, content: string | object): Promise<void> =>
    writeFile(join(root, path), typeof content === 'string' ? content : JSON.stringify(content));
  await write('review-flow.json', {
    id: 'review-flow',
    name: 'Review',
    description: 'Review a change.',
    version: '1.0.0',
    steps: [
      {
        id: 'read-it',
        title: 'Read it',
        prompt: 'Read the change.',
        validationCriteria: [{ type: 'contains', value: 'alpha', message: 'Say alpha' }],
      },
      { id: 'report', title: 'Report', prompt: 'Report on {{depth}} depth.' },
    ],
  });
  return { root, definitions: root, write, dispose: () => rm(root, { recursive: true, force: true }) };
}

/** Returns flags of a server that reads definitions only from the sandbox. */
export function flagsOf({ definitions }: Sandbox): readonly string[] {
  return ['--no-bundled', '--no-user', '--no-project', '--workflows', definitions];
}
