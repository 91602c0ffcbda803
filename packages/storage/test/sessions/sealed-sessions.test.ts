import { randomBytes } from 'node:crypto';
import type { SealKeys, StateStore, Unauthentic } from '@workflowlookup/storage';
import { emptyJournal } from '@workflowlookup/storage/journal';
import { describe, expect, it } from 'vitest';
import { notWritable, unknownKey } from '../../src/sessions/hash-chain.ts';
import { otherConnection } from '../support/other-connection.ts';
import type { SessionFolder } from '../support/session-folder.ts';
import { sessionFolder } from '../support/session-folder.ts';
import { newSession, push, sealed, start } from '../support/sessions.ts';

function newKey(id: string): SealKeys['signing'] {
  return { id, secret: randomBytes(32) };
}

function keyRingOf(
  ...[signing, ...older]: readonly [SealKeys['signing'], ...SealKeys['signing'][]]
): SealKeys {
  return { signing, verifying: [signing, ...older] };
}

const first = newKey('first');

/** Makes a session with two events, one call and one agent, sealed with the first key. */
async function sealedSession(): Promise<SessionFolder & { readonly store: StateStore }> {
  const folder = await sessionFolder();
  const store = folder.open({ keys: () => keyRingOf(first) });
  const head = await start(store, 's1');
  await store.recordCall('s1', { refused: true });
  await store.joinAgent('s1', 'agent');
  const command = { key: 'k', result: { revision: 2 } };
  await push(store, 's1', { head, data: [{ n: 2 }], snapshot: { revision: 2, state: { n: 2 } }, command });
  await store.calls('s1');
  return { ...folder, store };
}

const unauthentic = { code: 'STORE_DAMAGED', data: { reason: 'unauthentic' } };

