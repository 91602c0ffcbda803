import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const stdio = fileURLToPath(new URL('..', import.meta.url));

/**
 * Bundles an app as it is shipped, where it finds its installed dependencies; each test file has a bundle of its own.
 *
 * @returns path of the bundle's entry
 */
export async function buildApp(name: string, app = stdio): Promise<string> {
  const out = join(app, 'node_modules', '.cache', `test-${name}`);
  const tsup = join(app, '..', '..', 'node_modules', '.bin', 'tsup');
  await promisify(execFile)(tsup, ['--out-dir', out, '--silent'], { cwd: app });
  return join(out, 'main.js');
}

/** A home, working folder and definitions of a test's own. */
export interface Sandbox {
  readonly root: string;
  readonly definitions: string;
  write(path: string, content: string | object): Promise<void>;
  dispose(): Promise<void>;
}

/** Makes a folder with a definition `review-flow` in it. */
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

/** The flags of a server that sees the sandbox and nothing else. */
export function flagsOf({ definitions }: Sandbox): readonly string[] {
  return ['--no-bundled', '--no-user', '--no-project', '--workflows', definitions];
}
