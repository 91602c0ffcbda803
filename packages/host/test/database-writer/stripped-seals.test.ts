import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSessions } from '@workflowlookup/core/sessions';
import { createSelfContainedCodec } from '@workflowlookup/core/tokens';
import type { WorkflowError } from '@workflowlookup/schema';
import type { StateStore } from '@workflowlookup/storage';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { otherConnection } from '../../../storage/test/support/other-connection.ts';
import { keys, operatorOver, partsOver } from '../support/filled-store.ts';

/** Starts a session that waits at its checkpoint, and returns the changes that somebody without keys can make to its rows. */
async function waiting() {
  const folder = await mkdtemp(join(tmpdir(), 'stripped-seals-'));
  const file = join(folder, 'sessions.db');
  const store = createSqliteSessionStore({ file, keys: () => keys, delayMs: 1 });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  const parts = partsOver(store);
  const sessions = createSessions(parts);
  const { token, value } = await sessions.start({ agentId: 'baker', workflowId: 'errands' });
  const moved = await sessions.move(token, {});
  const asked = await sessions.yield(moved.token, 'bake-now');
  /** Removes the checkpoint from the journal, and replaces the seals with this value. */
  function strip(seal: string | null): void {
    const other = otherConnection(file);
    const { sid } = value;
    other.run('DELETE FROM events WHERE sid = ? AND revision = 3', [sid]);
    other.run(
      `UPDATE sessions SET seal = ?, state = NULL, state_seal = NULL, state_revision = NULL, status = 'active',
         revision = 2, hash = (SELECT hash FROM events WHERE sid = ? AND revision = 2) WHERE sid = ?`,
      [seal, sid, sid],
    );
    for (const table of ['events', 'calls', 'commands', 'agents'])
      other.run(`UPDATE ${table} SET seal = ? WHERE sid = ?`, [seal, sid]);
  }
  return { store, parts, sessions, sid: value.sid, token: asked.token, moved: moved.token, strip };
}

describe.each([
  ['no seal', null, 'unsealed', 'unsealed'],
  ['a seal by an unknown key', `unknown:${'A'.repeat(43)}`, 'unknown-key', 'warned'],
] as const)('A session that somebody without the keys left with %s', (_what, seal, reason, atStart) => {
  it('is not served to an agent, except its marked status', async () => {
    const { store, parts, sessions, sid, token, moved, strip } = await waiting();
    strip(seal);
    const calls: Readonly<Record<string, () => Promise<unknown>>> = {
      workflow: () => sessions.workflow(token, { full: true, summary: false }),
      activity: () => sessions.activity(token, { full: true }),
      skills: () => sessions.skills(token),
      skill: () => sessions.skill(token, 'fetch'),
      resource: () => sessions.resource(token, '01'),
      operations: () => sessions.operations([], token),
      trace: () => sessions.trace(token),
      present: () => sessions.present(token),
      resume: () => sessions.resume(token),
      move: () => sessions.move(token, {}),
      yield: () => sessions.yield(moved, 'bake-now'),
      answer: () => sessions.answer(token, { mode: { kind: 'option', option: 'yes' } }),
      child: () => sessions.start({ agentId: 'baker', workflowId: 'errands-child', parentToken: token }),
    };
    const refused = { code: 'SESSION_UNVERIFIED', data: { reason, sid } };
    for (const [name, call] of Object.entries(calls))
      await expect(call(), name).rejects.toMatchObject(refused);
    expect((await sessions.status(token)).value).toMatchObject({ unauthentic: reason, next: [] });
    expect((await sessions.discover()).openSessions).toEqual([]);
    // A session whose key was lost stays in its activity.
    const started = sessions.start({ agentId: 'baker', sessionToken: token }).then(
      ({ warnings }) => (warnings.length === 1 ? 'warned' : 'started'),
      (error: WorkflowError) => error.data['reason'],
    );
    expect(await started).toBe(atStart);
    // A person can read it, marked.
    expect(await operatorOver(parts, store).history(sid)).toMatchObject({ session: { unauthentic: reason } });
  });

  it('is refused to an agent that is waiting for an answer', async () => {
    const { parts, sid, token, strip } = await waiting();
    const pause = async (): Promise<void> => strip(seal);
    const resumed = createSessions({ ...parts, pause }).resume(token, { waitMs: 60_000 });
    await expect(resumed).rejects.toMatchObject({ code: 'SESSION_UNVERIFIED', data: { reason, sid } });
  });
});

