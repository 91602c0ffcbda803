import { spawnSync } from 'node:child_process';
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readFile,
  rename,
  rm,
  stat,
  truncate,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LoadedSession, SessionStore } from '@workflowlookup/storage';
import { verifyChain } from '@workflowlookup/storage/journal';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { printFigures } from '../../../../../test/support/print-figures.ts';
import { preferredDriver } from '../../../src/sql/sqlite/driver.ts';
import { patienceMs, rounds } from '../../support/rounds.ts';
import type { SessionFolder } from '../../support/session-folder.ts';
import { sessionFolder } from '../../support/session-folder.ts';
import { push, start } from '../../support/sessions.ts';
import type { Worker } from './start-worker.ts';
import { bundleWorker, startWorker } from './start-worker.ts';

describe('A SQLite database that is removed while it is in use', () => {
  it('is no longer read or written, and is not created again', async () => {
    const { file, open } = await sessionFolder();
    const store = open();
    const head = await start(store, 's1');
    await rename(file, `${file}.away`);
    const gone = { code: 'STORE_UNAVAILABLE', data: { reason: 'gone' } };
    for (let again = 0; again < 2; again += 1) {
      await expect(store.load('s1')).rejects.toMatchObject(gone);
      await expect(push(store, 's1', { head, data: [{}] })).rejects.toMatchObject(gone);
      expect(await store.health()).toMatchObject({ ok: false });
    }
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
    await rename(`${file}.away`, file);
    expect(await push(store, 's1', { head, data: [{}] })).toMatchObject({ revision: 2 });
  });

  it('is reported immediately if it was replaced by another one', async () => {
    const { file, open } = await sessionFolder();
    const store = open();
    await start(store, 's1');
    await copyFile(file, `${file}.copy`);
    await rename(`${file}.copy`, file);
    await expect(store.load('s1')).rejects.toMatchObject({ data: { reason: 'gone' } });
    expect((await store.load('s1'))?.session.sid).toBe('s1');
  });
});

describe('A location where a database cannot be written', () => {
  /** The worker runs as another user, because file permissions do not stop root. */
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

  const canRun = spawnSync(process.execPath, ['-v'], user).status === 0;

  async function tryOnce(prepare: (place: SessionFolder) => Promise<void>): Promise<Worker['lines']> {
    const place = await sessionFolder();
    const worker = await bundleWorker(place.folder, { forAnybody: true });
    await mkdir(place.folder.path('state'));
    await prepare(place);
    const { lines, ended } = startWorker([process.execPath, worker, 'once', place.file], user);
    await ended;
    await chmod(place.folder.path('state'), 0o700);
    return lines;
  }

  it.for<[what: string, prepare: (place: SessionFolder) => Promise<void>]>([
    ['a folder without the right to write', ({ folder }) => chmod(folder.path('state'), 0o555)],
    ['a folder without the right to enter', ({ folder }) => chmod(folder.path('state'), 0o000)],
    [
      'a database without the right to write',
      async ({ folder, file, open }) => {
        const store = open();
        await start(store, 's1');
        await store.close();
        await chmod(file, 0o400);
        await chmod(folder.path('state'), 0o555);
      },
    ],
  ])('is named in the error: %s', async ([, prepare], context) => {
    if (!canRun) context.skip('this Node.js lies where only root may go');
    const lines = await tryOnce(prepare);
    expect(lines).toMatchObject([{ code: 'STORE_UNAVAILABLE', reason: 'read-only' }]);
    expect(JSON.stringify(lines)).not.toContain('/');
  });
});

