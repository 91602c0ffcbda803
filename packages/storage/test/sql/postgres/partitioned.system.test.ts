import type { SessionStore } from '@workflowlookup/storage';
import { createPostgresSessionStore } from '@workflowlookup/storage/postgres';
import { describeSessionStore } from '@workflowlookup/storage/testing';
import { beforeAll, describe, expect, it } from 'vitest';
import { partitionedSchema, sessionTables } from '../../support/partitioned-tables.ts';
import type { PostgresPlace } from '../../support/postgres-place.ts';
import { emptied, postgresPlaces } from '../../support/postgres-place.ts';
import { newSession, push, sealed, start } from '../../support/sessions.ts';

const { place, server } = postgresPlaces({ fsync: 'off' });

let url: string;

beforeAll(async () => {
  url = await server().database();
  await server().run(url, partitionedSchema());
});

describeSessionStore('A Postgres session store with partitioned tables', () => emptied(server(), url));

/** Makes every call on a session, often enough that its statements get a generic plan. */
async function live(store: SessionStore, sid: string): Promise<void> {
  let head = await start(store, sid);
  const blob = await store.putBlob({ big: true });
  for (let n = 1; n <= rounds; n += 1) {
    const command = { key: `k${n}`, result: { n } };
    head = (await push(store, sid, { head, data: [{ n }], blobs: [blob], command })) ?? head;
    const agent = await store.joinAgent(sid, `agent-${n}`);
    await store.markDelivered(sid, agent, ['bundle']);
    await store.recordCall(sid, { n });
    await store.calls(sid);
    await store.delivered(sid, agent);
    await store.agents(sid);
    await store.recorded(sid, command.key);
    await store.events(sid);
    await store.blobs(sid);
    await store.load(sid);
  }
  await store.resetDelivered(sid, 1);
  await store.close();
}

/** More often than a connection makes custom plans. */
const rounds = 10;

/** Returns how often each partition was used by connections that have ended, whose counts are complete. */
async function touches(run: PostgresPlace['run']): Promise<ReadonlyMap<string, number>> {
  const others =
    "SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'workflowlookup'";
  while ((await run(others)).length > 0);
  const rows = await run(
    `SELECT relname, coalesce(seq_scan, 0) + coalesce(idx_scan, 0) + n_tup_ins + n_tup_upd + n_tup_del AS n
     FROM pg_stat_user_tables WHERE relname ~ '_[0-9]+$'`,
  );
  return new Map(rows.map(({ relname, n }) => [String(relname), Number(n)]));
}

describe('Partitioned tables', () => {
  it('are all tables that have a session id', async () => {
    const { open, run } = await place();
    await start(open(), 's1');
    const withId = await run(
      `SELECT table_name FROM information_schema.columns
       WHERE table_schema = 'workflowlookup' AND column_name = 'sid' ORDER BY table_name`,
    );
    expect(withId.map(({ table_name: name }) => name)).toEqual(sessionTables.toSorted());
  });

  it('refuse the same rows as unpartitioned tables', async () => {
    const store = createPostgresSessionStore({ server: url });
    try {
      const events = sealed('lacking', { revision: 0, hash: '' }, [{}]);
      const session = { ...newSession('lacking'), digest: 'not-there' };
      await expect(store.create(session, { events })).rejects.toMatchObject({ code: 'NOT_FOUND' });
      const head = await start(store, 'refused');
      await expect(push(store, 'refused', { head, data: [{}], blobs: ['not-there'] })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
    } finally {
      await store.close();
    }
  });

  it('are used in only one partition during the life of a session', async () => {
    const { open, run } = await place();
    await run(partitionedSchema());
    const before = await touches(run);
    await live(open(), 'session');
    const after = await touches(run);
    const touched = [...after.keys()].filter((part) => (after.get(part) ?? 0) > (before.get(part) ?? 0));
    const [number] = await run(
      `SELECT right(tableoid::regclass::text, 2) AS part FROM workflowlookup.sessions WHERE sid = 'session'`,
    );
    expect(touched.toSorted()).toEqual(
      // The index of sessions is only written when somebody looks at lists or figures.
      sessionTables
        .filter((table) => table !== 'session_index')
        .map((table) => `${table}${String(number?.['part'])}`)
        .toSorted(),
    );
  });
});