describe('A change in the database by somebody without the keys', () => {
  it.for<[what: string, sql: string]>([
    ['the owner', "UPDATE sessions SET principal = 'eve'"],
    ['the status', "UPDATE sessions SET status = 'completed'"],
    ['the agent', "UPDATE sessions SET agent = 'eve'"],
    ['the parent', "UPDATE sessions SET parent_sid = 's0'"],
    ['the workflow', "UPDATE sessions SET workflow_id = 'other'"],
    ['the folder', "UPDATE sessions SET project = '/elsewhere'"],
    ['the time', "UPDATE sessions SET updated_at = '2020-01-01T00:00:00.000Z'"],
    ['the mark of an import', 'UPDATE sessions SET marks = \'{"imported":{}}\''],
    ['the seal', `UPDATE sessions SET seal = 'first:${'A'.repeat(43)}'`],
  ])('makes the session refused and marked: %s', async ([, sql]) => {
    const { file, store } = await sealedSession();
    const other = otherConnection(file);
    other.exec('PRAGMA foreign_keys=OFF');
    other.exec(sql);
    await expect(store.load('s1')).rejects.toMatchObject(unauthentic);
    await expect(store.events('s1')).rejects.toMatchObject(unauthentic);
    const { sessions } = await store.find({});
    expect(sessions).toMatchObject([{ unauthentic: 'forged' }]);
  });

  it.for(['title', 'outcome', 'tags', 'figures'])('is not used for the index: %s', async (column) => {
    const { file, store } = await sealedSession();
    const [gap] = (await store.index?.outdated(1, 10)) ?? [];
    const entry = {
      sid: 's1',
      revision: 0,
      calls: 0,
      title: 'Fix it',
      outcome: 'merged',
      text: '',
      tags: ['a'],
    };
    await store.index?.put(1, [{ ...entry, ...gap, figures: { visits: 1 } }]);
    expect(await store.index?.select({})).toMatchObject([{ title: 'Fix it', figures: { visits: 1 } }]);
    otherConnection(file).exec(`UPDATE session_index SET ${column} = '{"visits":9}'`);
    expect(await store.index?.select({})).toEqual([]);
    // The entry is derived again.
    expect(await store.index?.outdated(1, 10)).toMatchObject([{ sid: 's1' }]);
  });

  it('is not accepted in a state, or in the record of deliveries', async () => {
    const { file, store } = await sealedSession();
    otherConnection(file).exec('UPDATE sessions SET state = \'{"n":3}\'');
    otherConnection(file).exec("INSERT INTO deliveries (sid, agent, digest) VALUES ('s1', 1, 'digest')");
    expect(await store.load('s1')).toMatchObject({ events: [{ revision: 1 }, { revision: 2 }] });
    expect(await store.delivered('s1', 1)).toEqual([]);
  });

  it.for([{ more: 0 }, { more: 1 }])(
    'is not accepted as the state of another version of the same session, with $more later events',
    async ({ more }) => {
      const state = async (n: number): Promise<SessionFolder & { readonly store: StateStore }> => {
        const folder = await sessionFolder();
        const store = folder.open({ keys: () => keyRingOf(first) });
        const head = await start(store, 's1');
        const snapshot = { revision: 2, state: { n } };
        const next = await push(store, 's1', { head, data: [{ n }], snapshot });
        if (more > 0 && next !== undefined) await push(store, 's1', { head: next, data: [{ n: 9 }] });
        return { ...folder, store };
      };
      const { file, store } = await state(1);
      const other = await state(2);
      expect(await store.load('s1')).toMatchObject({ snapshot: { state: { n: 1 } } });
      const [row] = otherConnection(other.file).all('SELECT state, state_seal FROM sessions');
      otherConnection(file).run('UPDATE sessions SET state = ?, state_seal = ?', [
        String(row?.['state']),
        String(row?.['state_seal']),
      ]);
      const loaded = await store.load('s1');
      expect(loaded?.snapshot).toBeUndefined();
      expect(loaded?.events).toHaveLength(2 + more);
      expect((await store.inspect?.('s1'))?.snapshot?.verdict).toBe('wrong');
      otherConnection(other.file).exec('UPDATE sessions SET state_revision = 1');
      expect((await other.store.load('s1'))?.snapshot).toBeUndefined();
    },
  );

  it.for<[what: string, sql: string, read: (store: StateStore) => Promise<unknown>]>([
    ['an event', "UPDATE events SET seal = 'first:x' WHERE revision = 1", (store) => store.events('s1')],
    ['what an event names', 'UPDATE events SET follows = NULL', (store) => store.events('s1')],
    ['a call', 'UPDATE calls SET call = \'{"refused":false}\'', (store) => store.calls('s1')],
    ['the number of a call', 'UPDATE calls SET seq = 2', (store) => store.calls('s1')],
    ['an agent', "UPDATE agents SET agent = 'human:root'", (store) => store.agents('s1')],
    ['a result', "UPDATE commands SET result = '{}'", (store) => store.recorded('s1', 'k')],
    ['a definition', "UPDATE definitions SET body = '{}'", (store) => store.getDefinition('definition')],
    [
      'the seal of a definition',
      'UPDATE definitions SET seal = NULL',
      (store) => store.getDefinition('definition'),
    ],
  ])('is refused when it is read: %s', async ([, sql, read]) => {
    const { file, store } = await sealedSession();
    await read(store);
    otherConnection(file).exec(sql);
    await expect(read(store)).rejects.toMatchObject(unauthentic);
  });
});

describe('Pruning', () => {
  it.for<[what: string, sql: readonly string[]]>([
    ['dated back', ["UPDATE sessions SET status = 'completed', updated_at = '2020-01-01T00:00:00.000Z'"]],
    ['without a seal', ["UPDATE sessions SET status = 'completed', seal = NULL"]],
    [
      'with the seal of an unknown key',
      [`UPDATE sessions SET status = 'completed', seal = 'x:${'A'.repeat(43)}'`],
    ],
  ])('keeps a session that does not authenticate: %s', async ([, sql]) => {
    const { file, store } = await sealedSession();
    await start(store, 's2');
    for (const one of sql) otherConnection(file).exec(`${one} WHERE sid = 's1'`);
    const request = { before: '2999-01-01T00:00:00.000Z', statuses: ['active', 'completed'] } as const;
    expect(await store.prune(request)).toBe(1);
    expect((await store.find({})).sessions).toMatchObject([{ sid: 's1' }]);
  });
});

