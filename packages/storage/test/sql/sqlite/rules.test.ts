import { stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { DelayedWrite, WaitingCall } from '../../../src/sql/write-behind.ts';
import { createCallTrace, createWriteBehind, createWriteWatch } from '../../../src/sql/write-behind.ts';
import { createSeals } from '../../../src/sql/stored-sessions.ts';
import type { Connection, ConnectionTask } from '../../../src/sql/sqlite/connection.ts';
import { createConnection, databaseOf } from '../../../src/sql/sqlite/connection.ts';
import { contentMethods, callAndAgentMethods } from '../../../src/sql/contents.ts';
import type { SqliteDriver } from '../../../src/sql/sqlite/driver.ts';
import { textColumns, preferredDriver, hasSoundLog, journalModeOf } from '../../../src/sql/sqlite/driver.ts';
import { delayedWriter, insertCall, journalMethods } from '../../../src/sql/sqlite/journal.ts';
import { pruneSessions } from '../../../src/sql/prune-sessions.ts';
import { driver, otherConnection } from '../../support/other-connection.ts';
import { sessionFolder } from '../../support/session-folder.ts';
import { newSession, push, sealed, start } from '../../support/sessions.ts';
import { damageMessages } from '../../../src/messages.ts';

function connect(file: string, { waitMs = 5_000, load = async () => driver } = {}): Connection {
  const connection = createConnection({ file, waitMs, load, watch: createWriteWatch(async () => {}) });
  onTestFinished(() => connection.close());
  return connection;
}

describe('The SQLite driver', () => {
  it.each<[version: string | undefined, name: string]>([
    [undefined, 'libsql'],
    ['3.45.1', 'libsql'],
    ['3.51.2', 'libsql'],
    ['3.51.3', 'node:sqlite'],
    ['3.53.4', 'node:sqlite'],
    ['4.0.0', 'node:sqlite'],
  ])('for a Node.js with SQLite %s is %s', (sqlite, name) => {
    expect(preferredDriver({ sqlite })).toBe(name);
  });

  it.each([{}, [], undefined, true, Symbol('s'), () => 1, 'a\0b'])(
    'refuses the value %j as a parameter',
    (value) => {
      const db = otherConnection(':memory:');
      expect(() => db.run('SELECT ?', [value as string])).toThrow(TypeError);
      expect(() => db.all('SELECT ?', [value as string])).toThrow(TypeError);
      expect(db.all('SELECT ? AS value', ['still here'])).toEqual([{ value: 'still here' }]);
    },
  );

  it('returns any text, and throws an error if a text is damaged', () => {
    const db = otherConnection(':memory:');
    db.exec('CREATE TABLE texts (text TEXT)');
    const texts = ['', 'ä\u{1F600}', '\ufeffwith a mark', 'x'.repeat(100_000)];
    for (const text of texts) db.run('INSERT INTO texts VALUES (?)', [text]);
    db.exec('INSERT INTO texts VALUES (NULL)');
    const select = `SELECT ${textColumns('text')} FROM texts`;
    expect(db.all(select).map(({ text }) => text)).toEqual([...texts, null]);
    db.exec("INSERT INTO texts VALUES (CAST(x'61ff' AS TEXT))");
    expect(() => db.all(select)).toThrow(damageMessages.damaged(damageMessages.notUtf8()));
    expect(db.all('SELECT count(*) AS count FROM texts')).toEqual([{ count: 6 }]);
  });

  it('returns exactly the requested columns', () => {
    const db = otherConnection(':memory:');
    const [row] = db.all('SELECT ? AS text, ? AS number, ? AS empty', ['ä\u{1F600}', 2 ** 53 - 1, null]);
    expect(Object.keys(row ?? {})).toEqual(['text', 'number', 'empty']);
    expect({ ...row }).toEqual({ text: 'ä\u{1F600}', number: 2 ** 53 - 1, empty: null });
  });
});

describe('The journal mode', () => {
  it.each([
    ['3.45.1', 'PERSIST'],
    ['3.51.2', 'PERSIST'],
    ['3.51.3', 'WAL'],
    ['3.52', 'WAL'],
    ['4.0.0', 'WAL'],
  ])('for SQLite %s is %s', (version, mode) => {
    expect(journalModeOf(version)).toBe(mode);
  });

  it('depends on the SQLite version that created the database', async () => {
    const { open: openStore } = await sessionFolder();
    const store = openStore();
    await start(store, 's1');
    const journalMode = journalModeOf(driver.version).toLowerCase();
    expect((await store.health()).facts).toMatchObject({ journalMode, sqlite: driver.version });
  });

  it('keeps at most 1 MiB of a rollback journal', async () => {
    const { open: openStore, file } = await sessionFolder();
    await start(openStore(), 's1');
    const old: SqliteDriver = { ...driver, version: '3.45.1' };
    const connection = connect(file, { load: async () => old });
    await connection.write((db) => {
      db.exec('CREATE TABLE extra (text TEXT)');
      for (let row = 0; row < 600; row += 1) db.run('INSERT INTO extra VALUES (?)', ['x'.repeat(4_000)]);
    });
    // Every page that changes goes to the journal: about 2.4 MB.
    await connection.write((db) => db.run('UPDATE extra SET text = ?', ['y'.repeat(4_000)]));
    const { size } = await stat(`${file}-journal`);
    expect(size).toBeGreaterThan(4_096);
    expect(size).toBeLessThanOrEqual(1024 * 1024);
  });

  it('is changed back from WAL if the SQLite version is too old for it', async () => {
    const { open: openStore, file } = await sessionFolder();
    const maker = openStore();
    await start(maker, 's1');
    await maker.close();
    const writer = driver.open(file);
    writer.all('PRAGMA journal_mode=WAL');
    writer.close();
    const old: SqliteDriver = { ...driver, version: '3.45.1' };
    const connection = connect(file, { load: async () => old });
    const mode = await connection.read((db) => db.all('PRAGMA journal_mode')[0]?.['journal_mode']);
    expect(mode).toBe('persist');
    const next = connect(file, { load: async () => ({ ...driver, version: '3.51.3' }) });
    expect(await next.read((db) => db.all('PRAGMA journal_mode')[0]?.['journal_mode'])).toBe('persist');
  });

  it('makes an older SQLite wait while others use WAL', async () => {
    const { open: openStore, file } = await sessionFolder();
    const maker = openStore();
    await start(maker, 's1');
    await maker.close();
    const writer = otherConnection(file);
    writer.all('PRAGMA journal_mode=WAL');
    writer.exec('BEGIN IMMEDIATE; UPDATE meta SET schema_version = schema_version; COMMIT');
    const old: SqliteDriver = { ...driver, version: '3.45.1' };
    const refused = connect(file, { waitMs: 100, load: async () => old }).read(() => {});
    await expect(refused).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      data: { reason: 'journal-mode' },
    });
  });
});

