import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createPostgresSessionStore } from '@workflowlookup/storage/postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyMessages } from '../../../../packages/host/test/support/messages.ts';
import type { PostgresServer } from '../../../../packages/storage/test/support/postgres-server.ts';
import { startPostgres } from '../../../../packages/storage/test/support/postgres-server.ts';
import { buildApp, removeApp } from '../support/built-app.ts';
import type { AgentProcess } from './agent-process.ts';
import { startAgent } from './agent-process.ts';
import { moveFrom, relayFiles } from '../support/relay-workflow.ts';
import type { Answer } from '../support/served-host.ts';
import type { StateFolder } from '../support/state-folder.ts';
import { stateFolder } from '../support/state-folder.ts';
import { outputsOf, sharedKeys, wholeJournalIn } from '../support/whole-journal.ts';

let entry: string;
let postgres: PostgresServer;
let database: string;
let folders: readonly StateFolder[];
const started: AgentProcess[] = [];

beforeAll(async () => {
  [entry, postgres, ...folders] = await Promise.all([
    buildApp(),
    startPostgres({ fsync: 'off' }),
    stateFolder(relayFiles),
    stateFolder(relayFiles),
  ]);
  database = await postgres.database();
}, 60_000);

afterAll(async () => {
  await Promise.all(started.map((server) => server.kill()));
  await postgres.remove();
  await Promise.all(folders.map((folder) => folder.dispose()));
  await removeApp(entry);
});

const keys = 'ab'.repeat(32);

/** Starts a server that shares only the database and the keys with the others. */
function start(place: 0 | 1, { env = { WORKFLOWLOOKUP_KEYS: keys }, address = database } = {}): AgentProcess {
  const flags = folders[place]?.flags ?? [];
  const server = startAgent({ entry, flags, env: { ...env, WORKFLOWLOOKUP_DATABASE: address } });
  started.push(server);
  return server;
}

test('Two servers with one Postgres database share a session of two agents, even if one server restarts', async () => {
  const [first, other] = [start(0), start(1)];
  const begun = await first.call('start_session', { agent_id: 'lead', workflow_id: 'relay' });
  const sid = String(begun.json['session_id']);
  const entered = await first.call('next_activity', { session_token: begun.token });

  const joined = await other.call('start_session', { agent_id: 'worker', session_token: entered.token });
  expect(joined.json, joined.raw).toMatchObject({ session_id: sid, inherited: true });
  const yielded = await other.call('yield_checkpoint', {
    session_token: joined.token,
    checkpoint_id: 'hand-over',
  });
  const held = await first.call('next_activity', { session_token: entered.token });
  expect(held.error).toBe('CHECKPOINT_OPEN');
  const waiting = other.call('resume_checkpoint', { session_token: yielded.token, wait_ms: 50_000 });
  const answered = await first.call('respond_checkpoint', {
    checkpoint_handle: yielded.token,
    option_id: 'over',
  });
  expect(answered.json).toMatchObject({ resolved_option: 'over' });
  const resumed = await waiting;
  expect(resumed.json, resumed.raw).toMatchObject({ status: 'resumed' });

  expect(await first.end()).toBe(0);
  const again = start(0);
  const back = { activity_id: 'back', session_token: answered.token };
  const moved = await again.call('next_activity', {
    ...back,
    step_manifest: [{ step_id: 'run-there', output: 'by the lead' }],
  });
  expect(moved.json, moved.raw).toMatchObject({ activity_id: 'back' });
  const late = await other.call('next_activity', {
    ...back,
    session_token: resumed.token,
    step_manifest: [{ step_id: 'run-there', output: 'by the worker' }],
  });
  expect(late.error, late.raw).toBe('SESSION_CONFLICT');
  const completed = await other.call('next_activity', {
    session_token: late.token,
    activity_id: 'end',
    step_manifest: [{ step_id: 'run-back', output: 'by the worker' }],
    variables: { done: true },
  });
  expect(completed.json).toMatchObject({ status: 'completed' });

  const events = await wholeJournalIn(
    createPostgresSessionStore({ server: database, keys: sharedKeys(keys) }),
    sid,
  );
  expect(events.flatMap(outputsOf)).toEqual(['by the lead', 'by the worker']);
  expect([first, other, again].map((server) => server.errors())).toEqual(['', '', '']);
  expect(await Promise.all([other.end(), again.end()])).toEqual([0, 0]);
  for (const { state } of folders) expect(existsSync(join(state, 'sessions.db'))).toBe(false);
});