it('A person who verifies a session learns which key is missing', async () => {
  const { store, parts, sid, strip } = await waiting();
  strip(`k2:${'A'.repeat(43)}`);
  const { problems } = await operatorOver(parts, store).verify(sid);
  const missing = problems.filter(({ code }) => code === 'UNKNOWN_KEY');
  expect(missing.length).toBeGreaterThan(0);
  for (const { message } of missing) expect(message).toContain("'k2'");
});

type Row = ReturnType<ReturnType<typeof otherConnection>['all']>[number];

/** Makes a database with a session. Each call to the session is made by a new server. */
async function restarting() {
  const folder = await mkdtemp(join(tmpdir(), 'stripped-seals-'));
  const file = join(folder, 'sessions.db');
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  async function serving<Result>(
    work: (server: ReturnType<typeof serverOver>) => Promise<Result>,
  ): Promise<Result> {
    const store = createSqliteSessionStore({ file, keys: () => keys, delayMs: 1 });
    try {
      return await work(serverOver(store));
    } finally {
      await store.close();
    }
  }
  const { token, sid } = await serving(async ({ sessions }) => {
    const started = await sessions.start({ agentId: 'baker', workflowId: 'errands' });
    return { token: (await sessions.move(started.token, {})).token, sid: started.value.sid };
  });
  const other = otherConnection(file);
  /** Changes one row of the session like somebody without the keys, and returns a function that restores it. */
  function change(table: string, values: Row, which = 'true'): () => void {
    const names = Object.keys(values);
    const where = `WHERE sid = ? AND ${which}`;
    const [before = {}] = other.all(`SELECT ${names.join(', ')} FROM ${table} ${where}`, [sid]);
    const write = (row: Row): void => {
      const columns = names.map((name) => `${name} = ?`).join(', ');
      other.run(`UPDATE ${table} SET ${columns} ${where}`, [...names.map((name) => row[name] ?? null), sid]);
    };
    write(values);
    return () => write(before);
  }
  return { serving, change, token, sid };
}

function serverOver(store: StateStore) {
  const parts = partsOver(store);
  return { store, parts, sessions: createSessions(parts), operator: operatorOver(parts, store) };
}