describe('A full disk', () => {
  const unshare = 'unshare';
  const canMount = spawnSync(unshare, ['-rm', 'true']).status === 0;

  it('does not make the store confirm a lost write, and the store works again when there is space', async (context) => {
    if (!canMount) context.skip('a small file system needs the right to mount one');
    const { folder } = await sessionFolder();
    const worker = await bundleWorker(folder);
    const disk = folder.path('disk');
    await mkdir(disk);
    const script =
      'mount -t tmpfs -o size=1m tmpfs "$1" && head -c 200000 /dev/zero >"$1/other" && exec "$2" "$3" fill "$1/sessions.db" "$1/other"';
    const command = ['sh', '-c', script, 'sh', disk, process.execPath, worker] as const;
    const { lines, ended } = startWorker([unshare, '-rm', ...command]);
    await ended;
    const acknowledged = expectStopped(lines, 'disk-full');
    expect(lines[1]).toEqual({ revision: acknowledged + 2, again: 'kept', isWell: true });
  });

  it('does not make the store confirm a lost write if the disk reports an error', async (context) => {
    if (process.platform === 'win32') context.skip('there is no limit to the size of a file');
    const { folder, file } = await sessionFolder();
    const worker = await bundleWorker(folder);
    const command = [
      'sh',
      '-c',
      'ulimit -f 400; exec "$@"',
      'sh',
      process.execPath,
      worker,
      'fill',
      file,
    ] as const;
    const { lines, ended } = startWorker(command);
    await ended;
    const acknowledged = expectStopped(lines, 'io');
    const later = lines[1]?.['again'] === 'kept' ? acknowledged + 2 : acknowledged;
    expect(lines[1]).toMatchObject({ revision: later });
    const store = createSqliteSessionStore({ file });
    const events = await store.events('s1');
    await store.close();
    expect(verifyChain('s1', events)).toMatchObject({
      ok: true,
      head: { revision: later },
    });
  });

  /** Returns the last revision that was acknowledged before writing failed. */
  function expectStopped(lines: Worker['lines'], reason: string): number {
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({ code: 'STORE_UNAVAILABLE', reason, health: { ok: false, reason } });
    expect(JSON.stringify(lines)).not.toContain('/');
    const acknowledged = Number(lines[0]?.['acknowledged']);
    expect(acknowledged).toBeGreaterThan(1);
    return acknowledged;
  }
});

describe('A SQLite store without a driver', () => {
  it('says at the first call what to install', async (context) => {
    if (preferredDriver(process.versions) !== 'libsql') context.skip('this Node.js brings its own');
    const { folder, file } = await sessionFolder();
    const worker = await bundleWorker(folder, { withLibsql: false });
    const { lines, ended } = startWorker([process.execPath, worker, 'once', file]);
    await ended;
    expect(lines).toMatchObject([{ code: 'STORE_UNAVAILABLE', reason: 'no-driver' }]);
  });
});