describe('Pruning a session with children', () => {
  it.for<[what: string, sql: string]>([
    ['its child', "UPDATE sessions SET agent = 'eve' WHERE sid = 'child'"],
    ['a child of its child', "UPDATE sessions SET seal = NULL WHERE sid = 'grandchild'"],
  ])('keeps it if somebody without the keys changed %s', async ([, sql]) => {
    const { file, store } = await sealedSession();
    const status = 'completed' as const;
    await push(store, 'parent', { head: await start(store, 'parent'), data: [{}], status });
    for (const [sid, parentSid] of [
      ['child', 'parent'],
      ['grandchild', 'child'],
    ] as const)
      await store.create(
        { ...newSession(sid), parentSid },
        { events: sealed(sid, emptyJournal, [{}]), status },
      );
    await push(store, 'apart', { head: await start(store, 'apart'), data: [{}], status });
    otherConnection(file).exec(sql);
    await store.prune({ before: '2999-01-01T00:00:00.000Z', statuses: ['completed'] });
    const { sessions } = await store.find({});
    expect(sessions.map(({ sid }) => sid)).toEqual(expect.arrayContaining(['parent', 'child']));
    expect(sessions.map(({ sid }) => sid)).not.toContain('apart');
  });
});

describe('Pruning a session whose row was restored to an older revision', () => {
  it('keeps it', async () => {
    const { file, store } = await sealedSession();
    const head = await start(store, 's2');
    const other = otherConnection(file);
    other.exec("CREATE TEMP TABLE older AS SELECT * FROM sessions WHERE sid = 's2'");
    await push(store, 's2', { head, data: [{ n: 2 }] });
    const columns = ['status', 'revision', 'hash', 'updated_at', 'seal'];
    other.exec(
      `UPDATE sessions SET (${columns.join()}) = (SELECT ${columns.join()} FROM older) WHERE sid = 's2'`,
    );
    const { sessions } = await store.find({});
    expect(sessions.find(({ sid }) => sid === 's2')).toMatchObject({ revision: 1 });
    expect(sessions.filter(({ unauthentic: found }) => found !== undefined)).toEqual([]);
    expect((await store.find({ isAtEnd: false })).sessions).toMatchObject([{ sid: 's2' }]);
    const request = { before: '2999-01-01T00:00:00.000Z', statuses: ['active', 'completed'] } as const;
    expect(await store.prune(request)).toBe(1);
    expect((await store.find({})).sessions).toMatchObject([{ sid: 's2' }]);
  });
});

describe('The calls of a session', () => {
  it('are stored at the latest with the event that refers to them', async () => {
    const { open, file } = await sessionFolder();
    const store = open({ keys: () => keyRingOf(first), delayMs: 1_000_000 });
    const head = await start(store, 's1');
    for (const n of [1, 2]) await store.recordCall('s1', { n });
    await push(store, 's1', { head, data: [{}] });
    await store.recordCall('s1', { n: 3 });
    const rows = otherConnection(file).all("SELECT seq, writer || ':' || seq AS name FROM calls ORDER BY n");
    expect(rows.map(({ seq }) => seq)).toEqual([1, 2]);
    const found = await store.inspect?.('s1');
    expect(found?.events.map(({ follows }) => follows)).toEqual([null, rows[1]?.['name']]);
    expect(await store.calls('s1')).toMatchObject([{ n: 1 }, { n: 2 }, { n: 3, call: { n: 3 } }]);
  });
});