describe('A session that does not authenticate', () => {
  it('does not add the names of its agents to the cache', async () => {
    const { serving, change, token, sid } = await restarting();
    await serving(async ({ sessions, operator }) => {
      const restore = [
        change('sessions', { seal: null }),
        change('agents', { agent: 'human:ann', seal: null }),
      ];
      expect((await sessions.status(token)).value).toMatchObject({ unauthentic: 'unsealed' });
      for (const putBack of restore) putBack();
      await sessions.activity(token, { full: true });
      const { events } = (await sessions.trace(token)).value;
      expect(events.at(-1)).toMatchObject({ name: 'read-activity', aid: 'baker' });
      const { participants } = await operator.history(sid);
      expect(participants.map(({ kind }) => kind)).not.toContain('human');
    });
  });

  it('gets no recorded calls, because their rows would get a valid seal', async () => {
    const { serving, change, token, sid } = await restarting();
    await serving(async ({ sessions, operator, store }) => {
      const before = await store.calls(sid);
      const putBack = change('sessions', { seal: null });
      expect((await sessions.status(token)).value).toMatchObject({ unauthentic: 'unsealed' });
      await expect(sessions.move(token, {})).rejects.toMatchObject({ code: 'SESSION_UNVERIFIED' });
      await expect(operator.abandon(sid)).rejects.toMatchObject({ code: 'SESSION_UNVERIFIED' });
      putBack();
      expect(await store.calls(sid)).toEqual(before);
    });
  });

  it('accepts no further agent, and an agent gets a token that works for nobody', async () => {
    const { serving, change, token, sid } = await restarting();
    await serving(async ({ sessions, store }) => {
      const before = await store.calls(sid);
      const putBack = change('sessions', { seal: `unknown:${'A'.repeat(43)}` });
      const started = await sessions.start({ agentId: 'helper', sessionToken: token });
      expect((await sessions.status(started.token)).value).toMatchObject({ unauthentic: 'unknown-key' });
      putBack();
      expect(await store.calls(sid)).toEqual(before);
      expect(await store.agents(sid)).toEqual(['baker']);
      await expect(sessions.move(started.token, {})).rejects.toMatchObject({
        code: 'TOKEN_INVALID',
        data: { remedy: 'start' },
      });
      const joined = await sessions.start({ agentId: 'helper', sessionToken: started.token });
      expect(await store.agents(sid)).toEqual(['baker', 'helper']);
      await sessions.activity(joined.token, { full: true });
      const { events } = (await sessions.trace(joined.token)).value;
      expect(events.at(-1)).toMatchObject({ name: 'read-activity', aid: 'helper' });
    });
  });

  it('is not read as authentic, although it was a moment before', async () => {
    const { serving, change, token, sid } = await restarting();
    await serving(async ({ store }) => {
      const planted = { seal: null, call: JSON.stringify({ name: 'answer', aid: 'human:ciso', rev: 1 }) };
      const putCallBack = change('calls', planted, 'n = 1');
      /** Opens a server whose database is changed just before one read. */
      function changedBefore(method: 'agents' | 'calls' | 'events') {
        let putBack: (() => void) | undefined;
        const read = store[method].bind(store) as (...given: readonly unknown[]) => Promise<never>;
        const changed = (...given: readonly unknown[]): Promise<never> => {
          putBack ??= change('sessions', { seal: null });
          return read(...given);
        };
        return { ...serverOver({ ...store, [method]: changed }), putBack: () => putBack?.() };
      }
      const refused = { code: 'SESSION_UNVERIFIED', data: { reason: 'unsealed', sid } };
      const traced = changedBefore('calls');
      await expect(traced.sessions.trace(token)).rejects.toMatchObject(refused);
      traced.putBack();
      putCallBack();
      for (const method of ['agents', 'calls', 'events'] as const) {
        const { operator, putBack } = changedBefore(method);
        await expect(operator.history(sid), method).rejects.toMatchObject(refused);
        putBack();
      }
      const { operator, putBack } = changedBefore('events');
      await expect(operator.events(sid)).rejects.toMatchObject(refused);
      // A reader that asks for unauthentic events gets them.
      expect(await operator.events(sid, { isUnverifiedToo: true })).toHaveLength(2);
      putBack();
    });
  });

  it('reveals nothing in a token, because tokens are signed', async () => {
    const { serving, change, sid } = await restarting();
    await serving(async ({ parts, store }) => {
      const tokens = createSelfContainedCodec(keys);
      const sessions = createSessions({ ...parts, vault: () => Promise.resolve({ store, keys, tokens }) });
      const shown = (token: string): object => {
        const opened = tokens.open(token);
        return opened.kind === 'genuine' ? { ...opened.claims.payload } : opened;
      };
      const before = await sessions.start({ agentId: 'baker', sessionToken: sid });
      expect(shown(before.token)).toMatchObject({ wf: 'errands', act: 'fetch', v: '1.0.0' });
      change('sessions', { seal: `unknown:${'A'.repeat(43)}` });
      const started = await sessions.start({ agentId: 'baker', sessionToken: sid });
      const { token, value } = await sessions.status(started.token);
      expect(value).toMatchObject({ unauthentic: 'unknown-key', current: 'fetch' });
      const nothing = { wf: '', act: '', cond: '', v: '', skill: '', sid, aid: 'baker' };
      for (const one of [started.token, token])
        expect(shown(one)).toEqual({ ...nothing, seq: expect.any(Number), ts: expect.any(Number) });
    });
  });
});