describe('A SQLite connection', () => {
  it('waits for the disk, enforces foreign keys and waits briefly for locks', async () => {
    const { file } = await sessionFolder();
    const settings = ['synchronous', 'foreign_keys', 'busy_timeout', 'cell_size_check'];
    const values = await connect(file).read((db) =>
      settings.map((name) => Object.values(db.all(`PRAGMA ${name}`)[0] ?? {})[0]),
    );
    expect(values).toEqual([2, 1, 50, 1]);
  });

  it('begins every write with BEGIN IMMEDIATE', async () => {
    const { file } = await sessionFolder();
    const log: string[] = [];
    const connection = connect(file, { load: async () => recording(driver, log) });
    const seals = createSeals();
    const db = databaseOf(connection);
    const behind = createWriteBehind<DelayedWrite>({
      write: delayedWriter(connection),
      delayMs: 0,
      batchSize: 1,
      maxWaiting: 9,
    });
    const trace = createCallTrace(seals, behind);
    const store = {
      ...journalMethods(connection, seals, { trace, checkMiss: db.checkMiss }),
      ...contentMethods(db, seals, Date.now),
      ...callAndAgentMethods(db, seals, { behind, trace }),
    };
    await connection.read(() => {});
    log.length = 0;
    await store.putDefinition('definition', {});
    const blob = await store.putBlob('value');
    const [first, second] = sealed('s1', { revision: 0, hash: '' }, [{}, {}]);
    if (first === undefined || second === undefined) throw new Error('two events were sealed');
    await store.create(newSession('s1'), { events: [first] });
    const command = { key: 'k', result: {} };
    const snapshot = { revision: 2, state: {} };
    await store.append('s1', 1, { events: [second], command, snapshot, blobs: [blob] });
    await store.joinAgent('s1', 'agent');
    await store.recordCall('s1', {});
    await store.markDelivered('s1', 1, ['digest']);
    await store.resetDelivered('s1', 1);
    await behind.settle();
    await pruneSessions(db, seals, { before: '2999-01-01T00:00:00.000Z', statuses: ['active'] });
    const transactions = log.join('\n').split('COMMIT');
    const writes = transactions.filter((text) => text.includes('run '));
    expect(writes.length).toBeGreaterThanOrEqual(8);
    expect(writes.filter((text) => !text.trimStart().startsWith('exec BEGIN IMMEDIATE'))).toEqual([]);
  });

  it('stores a call once, even if it is not known whether an earlier write succeeded', async () => {
    const { file, open: openStore } = await sessionFolder();
    await start(openStore(), 's1');
    const call = (seq: number): WaitingCall => ({ sid: 's1', writer: 'w', seq, text: '{}', seal: 's' });
    const rowsOf = (numbers: readonly number[]): ConnectionTask<readonly number[]> => {
      return (db) => {
        for (const seq of numbers) insertCall(db, call(seq));
        return db.all('SELECT seq FROM calls ORDER BY n').map(({ seq }) => Number(seq));
      };
    };
    const first = connect(file);
    expect(await first.write(rowsOf([1, 2, 2, 1]))).toEqual([1, 2]);
    const failed = first.write((db) => {
      insertCall(db, call(3));
      throw new Error('The task fails after its call.');
    });
    await expect(failed).rejects.toThrow('The task fails');
    expect(await first.write(rowsOf([2, 3]))).toEqual([1, 2, 3]);
    expect(await connect(file).write(rowsOf([1, 2, 3, 4]))).toEqual([1, 2, 3, 4]);
  });

  it('runs concurrent writes together, and refuses only the one that fails', async () => {
    const { file } = await sessionFolder();
    let commits = 0;
    const counting: SqliteDriver = {
      ...driver,
      open(path) {
        const db = driver.open(path);
        const exec = (sql: string): void => {
          if (sql === 'COMMIT') commits += 1;
          db.exec(sql);
        };
        return {
          ...db,
          run: (...a) => db.run(...a),
          all: (...a) => db.all(...a),
          close: () => db.close(),
          exec,
        };
      },
    };
    const connection = connect(file, { load: async () => counting });
    await connection.write((db) => db.exec('CREATE TABLE numbers (n UNIQUE)'));
    const insert = (n: number): Promise<number> =>
      connection.write((db) => db.run('INSERT INTO numbers VALUES (?)', [n]));
    commits = 0;
    expect(await Promise.all([1, 2, 3, 4, 5, 6, 7, 8, 9].map(insert))).toEqual(
      Array.from({ length: 9 }, () => 1),
    );
    expect(commits, 'one for the first, few for the rest').toBeLessThan(9);
    const results = await Promise.allSettled([10, 11, 1, 12].map(insert));
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled']);
    const stored = await connection.read((db) =>
      db.all('SELECT n FROM numbers ORDER BY n').map(({ n }) => n),
    );
    expect(stored).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  it('repeats no write if the commit of several writes failed', async () => {
    const { file } = await sessionFolder();
    let isFailing = false;
    const failing: SqliteDriver = {
      ...driver,
      open(path) {
        const db = driver.open(path);
        const exec = (sql: string): void => {
          db.exec(sql);
          if (sql === 'COMMIT' && isFailing) throw new Error('The disk did not say whether it has the data');
        };
        return {
          ...db,
          run: (...a) => db.run(...a),
          all: (...a) => db.all(...a),
          close: () => db.close(),
          exec,
        };
      },
    };
    const connection = connect(file, { load: async () => failing });
    await connection.write((db) => db.exec('CREATE TABLE numbers (n)'));
    isFailing = true;
    const results = await Promise.allSettled(
      [1, 2, 3, 4].map((n) => connection.write((db) => db.run('INSERT INTO numbers VALUES (?)', [n]))),
    );
    isFailing = false;
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected', 'rejected']);
    const stored = await connection.read((db) =>
      db.all('SELECT n FROM numbers ORDER BY n').map(({ n }) => n),
    );
    expect(stored).toEqual([1, 2, 3, 4]);
  });

  it('does not make a write wait longer for a lock because others waited before it', async () => {
    const { file } = await sessionFolder();
    const connection = connect(file, { waitMs: 200 });
    await connection.write((db) => db.exec('CREATE TABLE numbers (n)'));
    const locker = otherConnection(file);
    locker.exec('BEGIN IMMEDIATE');
    const insert = (n: number): Promise<number> =>
      connection.write((db) => db.run('INSERT INTO numbers VALUES (?)', [n]));
    const results = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => insert(n)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toEqual([]);
    locker.exec('COMMIT');
    expect(await insert(20)).toBe(1);
    expect(locker.all('SELECT n FROM numbers')).toMatchObject([{ n: 20 }]);
  });

  it('is opened again after a write that found the database locked', async () => {
    const { file } = await sessionFolder();
    const connection = connect(file, { waitMs: 0 });
    await connection.write((db) => db.exec('CREATE TABLE numbers (n)'));
    const locker = otherConnection(file);
    locker.exec('BEGIN IMMEDIATE; INSERT INTO numbers VALUES (1)');
    const unannounced = connection.read((db) => db.run('INSERT INTO numbers VALUES (2)', []));
    await expect(unannounced).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', data: { reason: 'busy' } });
    locker.exec('COMMIT; BEGIN IMMEDIATE; INSERT INTO numbers VALUES (3); COMMIT');
    const numbers = await connection.read((db) => db.all('SELECT n FROM numbers').map(({ n }) => n));
    expect(numbers).toEqual([1, 3]);
    await connection.write((db) => db.run('INSERT INTO numbers VALUES (4)', []));
    expect(locker.all('SELECT max(n) AS n FROM numbers')).toMatchObject([{ n: 4 }]);
  });

  it('waits for a lock without blocking the process', async () => {
    const { file, open: openStore } = await sessionFolder();
    const store = openStore();
    const head = await start(store, 's1');
    const locker = otherConnection(file);
    locker.exec('BEGIN EXCLUSIVE');
    let ticks = 0;
    const ticking = setInterval(() => (ticks += 1), 10);
    const writing = push(store, 's1', { head, data: [{}] });
    await vi.waitUntil(() => ticks > 3, { timeout: 5_000 });
    locker.exec('COMMIT');
    expect(await writing).toMatchObject({ revision: 2 });
    clearInterval(ticking);
  });

  it('retries to open a locked database', async () => {
    const { file, open: openStore } = await sessionFolder();
    await start(openStore(), 's1');
    const locker = otherConnection(file);
    locker.exec('BEGIN EXCLUSIVE');
    const loading = openStore().load('s1');
    await setTimeout(200);
    locker.exec('COMMIT');
    expect((await loading)?.session.sid).toBe('s1');
  });

  it('reports a lock that is held for too long, and works afterwards', async () => {
    const { file, open: openStore } = await sessionFolder();
    const store = openStore({ waitMs: 100 });
    const head = await start(store, 's1');
    const locker = otherConnection(file);
    locker.exec('BEGIN EXCLUSIVE');
    const busy = { code: 'STORE_UNAVAILABLE', data: { reason: 'busy' } };
    await expect(push(store, 's1', { head, data: [{}] })).rejects.toMatchObject(busy);
    // With a write-ahead log, others can read during a write.
    const readsOn = journalModeOf(driver.version) === 'WAL';
    const [read] = await Promise.allSettled([store.load('s1')]);
    expect(read).toMatchObject(readsOn ? { status: 'fulfilled' } : { reason: busy });
    expect(await store.health()).toMatchObject({ ok: readsOn });
    locker.exec('COMMIT');
    expect(await push(store, 's1', { head, data: [{}] })).toMatchObject({ revision: 2 });
    expect(await store.health()).toMatchObject({ ok: true });
  });

  it('keeps no changes of a task that throws an error', async () => {
    const { file } = await sessionFolder();
    const connection = connect(file);
    const failing = connection.write((db) => {
      db.exec('CREATE TABLE half (n)');
      throw new RangeError('half way');
    });
    await expect(failing).rejects.toThrow(RangeError);
    const tables = await connection.read((db) => db.all("SELECT 1 FROM sqlite_schema WHERE name = 'half'"));
    expect(tables).toEqual([]);
  });
});

it('Versions of SQLite are compared as numbers', () => {
  const sound = ['3.51.3', '3.100.0', '10.0.0', '3.51.10'];
  const unsound = ['3.51.2', '3.9.9', '3.51', '2.99.99'];
  expect(sound.filter(hasSoundLog)).toEqual(sound);
  expect(unsound.filter(hasSoundLog)).toEqual([]);
});

/** Makes a driver that logs its calls. */
function recording(real: SqliteDriver, log: string[]): SqliteDriver {
  return {
    ...real,
    open(file) {
      const db = real.open(file);
      return {
        ...db,
        exec: (sql) => {
          log.push(`exec ${sql}`);
          db.exec(sql);
        },
        run: (sql, values) => {
          log.push(`run ${sql}`);
          return db.run(sql, values);
        },
      };
    },
  };
}

it.each([
  { values: 4, chars: 1_000_001 },
  { values: 300, chars: 9_000 },
])(
  'A blob with $values values of $chars characters is written in several turns of the event loop',
  async ({ values, chars }) => {
    const { file } = await sessionFolder();
    const connection = connect(file);
    const { putBlob } = contentMethods(databaseOf(connection), createSeals(), Date.now);
    await putBlob('first');
    const counted = countTurns();
    for (let at = 0; at < values; at += 1) await putBlob(`${at}`.padEnd(chars, '.'));
    expect(counted()).toBeGreaterThanOrEqual(values);
  },
);

it('Each of several long concurrent writes gets its own turn of the event loop', async () => {
  const { file } = await sessionFolder();
  const connection = connect(file);
  await connection.write(() => undefined);
  const counted = countTurns();
  const takeLong = (): void => {
    for (const end = performance.now() + 5; performance.now() < end;);
  };
  const writes = Array.from({ length: 20 }, (_, at) =>
    connection.write(() => {
      takeLong();
      return at;
    }),
  );
  expect(await Promise.all(writes)).toEqual(Array.from({ length: 20 }, (_, at) => at));
  expect(counted()).toBeGreaterThanOrEqual(19);
});

/** Counts the turns of the event loop until the function it returns is called. */
function countTurns(): () => number {
  let turns = 0;
  let next = setImmediate(count);
  function count(): void {
    turns += 1;
    next = setImmediate(count);
  }
  return () => {
    clearImmediate(next);
    return turns;
  };
}
