import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadKeyRing } from '../../src/access/token-keys.ts';
import { openTrustFile } from '../../src/trust/trust-file.ts';
import { tempState } from '../support/temp-state.ts';

const built = mkdtempSync(join(tmpdir(), 'key-ring-built-'));
const fromRoot = (path: string): string => fileURLToPath(new URL(`../../../../${path}`, import.meta.url));

/** The program of each process: prints `ready`, waits for a line, calls a function, and prints the id of the signing key. */
const racer = `
  const [module, name, stateDirectory] = process.argv.slice(1);
  const { [name]: act } = await import(module);
  process.stdin.once('data', () => {
    try { console.log(act({ stateDirectory }).signing.id); } catch (error) { console.log(error.code); }
    process.exit();
  });
  console.log('ready');
`;

const trustOwnFolder = `
  import { utimesSync, writeFileSync } from 'node:fs';
  import { openTrustFile } from '${fromRoot('packages/host/src/trust/trust-file.ts')}';
  function trust(place, path) {
    openTrustFile(place).change((record) => ({ ...record, folders: [...record.folders, { path, at: '', by: 'ada' }] }));
    return path;
  }
  export function trustOwnFolder(place) {
    return { signing: { id: trust(place, '/' + process.pid) } };
  }
  /** Leaves the lock of a process that was killed a minute ago, unless another process has the lock. */
  function leaveLock({ stateDirectory }) {
    const lock = stateDirectory + '/trust.lock';
    try { writeFileSync(lock, '', { flag: 'wx' }); } catch { return; }
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(lock, longAgo, longAgo);
  }
  export function trustAfterKills(place) {
    const trusted = [];
    for (let round = 0; round < 50; round += 1) {
      leaveLock(place);
      try { trusted.push(trust(place, '/' + process.pid + '-' + round)); } catch (error) {
        if (error.code !== 'CONFLICT') throw error;
      }
    }
    return { signing: { id: trusted.join(' ') } };
  }
`;

beforeAll(async () => {
  const entries = [fromRoot('packages/host/src/access/token-keys.ts')];
  const trusting = join(built, 'trust-own-folder.ts');
  writeFileSync(trusting, trustOwnFolder);
  await promisify(execFile)(fromRoot('node_modules/.bin/esbuild'), [
    ...entries,
    trusting,
    '--external:@workflowlookup/evidence',
    '--entry-names=[name]',
    '--bundle',
    '--platform=node',
    '--format=esm',
    '--conditions=@workflowlookup/source',
    `--outdir=${built}`,
    '--out-extension:.js=.mjs',
    '--log-level=error',
  ]);
});

afterAll(() => rmSync(built, { recursive: true, force: true }));

/** Lets several processes call a function at the same moment, and returns what each of them prints. */
async function race(
  count: number,
  [file, name]: readonly [string, string],
  stateDirectory: string,
): Promise<string[]> {
  const args = [
    '--input-type=module',
    '-e',
    racer,
    pathToFileURL(join(built, file)).href,
    name,
    stateDirectory,
  ];
  const racers = Array.from({ length: count }, () => {
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() };
  });
  await Promise.all(racers.map(({ lines }) => lines.next()));
  for (const { child } of racers) child.stdin.write('go\n');
  return Promise.all(
    racers.map(async ({ child, lines }) => {
      const { value } = await lines.next();
      if (child.exitCode === null) await once(child, 'exit');
      return String(value);
    }),
  );
}

test.each([
  { name: 'no state directory', prepare: (): void => undefined },
  { name: 'an empty one', prepare: (state: string): unknown => mkdirSync(state) },
  {
    name: 'an empty folder of keys',
    prepare: (state: string): unknown => mkdirSync(join(state, 'keys'), { recursive: true }),
  },
])('Twenty processes that start on $name create one key', async ({ prepare }) => {
  const stateDirectory = tempState();
  prepare(stateDirectory);
  const ids = await race(20, ['token-keys.mjs', 'loadKeyRing'], stateDirectory);
  expect(ids).toEqual(Array.from({ length: 20 }, () => loadKeyRing({ stateDirectory }).signing.id));
  expect(readdirSync(stateDirectory)).toEqual(['keys']);
});

test('Simultaneous rotations lose no key', async () => {
  const stateDirectory = tempState();
  const first = loadKeyRing({ stateDirectory }).signing.id;
  const said = await race(10, ['token-keys.mjs', 'rotateKey'], stateDirectory);
  const added = said.filter((id) => id !== 'CONFLICT');
  const kept = loadKeyRing({ stateDirectory }).verifying.map(({ id }) => id);
  expect(added.length).toBeGreaterThan(0);
  expect(kept).toHaveLength(1 + added.length);
  expect(new Set(kept)).toEqual(new Set([first, ...added]));
});

test('Simultaneous trust decisions of several processes lose nothing', async () => {
  const stateDirectory = tempState();
  const trusted = await race(10, ['trust-own-folder.mjs', 'trustOwnFolder'], stateDirectory);
  const paths = openTrustFile({ stateDirectory })
    .read()
    .folders.map(({ path }) => path);
  expect(new Set(paths)).toEqual(new Set(trusted));
  expect(paths).toHaveLength(10);
});

test('Processes that find the locks of killed processes at the same time lose nothing', async () => {
  const stateDirectory = tempState();
  const said = await race(6, ['trust-own-folder.mjs', 'trustAfterKills'], stateDirectory);
  const trusted = said.flatMap((paths) => paths.split(' '));
  expect(trusted.length).toBeGreaterThan(100);
  const { folders } = openTrustFile({ stateDirectory }).read();
  expect(folders.map(({ path }) => path).toSorted()).toEqual(trusted.toSorted());
});

test('The lock of a process that was killed during a trust decision does not block others', () => {
  const stateDirectory = tempState();
  const lock = join(stateDirectory, 'trust.lock');
  const trustOne = (path: string): void =>
    openTrustFile({ stateDirectory }).change((record) => ({
      ...record,
      folders: [...record.folders, { path, at: '', by: 'ada' }],
    }));
  trustOne('/a');
  writeFileSync(lock, '');
  expect(() => trustOne('/b')).toThrow(expect.objectContaining({ code: 'CONFLICT' }) as Error);
  const longAgo = new Date(Date.now() - 60_000);
  utimesSync(lock, longAgo, longAgo);
  trustOne('/c');
  const { folders } = openTrustFile({ stateDirectory }).read();
  expect(folders.map(({ path }) => path)).toEqual(['/a', '/c']);
});
