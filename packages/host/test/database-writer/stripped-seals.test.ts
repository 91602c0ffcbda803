import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSessions } from '@workflowlookup/core/sessions';
import type { WorkflowError } from '@workflowlookup/schema';
import { createSqliteSessionStore } from '@workflowlookup/storage/sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { otherConnection } from '../../../storage/test/support/other-connection.ts';
import { keys, operatorOver, partsOver } from './scene.ts';

/** A session that waits at its checkpoint, and what somebody without keys can do with its rows. */
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
  /** Takes the question out of the journal, and puts this in the place of the seals. */
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
] as const)('A session of which somebody without the keys left %s', (_what, seal, reason, atStart) => {
  it('is not served to an agent, except its status, which is marked', async () => {
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
    // A session whose key was lost keeps its place.
    const started = sessions.start({ agentId: 'baker', sessionToken: token }).then(
      ({ warnings }) => (warnings.length === 1 ? 'warned' : 'started'),
      (error: WorkflowError) => error.data['reason'],
    );
    expect(await started).toBe(atStart);
    // A person reads it, with a mark.
    expect(await operatorOver(parts, store).history(sid)).toMatchObject({ session: { unauthentic: reason } });
  });

  it('is refused to an agent that waits for an answer meanwhile', async () => {
    const { parts, sid, token, strip } = await waiting();
    const pause = async (): Promise<void> => strip(seal);
    const resumed = createSessions({ ...parts, pause }).resume(token, { waitMs: 60_000 });
    await expect(resumed).rejects.toMatchObject({ code: 'SESSION_UNVERIFIED', data: { reason, sid } });
  });
});
