import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };
import type { TestCli } from '../support/test-cli.ts';
import { atFetch, buildCli, openTestCli, removeApp } from '../support/test-cli.ts';

let entry: string;
let cli: TestCli;

beforeAll(async () => {
  entry = await buildCli();
  cli = await openTestCli(entry);
  await writeFile(join(cli.root, 'hooks.mjs'), hooks);
  await writeFile(join(cli.root, 'register.mjs'), register);
}, 60_000);

afterAll(async () => {
  await cli.dispose();
  await removeApp(entry);
});

/** Module hooks that print the URL of each loaded module to standard error. */
const hooks = `import { writeSync } from 'node:fs';
export async function load(url, context, next) {
  writeSync(2, 'loaded ' + url + '\\n');
  return next(url, context);
}`;
const register = `import { register } from 'node:module';
register('./hooks.mjs', import.meta.url);`;

/** Texts that are each in only one part of the bundle. */
const marks = {
  'the parser of the command line': 'outputHelpIfRequested',
  'the code that reads definitions': 'NaN is not allowed',
  'the engine': 'workflowlookup fingerprint of a token key',
  'a database driver': 'PRAGMA busy_timeout',
  'the SDK': 'mcp-protocol-version',
};

/** Runs a command, and returns the files that it loads. */
async function filesLoadedBy(...args: readonly string[]): Promise<readonly string[]> {
  const env = { NODE_OPTIONS: `--import=${join(cli.root, 'register.mjs')}` };
  const { code, err } = await cli.run(args, { env });
  expect(code).not.toBe(2);
  const files = [...err.matchAll(/^loaded (file:.*)$/gm)].map(([, url = '']) => fileURLToPath(url));
  expect(files).toContain(entry);
  return files;
}

/** Runs a command, and returns the parts in {@link marks} that it loads. */
async function loadedBy(...args: readonly string[]): Promise<readonly string[]> {
  const files = await filesLoadedBy(...args);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return Object.entries(marks).flatMap(([what, mark]) =>
    texts.some((text) => text.includes(mark)) ? [what] : [],
  );
}

test('--version loads nothing', async () => {
  expect(await loadedBy('--version')).toEqual([]);
  expect((await cli.run(['--version'])).out).toBe(`${manifest.version}\n`);
  expect((await cli.run(['-v'])).out).toBe(`${manifest.version}\n`);
});

test('--help and completion without ids load only the parser', async () => {
  expect(await loadedBy('--help')).toEqual(['the parser of the command line']);
  expect(await loadedBy('complete', '--', 'sess')).toEqual(['the parser of the command line']);
});

test('Listing the bundled workflows reads none of them, and loads at most the parser', async () => {
  expect(await loadedBy('list')).toEqual([]);
  expect(await loadedBy('list', '--no-user')).toEqual(['the parser of the command line']);
});

// Each file takes a millisecond. The list of the bundled workflows may take at most half as long again as an empty program.
test('Listing the bundled workflows loads few files', async () => {
  expect((await filesLoadedBy('list')).length).toBeLessThanOrEqual(6);
  expect((await filesLoadedBy('list', '--json')).length).toBeLessThanOrEqual(6);
});

test('Listing other workflows loads the code that reads them', async () => {
  expect(await loadedBy('list', '--workflows', cli.definitions)).toContain('the engine');
});

test('Listing sessions loads no database driver if nothing is stored', async () => {
  expect(await loadedBy('sessions', 'list')).toEqual([
    'the parser of the command line',
    'the code that reads definitions',
    'the engine',
  ]);
});

test('Listing stored sessions loads the driver, and no SDK', async () => {
  await atFetch(cli);
  expect(await loadedBy('sessions', 'list')).toEqual([
    'the parser of the command line',
    'the code that reads definitions',
    'the engine',
    'a database driver',
  ]);
});

test('A command that connects to a server loads the SDK', async () => {
  expect(await loadedBy('doctor', '--url', 'http://127.0.0.1:9/mcp')).toContain('the SDK');
});