/** Expects that one of the outputs was accepted, or all if they are the same. Returns it and the current token. */
function outcomeOf(answers: readonly Answer[], outputs: readonly string[]): readonly [string, string] {
  const what = answers.map(({ raw }) => raw).join('\n');
  const won = outputs.filter((_, index) => answers[index]?.isError === false);
  const refusals = answers.flatMap(({ isError, error }) => (isError ? [error] : []));
  expect(won, what).toHaveLength(new Set(outputs).size === 1 ? outputs.length : 1);
  expect(refusals, what).toEqual(refusals.map(() => 'SESSION_CONFLICT'));
  expect(new Set(answers.map(({ token }) => token)).size, what).toBe(1);
  return [won[0] ?? '', answers[0]?.token ?? ''];
}

test('One of two servers with one Postgres database wins each of 40 races, and the same call to both is one event', async () => {
  const servers = [start(0), start(1)] as const;
  const begun = await servers[0].call('start_session', { agent_id: 'agent', workflow_id: 'relay' });
  let { token } = begun;
  const kept: string[] = [];
  for (let revision = 1; revision <= 40; revision += 1) {
    // The first move has no manifest, so it is the same for all.
    const who = revision % 2 === 0 || revision === 1 ? ['both', 'both'] : ['first', 'second'];
    const outputs = who.map((name) => `${name} ${revision}`);
    const tries = servers.map((server, index) =>
      server.call('next_activity', { session_token: token, ...moveFrom(revision, outputs[index] ?? '') }),
    );
    const [output, next] = outcomeOf(await Promise.all(tries), outputs);
    if (revision > 1) kept.push(output);
    token = next;
  }
  const store = createPostgresSessionStore({ server: database, keys: sharedKeys(keys) });
  const events = await wholeJournalIn(store, String(begun.json['session_id']));
  expect(events.flatMap(outputsOf)).toEqual(kept);
});

test('A server with other keys cannot read a session until it also has the shared key', async () => {
  const { token } = await start(0).call('start_session', { agent_id: 'lead', workflow_id: 'relay' });
  const look = (keyRing: string): Promise<Answer> =>
    start(1, { env: { WORKFLOWLOOKUP_KEYS: keyRing } }).call('get_workflow_status', { session_token: token });
  const other = 'cd'.repeat(32);
  const stranger = await look(other);
  expect(stranger.error, stranger.raw).toBe('KEYS_UNUSABLE');
  expect(stranger.raw).toContain(keyMessages.otherKeys());
  const rotated = await look(`${other},${keys}`);
  expect(rotated.isError, rotated.raw).toBe(false);
  // The server now has only the new key, so it does not accept a token that was made with the old one.
  const late = await look(other);
  expect(late.error, late.raw).toBe('TOKEN_INVALID');
});

test('An error about an unreachable database does not contain its password', async () => {
  const server = start(0, { address: 'postgres://me:secret@127.0.0.1:1/nowhere' });
  const refused = await server.call('start_session', { agent_id: 'lead', workflow_id: 'relay' });
  expect(refused.error, refused.raw).toBe('STORE_UNAVAILABLE');
  expect(refused.raw + server.errors()).not.toContain('secret');
  const listed = await server.call('list_workflows');
  expect(listed.isError, listed.raw).toBe(false);
});
