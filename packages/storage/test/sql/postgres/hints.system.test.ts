import type { SessionStore } from '@workflowlookup/storage';
import { describe, expect, it } from 'vitest';
import { createNotifyHints, hintChannel } from '../../../src/sql/postgres/notifications.ts';
import type { PostgresPlace } from '../../support/postgres-place.ts';
import { postgresPlaces } from '../../support/postgres-place.ts';
import { push, start } from '../../support/sessions.ts';

const { place } = postgresPlaces();

const patience = { timeout: 10_000 };

/** Collects the sessions for which a store gives hints. */
function hintsOf(store: SessionStore): { readonly heard: string[] } {
  const heard: string[] = [];
  store.watchChanges?.((sids) => heard.push(...sids));
  return { heard };
}

/** Returns the connections that listen for hints. */
async function listeners({ run }: PostgresPlace): Promise<readonly unknown[]> {
  const sql = `SELECT pid FROM pg_stat_activity
    WHERE datname = current_database() AND query = 'LISTEN ${hintChannel}' AND state = 'idle'`;
  return (await run(sql)).map(({ pid }) => pid);
}

/** Waits for a number of listening connections and returns them. */
async function expectListening(here: PostgresPlace, count: number): Promise<readonly unknown[]> {
  await expect.poll(() => listeners(here), patience).toHaveLength(count);
  return listeners(here);
}

describe('A replica', () => {
  it('is notified of what another replica wrote', async () => {
    const here = await place();
    const [reader, writer] = [here.open(), here.open()];
    const { heard } = hintsOf(reader);
    await expectListening(here, 1);
    await start(writer, 's1');
    await expect.poll(() => heard, patience).toEqual(['s1']);
  });

  it('listens with one connection for any number of watchers, and closes it at the end', async () => {
    const here = await place();
    const store = here.open();
    await store.health();
    await expectListening(here, 0);
    for (let n = 0; n < 3; n += 1) hintsOf(store);
    await expectListening(here, 1);
    await store.close();
    await expectListening(here, 0);
  });

  it('misses no change when notifications are lost, and listens again with a new connection', async () => {
    const here = await place();
    const [reader, writer] = [here.open(), here.open()];
    const { heard } = hintsOf(reader);
    const [before] = await expectListening(here, 1);
    let head = await start(writer, 's1');
    await here.run('SELECT pg_terminate_backend($1)', [before]);
    for (let n = 0; n < 5; n += 1) head = (await push(writer, 's1', { head, data: [{ n }] })) ?? head;
    expect((await reader.changes(0, 100)).map(({ revision }) => revision)).toEqual([1, 2, 3, 4, 5, 6]);
    await expect
      .poll(async () => (await listeners(here)).filter((pid) => pid !== before), patience)
      .toHaveLength(1);
    await start(writer, 's2');
    await expect.poll(() => heard, patience).toContain('s2');
  });
});

describe('Notifications', () => {
  const noListener = { start: () => {}, close: () => {} };

  it('of many writes are sent together, in parts that are small enough', async () => {
    const sent: (readonly string[])[] = [];
    const hints = createNotifyHints(
      {
        async all(_sql, [texts] = []) {
          sent.push(texts as readonly string[]);
          return [];
        },
      },
      noListener,
    );
    const sids = Array.from({ length: 120 }, (_, n) => `${n}`.padStart(128, '-'));
    for (const sid of [...sids, ...sids]) hints.announce(sid);
    await expect.poll(() => sent, patience).toHaveLength(1);
    const texts = sent.flat();
    expect(texts.flatMap((text) => text.split(' '))).toEqual(sids);
    expect(Math.max(...texts.map((text) => Buffer.byteLength(text)))).toBeLessThan(8_000);
    await hints.close();
  });

  it('that cannot be sent are lost, and later ones are sent', async () => {
    const sent: unknown[] = [];
    const hints = createNotifyHints(
      {
        async all(_sql, [texts] = []) {
          sent.push(texts);
          if (sent.length === 1) throw new Error('away');
          return [];
        },
      },
      noListener,
    );
    hints.announce('s1');
    await expect.poll(() => sent, patience).toEqual([['s1']]);
    hints.announce('s2');
    await expect.poll(() => sent, patience).toEqual([['s1'], ['s2']]);
    await hints.close();
  });
});