describe('A damaged SQLite database', () => {
  const sids = ['s1', 's2', 's3'];
  let whole: Buffer;
  let truth: Readonly<Record<string, unknown>>;

  beforeAll(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'workflows-'));
    const file = join(folder, 'sessions.db');
    const store = createSqliteSessionStore({ file });
    const blob = await store.putBlob({ text: 'big '.repeat(3_000) });
    for (const sid of sids) {
      let head = await start(store, sid, { first: 'x'.repeat(300) });
      for (let n = 1; n <= 8; n += 1) {
        const revision = head.revision + 1;
        const snapshot = n % 3 === 0 ? { snapshot: { revision, state: { n, text: 'y'.repeat(200) } } } : {};
        const write = { head, data: [{ n, text: 'z'.repeat(400) }], blobs: [blob], ...snapshot };
        head = (await push(store, sid, write)) ?? head;
      }
      await store.recordCall(sid, { name: 'call' });
    }
    await store.close();
    whole = await readFile(file);
    const again = createSqliteSessionStore({ file });
    truth = await readAll(again, blob);
    await again.close();
    return () => rm(folder, { recursive: true, force: true });
  });

  it(
    `returns what was stored or a typed error, for each of ${rounds.damage} flipped bits`,
    async () => {
      const { folder } = await sessionFolder();
      let refused = 0;
      for (let round = 0; round < rounds.damage; round += 1) {
        // First in each stored text, of which some are in unused space. Then anywhere, which is mostly unused space.
        const texts = whole.toString('latin1').matchAll(/z{100,}/g);
        const bits =
          round === 0
            ? [...texts].map(({ index }) => (index + 50) * 8)
            : [Math.floor(Math.random() * whole.length * 8)];
        const bytes = Buffer.from(whole);
        for (const bit of bits) bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        refused += await readDamaged(folder.path('flipped.db'), bytes, `bits ${bits.join(', ')}`);
      }
      expect(refused, 'rounds in which the damage was seen').toBeGreaterThan(0);
      printFigures('SQLite databases with a flipped bit', { rounds: rounds.damage, refused });
    },
    patienceMs,
  );

  it(
    `returns what was stored or a typed error, when truncated at each of ${rounds.damage} positions`,
    async () => {
      const { folder } = await sessionFolder();
      let refused = 0;
      for (let round = 0; round < rounds.damage; round += 1) {
        const length = Math.floor(Math.random() * whole.length);
        refused += await readDamaged(folder.path('cut.db'), whole.subarray(0, length), `length ${length}`);
      }
      expect(refused).toBe(rounds.damage);
      printFigures('truncated SQLite databases', { rounds: rounds.damage, refused });
    },
    patienceMs,
  );

  it('that is empty is not treated as a new one', async () => {
    const { file, open } = await sessionFolder();
    const store = open();
    await start(store, 's1');
    await store.close();
    await truncate(file);
    await expect(open().load('s1')).rejects.toMatchObject({ data: { reason: 'corrupt' } });
  });

  /** Reads everything from a database with these bytes. Returns 1 if something was refused. */
  async function readDamaged(file: string, bytes: Uint8Array, what: string): Promise<number> {
    for (const suffix of ['', '-journal', '-wal', '-shm']) await rm(`${file}${suffix}`, { force: true });
    await writeFile(file, bytes);
    const store = createSqliteSessionStore({ file, waitMs: 0 });
    const found = await readAll(store, String(truth['blob']));
    await expectNoSilentWrite(store, what);
    await store.close().catch(() => {});
    const different = Object.keys(truth).filter(
      (key) => !isRefused(found[key]) && !isSame(found[key], truth[key]) && !isWholeJournal(found, key),
    );
    expect(different, `${what}: read as something else`).toEqual([]);
    return Object.values(found).some(isRefused) ? 1 : 0;
  }

  /** Returns whether a session was loaded from all of its events, without its damaged snapshot. The state is the same. */
  function isWholeJournal(found: Readonly<Record<string, unknown>>, key: string): boolean {
    const [call, sid] = key.split(' ');
    if (call !== 'load') return false;
    const { session } = truth[key] as LoadedSession;
    return isSame(found[key], { session, events: truth[`events ${sid}`] });
  }

  /** Expects that a write is either refused or can be read afterwards. */
  async function expectNoSilentWrite(store: SessionStore, what: string): Promise<void> {
    const head = (truth['load s1'] as LoadedSession).session;
    const [written] = await Promise.allSettled([push(store, 's1', { head, data: [{ more: true }] })]);
    const [read] = await Promise.allSettled([store.load('s1')]);
    if (written.status === 'rejected') expect(isRefused(written.reason), what).toBe(true);
    if (read.status === 'rejected') expect(isRefused(read.reason), what).toBe(true);
    const isKept = written.status === 'fulfilled' && written.value !== undefined;
    if (isKept && read.status === 'fulfilled')
      expect(read.value?.events.at(-1)?.data, what).toEqual({ more: true });
  }

  async function readAll(store: SessionStore, blob: string): Promise<Readonly<Record<string, unknown>>> {
    const found: Record<string, unknown> = { blob };
    const read = async (key: string, value: Promise<unknown>): Promise<void> => {
      found[key] = await value.catch((error: unknown) => error);
    };
    for (const sid of sids) {
      await read(`load ${sid}`, store.load(sid));
      await read(`events ${sid}`, store.events(sid));
    }
    await read('definition', store.getDefinition('definition'));
    await read('value', store.getBlob(blob));
    return found;
  }
});

function isRefused(value: unknown): boolean {
  if (!(value instanceof Error)) return false;
  expect(value).toMatchObject({
    name: 'WorkflowError',
    code: expect.stringMatching(/^STORE_(DAMAGED|UNAVAILABLE)$/),
  });
  return true;
}

function isSame(found: unknown, expected: unknown): boolean {
  return JSON.stringify(found) === JSON.stringify(expected);
}
