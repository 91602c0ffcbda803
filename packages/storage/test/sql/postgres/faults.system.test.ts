import { createServer } from 'node:net';
import { inspect } from 'node:util';
import { createPostgresSessionStore } from '@workflowlookup/storage/postgres';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createConnectBackoff, loadDriver } from '../../../src/sql/postgres/connection.ts';
import { postgresPlaces } from '../../support/postgres-place.ts';
import { refusal as refusalOf, within } from './refusals.ts';
import { tcpProxy } from './tcp-proxy.ts';
import { start } from '../../support/sessions.ts';

const { place, server } = postgresPlaces();

const refusal = (call: Promise<unknown>): ReturnType<typeof refusalOf> => refusalOf(server(), call);

/** Stops the clock that pauses between attempts to connect are measured with, until the test ends. */
function stopClock(): void {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
}

describe('A Postgres server that cannot be used', () => {
  it.for<[what: string, change: (url: URL) => void, data: object]>([
    [
      'does not listen',
      (url) => {
        url.port = '1';
      },
      { reason: 'unavailable', retryable: true },
    ],
    [
      'has no name',
      (url) => {
        url.hostname = 'nobody-knows.invalid';
      },
      { reason: 'unavailable', retryable: true },
    ],
    [
      'refuses the password',
      (url) => {
        url.password = 'nobody-knows';
      },
      { reason: 'denied', retryable: false },
    ],
    [
      'has no such database',
      (url) => {
        url.pathname = '/nobody-knows';
      },
      { reason: 'no-database', retryable: false },
    ],
    [
      'has no TLS although the address requires it',
      (url) => {
        url.search = '?sslmode=verify-full';
      },
      { reason: 'tls', retryable: false },
    ],
  ])('is reported with a reason if it %s', async ([, change, data]) => {
    const { url, open } = await place();
    const other = new URL(url);
    change(other);
    const store = open({ server: other.href, connectMs: 2_000 });
    expect(await within(10_000, () => refusal(store.load('s1')))).toEqual(data);
    expect(await store.health()).toMatchObject({ ok: false, adapter: 'postgres' });
    expect(inspect(await store.health())).not.toContain(server().password);
  });

  it('is reported if its address is invalid', async () => {
    for (const address of [
      'postgres://nobody-knows:x@[',
      'postgres://u:nobody-knows@h:port/d',
      'mysql://nobody-knows/d',
      '',
    ]) {
      const store = createPostgresSessionStore({ server: address });
      expect(await refusal(store.load('s1'))).toEqual({ reason: 'address', retryable: false });
      await store.close();
    }
  });

  it('is reported if it accepts connections but never answers', async () => {
    const silent = createServer(() => {}).listen(0, '127.0.0.1');
    onTestFinished(() => void silent.close());
    await new Promise((resolve) => silent.once('listening', resolve));
    const { port } = silent.address() as { port: number };
    const { open } = await place();
    const store = open({ server: { host: '127.0.0.1', port, password: 'nobody-knows' }, connectMs: 300 });
    const data = await within(10_000, () => refusal(store.load('s1')));
    expect(data).toEqual({ reason: 'unavailable', retryable: true });
  });

  it('is not called for a while, and is used again when it is back', async () => {
    const { url, open } = await place();
    const head = await start(open(), 's1');
    const proxy = await tcpProxy(server().port);
    // This store only reads. After a write, it would also connect on its own, to notify others.
    const store = open({ server: url.replace(`:${server().port}/`, `:${proxy.port}/`) });
    await store.load('s1');
    stopClock();
    const opened = proxy.accepted();
    await server().stop('immediate');
    // The first calls may still get a connection that was lost.
    for (let n = 0; n <= opened; n += 1) await refusal(store.load('s1'));
    const tried = proxy.accepted();
    expect(tried).toBeGreaterThan(opened);
    const down = { reason: 'unavailable', retryable: true };
    for (let n = 0; n < 10; n += 1) expect(await refusal(store.load('s1'))).toEqual(down);
    expect(proxy.accepted()).toBe(tried);
    vi.advanceTimersByTime(1_000);
    for (let n = 0; n < 10; n += 1) expect(await refusal(store.load('s1'))).toEqual(down);
    expect(proxy.accepted()).toBe(tried + 1);
    await server().start();
    vi.advanceTimersByTime(1_000);
    expect(await store.load('s1')).toMatchObject({ session: { revision: head.revision } });
  });

  it('does not prevent a store from being closed', async () => {
    const { open } = await place();
    const store = open();
    await start(store, 's1');
    await store.recordCall('s1', {});
    await server().stop('immediate');
    expect(await within(10_000, () => refusal(store.close()))).toMatchObject({ retryable: true });
    await server().start();
  });
});

describe('The pause between attempts to connect', () => {
  it('grows with every failure up to a maximum, and ends with a success', () => {
    stopClock();
    const backoff = createConnectBackoff(100, 1_000);
    expect(backoff.currentFailure()).toBeUndefined();
    backoff.failed('first');
    vi.advanceTimersByTime(49);
    expect(backoff.currentFailure()).toBe('first');
    vi.advanceTimersByTime(51);
    expect(backoff.currentFailure()).toBeUndefined();
    for (const failure of ['second', 'third', 'fourth']) backoff.failed(failure);
    vi.advanceTimersByTime(399);
    expect(backoff.currentFailure()).toBe('fourth');
    vi.advanceTimersByTime(401);
    expect(backoff.currentFailure()).toBeUndefined();
    for (let n = 0; n < 40; n += 1) backoff.failed('last');
    vi.advanceTimersByTime(499);
    expect(backoff.currentFailure()).toBe('last');
    vi.advanceTimersByTime(501);
    expect(backoff.currentFailure()).toBeUndefined();
    backoff.failed('again');
    backoff.succeeded();
    expect(backoff.currentFailure()).toBeUndefined();
    backoff.failed('first again');
    vi.advanceTimersByTime(100);
    expect(backoff.currentFailure()).toBeUndefined();
  });
});

describe('A Postgres store without the driver', () => {
  it('says at the first call what to install', async () => {
    const loaded = loadDriver(() => Promise.reject(new Error("Cannot find package 'pg'")));
    await expect(loaded).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', data: { reason: 'no-driver' } });
  });
});

describe('A Postgres server that refuses writes', () => {
  it('is unhealthy until it accepts them again, although it answers', async () => {
    const { open, run } = await place();
    const store = open();
    await start(store, 's1');
    expect(await store.health()).toMatchObject({ ok: true });
    // The error of Postgres when its disk is full, for every write.
    await run(`CREATE FUNCTION workflowlookup.full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'no space left on device' USING ERRCODE = 'disk_full'; END $$`);
    const tables = ['sessions', 'events', 'blobs', 'definitions'];
    for (const table of tables)
      await run(
        `CREATE TRIGGER full_disk BEFORE INSERT ON workflowlookup.${table} EXECUTE FUNCTION workflowlookup.full()`,
      );
    expect(await refusal(start(store, 's2'))).toMatchObject({ reason: 'disk-full' });
    expect((await store.find({})).sessions).toHaveLength(1);
    for (let at = 0; at < 2; at += 1)
      expect(await store.health()).toMatchObject({ ok: false, reason: 'disk-full' });
    for (const table of tables) await run(`DROP TRIGGER full_disk ON workflowlookup.${table}`);
    expect(await store.health()).toMatchObject({ ok: true });
    expect(await run("SELECT 1 FROM workflowlookup.blobs WHERE digest LIKE 'write-probe%'")).toEqual([]);
    await start(store, 's2');
  });
});
