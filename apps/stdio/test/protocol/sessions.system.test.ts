import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../support/built-app.ts';
import { buildApp, createSandbox, flagsOf, removeApp } from '../support/built-app.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { openServer } from '../support/server-process.ts';

let entry: string;
let sandbox: Sandbox;

beforeAll(async () => {
  [entry, sandbox] = await Promise.all([buildApp(), createSandbox()]);
}, 60_000);

afterAll(async () => {
  await sandbox.dispose();
  await removeApp(entry);
});

const stateOf = (name: string): string => join(sandbox.root, name);

function open(more: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  return openServer({ entry, args: [...flagsOf(sandbox), ...more], env });
}

async function start(server: ServerProcess, workflow = 'review-flow'): Promise<Record<string, unknown>> {
  const params = { agent_id: 'a', workflow_id: workflow };
  return (await server.request('start_session', params)).result ?? {};
}

describe('a session of the stdio server', () => {
  test.each(['SIGTERM', 'EOF'] as const)(
    'is complete after %s: its last call is in the trace',
    async (end) => {
      const args = ['--state', stateOf(`end-${end}`)];
      const first = await open(args);
      const { session_token: token } = await start(first);
      await first.request('get_workflow', { session_token: token });
      const since = Date.now();
      if (end === 'EOF') first.endInput();
      else first.kill(end);
      expect(await first.ended).toBe(0);
      expect(Date.now() - since).toBeLessThan(2000);
      const second = await open(args);
      const { result } = await second.request('get_trace', { session_token: token });
      second.kill('SIGKILL');
      expect(result).toMatchObject({ events: [{ name: 'start_session' }, { name: 'get_workflow' }] });
    },
  );

  test('is stored in the directory WORKFLOWLOOKUP_STATE with the keys WORKFLOWLOOKUP_KEYS', async () => {
    const server = await open([], {
      WORKFLOWLOOKUP_STATE: stateOf('env'),
      WORKFLOWLOOKUP_KEYS: 'ab'.repeat(32),
    });
    await start(server);
    server.endInput();
    await server.ended;
    expect((await readdir(stateOf('env'))).filter((file) => !file.startsWith('sessions.db'))).toEqual([]);
  });

  test('has tokens of the chosen kind, and accepts those of the other kind', async () => {
    const state = ['--state', stateOf('tokens')];
    const before = await open(state);
    const { session_token: short } = await start(before);
    before.kill('SIGKILL');
    await before.ended;
    const after = await open([...state, '--tokens', 'self-contained']);
    const status = await after.request('get_workflow_status', { session_token: short });
    after.kill('SIGKILL');
    expect(short).toMatch(/^wl_/);
    expect(status.result).toMatchObject({
      status: 'active',
      session_token: expect.stringMatching(/\.[0-9a-f]{64}$/),
    });
  });
});

describe('the policy of a session', () => {
  const tokenOf = ({ result }: Awaited<ReturnType<ServerProcess['request']>>): unknown =>
    result?.['session_token'];

  /** Returns a session that waits at a confirmation, on a strict server on which only a person may answer. */
  async function stopped(state: readonly string[]): Promise<unknown> {
    const confirmed = { id: 'sign-it', title: 'Sign it', prompt: 'Sign it.', requireConfirmation: true };
    const later = { id: 'report', title: 'Report', prompt: 'Report on it.' };
    const about = { id: 'signed-flow', name: 'Signed', description: 'Sign a change.', version: '1.0.0' };
    await sandbox.write('signed-flow.json', { ...about, steps: [confirmed, later] });
    const server = await open([...state, '--gates', 'human', '--enforcement', 'strict']);
    const started = await start(server, 'signed-flow');
    const moved = await server.request('next_activity', { session_token: started['session_token'] });
    const { result } = await server.request('yield_checkpoint', {
      session_token: tokenOf(moved),
      checkpoint_id: 'confirm',
    });
    server.kill('SIGKILL');
    await server.ended;
    return result?.['checkpoint_handle'];
  }

  test.each([
    ['without --gates human', []],
    ['with --trust-elicitation', ['--trust-elicitation', '--min-response-seconds', '0']],
  ])('also applies on a server that an agent starts itself: %s', async (name, flags) => {
    const state = ['--state', stateOf(`policy-${name.replaceAll(/\W/g, '')}`)];
    const handle = await stopped(state);
    const own = await open([...state, ...flags]);
    const answered = await own.request('respond_checkpoint', { session_token: handle, option_id: 'confirm' });
    expect(answered.error?.data).toMatchObject({ reason: 'agent', checkpoint_id: 'confirm' });
    const presented = await own.request('present_checkpoint', { session_token: handle });
    expect(JSON.stringify(presented.result)).toContain('answered_by: person');
    // A session that this server starts has the policy of this server.
    const { session_token: fresh } = await start(own);
    const moved = await own.request('next_activity', { session_token: fresh, activity_id: 'report' });
    expect(moved.error).toBeUndefined();
    own.kill('SIGKILL');
  });

  test('keeps a strict session strict on an advisory server', async () => {
    const state = ['--state', stateOf('policy-strict')];
    const strict = await open([...state, '--enforcement', 'strict']);
    const { session_token: token } = await start(strict);
    strict.kill('SIGKILL');
    await strict.ended;
    const own = await open(state);
    const moved = await own.request('next_activity', { session_token: token, activity_id: 'report' });
    expect(moved.error?.data).toMatchObject({ name: 'ILLEGAL_TRANSITION', activities: ['read-it'] });
    own.kill('SIGKILL');
  });
});
