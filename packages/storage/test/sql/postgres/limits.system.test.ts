import { describe, expect, it } from 'vitest';
import type { PostgresPlace } from '../../support/postgres-place.ts';
import { postgresPlaces } from '../../support/postgres-place.ts';
import { refusal as refusalOf, within } from './refusals.ts';
import { push, sealed, start } from '../../support/sessions.ts';
import { tcpProxy } from './tcp-proxy.ts';

const { place, server } = postgresPlaces({ max_connections: '30' });

const refusal = (call: Promise<unknown>): ReturnType<typeof refusalOf> => refusalOf(server(), call);

/** Locks a session until the returned function is called. */
async function lock(
  { run, asleep }: PostgresPlace,
  holdMs: number,
): Promise<{ readonly ended: Promise<unknown> }> {
  const ended = run(
    `BEGIN; SELECT sid FROM workflowlookup.sessions FOR UPDATE; SELECT pg_sleep(${holdMs / 1_000}); COMMIT`,
  );
  await asleep();
  return { ended };
}

describe('A slow Postgres server', () => {
  it('is not waited for longer than the statement timeout', async () => {
    const here = await place();
    const store = here.open({ statementMs: 1_000, lockMs: 5_000 });
    const head = await start(store, 's1');
    const held = await lock(here, 2_500);
    const pushed = push(store, 's1', { head, data: [{}] });
    expect(await within(10_000, () => refusal(pushed))).toEqual({ reason: 'timeout', retryable: true });
    expect((await store.load('s1'))?.session.revision).toBe(1);
    await held.ended;
    expect(await push(store, 's1', { head, data: [{}] })).toMatchObject({ revision: 2 });
  });

  it('is not waited for longer than the lock timeout', async () => {
    const here = await place();
    const store = here.open({ lockMs: 100 });
    const head = await start(store, 's1');
    const held = await lock(here, 1_200);
    const pushed = push(store, 's1', { head, data: [{}] });
    expect(await within(10_000, () => refusal(pushed))).toEqual({ reason: 'busy', retryable: true });
    await held.ended;
    expect(await push(store, 's1', { head, data: [{}] })).toMatchObject({ revision: 2 });
  });

  it('ends an idle transaction, which can be repeated', async () => {
    const { url, open } = await place();
    const proxy = await tcpProxy(server().port);
    const store = open({ server: url.replace(`:${server().port}/`, `:${proxy.port}/`), statementMs: 1_000 });
    proxy.hold('CREATE TABLE meta', 1_500);
    const started = start(store, 's1');
    expect(await within(10_000, () => refusal(started))).toEqual({ reason: 'timeout', retryable: true });
    expect(await start(store, 's1')).toMatchObject({ revision: 1 });
  });

  it('is given up if it stops answering, and a write that it did commit is recognized', async () => {
    const { url, open } = await place();
    const proxy = await tcpProxy(server().port);
    const through = url.replace(`:${server().port}/`, `:${proxy.port}/`);
    const store = open({ server: through, statementMs: 1_000 });
    const head = await start(store, 's1');
    const events = sealed('s1', head, [{ heard: false }]);
    const command = { key: 'k', result: { ok: true } };
    proxy.silenceAfter('UPDATE sessions');
    const appended = store.append('s1', 1, { events, command });
    expect(await within(10_000, () => refusal(appended))).toEqual({ reason: 'timeout', retryable: true });
    proxy.recover();
    expect(await store.append('s1', 1, { events, command })).toBe(false);
    expect(await store.recorded('s1', 'k')).toEqual({ ok: true });
    expect(await store.events('s1')).toHaveLength(2);
  });

  it('does not let calls wait for a connection forever', async () => {
    const here = await place();
    const store = here.open({ connections: 2, connectMs: 200 });
    await start(store, 's1');
    const head = await start(store, 's2');
    const held = await lock(here, 1_200);
    const writes = [1, 2, 3, 4].map(() => push(store, 's2', { head, data: [{}] }));
    const outcomes = await Promise.allSettled(writes);
    const refused = outcomes.filter((one) => one.status === 'rejected');
    expect(refused.length).toBe(2);
    for (const { reason } of refused) {
      const data = await refusal(Promise.reject(reason as Error));
      expect(data).toEqual({ reason: 'busy', retryable: true });
    }
    await held.ended;
    expect(outcomes.filter((one) => one.status === 'fulfilled' && one.value !== undefined)).toHaveLength(1);
    expect((await store.load('s2'))?.session.revision).toBe(2);
  });

  it('is reported if it has no connection left, and is used again when it has one', async () => {
    const here = await place();
    const greedy = Array.from({ length: 40 }, () => here.open({ connections: 1 }));
    const answers = await Promise.allSettled(greedy.map((store) => store.load('s1')));
    const refused = answers.filter((one) => one.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const { reason } of refused)
      expect(await refusal(Promise.reject(reason as Error))).toMatchObject({ retryable: true });
    for (const store of greedy) await store.close();
    const last = here.open();
    await expect.poll(() => last.load('s1').catch(() => 'refused')).toBeUndefined();
  });
});