describe('The keys of a store', () => {
  it('can be rotated: data sealed by an older key is accepted, and data sealed by a removed key is not', async () => {
    const { store, open } = await sealedSession();
    await store.close();
    const second = newKey('second');
    const rotated = open({ keys: () => keyRingOf(second, first) });
    expect((await rotated.load('s1'))?.session.unauthentic).toBeUndefined();
    const without = open({ keys: () => keyRingOf(second) });
    const loaded = await without.load('s1');
    expect(loaded?.session.unauthentic).toBe('unknown-key');
    if (loaded === undefined) throw new Error('The session is gone.');
    const added = push(without, 's1', { head: loaded.session, data: [{}] });
    await expect(added).rejects.toMatchObject({
      code: 'SESSION_UNVERIFIED',
      data: { reason: 'unknown-key' },
    });
    expect((await without.find({})).sessions).toMatchObject([{ unauthentic: 'unknown-key' }]);
  });

  it('take effect immediately if another process adds one', async () => {
    const { store, open } = await sealedSession();
    const second = newKey('second');
    let keyRing = keyRingOf(first);
    const running = open({ keys: () => keyRing });
    await running.load('s1');
    const other = open({ keys: () => keyRingOf(second, first) });
    await start(other, 's2');
    keyRing = keyRingOf(second, first);
    expect((await running.load('s2'))?.session.sid).toBe('s2');
    await store.close();
  });

  it('are necessary for writing, but not for reading', async () => {
    const { store, open } = await sealedSession();
    const without = open({ keys: () => undefined });
    const loaded = await without.load('s1');
    expect(loaded).toMatchObject({ session: { unauthentic: 'unchecked' }, events: [{}, {}] });
    const head = loaded?.session ?? { revision: 0, hash: '' };
    await expect(push(without, 's1', { head, data: [{}] })).rejects.toMatchObject({
      code: 'SESSION_UNVERIFIED',
      data: { reason: 'no-keys' },
    });
    await store.close();
  });
});

describe('A session that was written before sessions had seals', () => {
  it('can be read but not written, until a person seals it', async () => {
    const { store, file, open } = await sealedSession();
    const tables = ['sessions', 'events', 'calls', 'commands', 'agents', 'definitions'];
    for (const table of tables) otherConnection(file).exec(`UPDATE ${table} SET seal = NULL`);
    otherConnection(file).exec('UPDATE calls SET writer = NULL, seq = NULL');
    const loaded = await store.load('s1');
    expect(loaded?.session).toMatchObject({ unauthentic: 'unsealed', revision: 2 });
    const head = loaded?.session ?? { revision: 0, hash: '' };
    const refused = { code: 'SESSION_UNVERIFIED', data: { reason: 'unsealed' } };
    for (const read of [store.calls, store.events, store.agents]) {
      await expect(read('s1')).rejects.toMatchObject(refused);
      expect((await read('s1', { isUnverifiedToo: true })).length).toBeGreaterThan(0);
    }
    await expect(push(store, 's1', { head, data: [{}] })).rejects.toMatchObject(refused);
    const found = await store.inspect?.('s1');
    if (found === undefined) throw new Error('nothing was found');
    const mark = { at: '2026-01-01T00:00:00.000Z', by: 'ann', revision: 2 };
    await store.seal?.(found, mark);
    await expect(store.seal?.(found, mark)).rejects.toMatchObject({ data: { reason: 'changed' } });
    expect((await store.load('s1'))?.session).toMatchObject({ sealed: mark });
    expect(await push(open({ keys: () => keyRingOf(first) }), 's1', { head, data: [{}] })).toMatchObject({
      revision: 3,
    });
    expect(await store.calls('s1')).toHaveLength(1);
    expect(await store.recorded('s1', 'k')).toEqual({ revision: 2 });
    expect(await store.agents('s1')).toEqual(['agent']);
  });
});

it('An error puts no id into a command if a shell would interpret it', () => {
  const sid = 'ab;touch X;#';
  const states: readonly Unauthentic[] = ['unsealed', 'forged', 'unknown-key', 'unchecked'];
  const refusals = [...states.map((state) => notWritable({ sid, unauthentic: state })), unknownKey(sid, sid)];
  for (const { message, data } of refusals) {
    expect(data).toMatchObject({ sid });
    expect(message.match(/workflowlookup [^"]*/g)?.join() ?? '').not.toContain(sid);
  }
});
