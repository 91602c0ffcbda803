import { spawnSync } from 'node:child_process';
import { chmod, mkdir, open, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { TestContext } from 'vitest';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { messages } from '../../../../packages/core/test/support/messages.ts';
import { keyMessages } from '../../../../packages/host/test/support/messages.ts';
import { databaseMessages, sqliteFailures } from '../../../../packages/storage/test/support/messages.ts';
import { buildApp, removeApp } from '../support/built-app.ts';
import type { AgentProcess } from './agent-process.ts';
import { startAgent } from './agent-process.ts';
import { relayFiles } from '../support/relay-workflow.ts';
import type { Answer, ServedHost } from '../support/served-host.ts';
import { serveHost } from '../support/served-host.ts';
import { expectRefusal, withAnyNumbers } from '../support/session-status.ts';
import type { StateFolder } from '../support/state-folder.ts';
import { stateFolder } from '../support/state-folder.ts';

let folder: StateFolder;
const started: ServedHost[] = [];

beforeEach(async () => {
  folder = await stateFolder(relayFiles);
});

afterEach(async () => {
  // If the test has damaged the file, the store may fail to write what is still buffered.
  await Promise.all(started.splice(0).map((server) => server.close().catch(() => undefined)));
  await folder.dispose();
});

function serve(): ServedHost {
  const server = serveHost(folder.host);
  started.push(server);
  return server;
}

const database = (): string => join(folder.state, 'sessions.db');

/** Starts a session on a server that is then closed. Returns its token. */
async function keepSession(): Promise<string> {
  const server = serveHost(folder.host);
  const begun = await server.call('start_session', { agent_id: 'agent', workflow_id: 'relay' });
  const { token } = await server.call('next_activity', { session_token: begun.token });
  await server.close();
  return token;
}

/**
 * Expects that all calls of sessions fail with this error, that the health reports it, and that all other calls
 * succeed.
 */
async function expectOnlySessionsFail(
  call: (name: string, args?: object) => Promise<Answer>,
  {
    token,
    names,
    code = 'STORE_UNAVAILABLE',
  }: { readonly token: string; readonly names: string | RegExp; readonly code?: string },
): Promise<void> {
  const { root } = folder;
  const refused = { code, names, root };
  const write = { session_token: token, activity_id: 'back' };
  expectRefusal(await call('start_session', { agent_id: 'agent', workflow_id: 'relay' }), refused);
  expectRefusal(await call('next_activity', write), refused);
  expectRefusal(await call('get_workflow_status', { session_token: token }), refused);
  expectRefusal(await call('discover'), refused);
  const health = await call('health_check');
  expect(health.json, health.raw).toMatchObject({ status: 'degraded', workflows_available: 1 });
  expect(health.text).toMatch(names);
  const lookups = await Promise.all([
    call('list_workflows'),
    call('workflow_list'),
    call('workflow_get', { id: 'relay' }),
    call('workflow_next', { workflowId: 'relay', completedSteps: [] }),
  ]);
  for (const answer of [health, ...lookups]) {
    expect(answer.isError, answer.raw).toBe(false);
    expect(answer.raw).not.toContain(root);
  }
}

describe('a server that cannot store sessions', () => {
  const damages: readonly (readonly [
    what: string,
    code: string,
    names: string | RegExp,
    damage: () => Promise<void>,
  ])[] = [
    [
      'a file instead of the state directory',
      'KEYS_UNUSABLE',
      'ENOTDIR',
      async () => {
        await rm(folder.state, { recursive: true });
        await writeFile(folder.state, 'in the way');
      },
    ],
    [
      'a truncated database',
      'STORE_DAMAGED',
      sqliteFailures.corrupt.remedy,
      () => truncate(database(), 6000),
    ],
    ['an empty database', 'STORE_DAMAGED', sqliteFailures.corrupt.remedy, () => truncate(database(), 0)],
    [
      'a database with a flipped bit',
      'STORE_DAMAGED',
      sqliteFailures.corrupt.remedy,
      () => flipBit(database(), 3),
    ],
    [
      'a database of a newer program',
      'STORE_UNAVAILABLE',
      withAnyNumbers(databaseMessages.newerSchema(0, 0, 'state directory')),
      () => makeNewer(database()),
    ],
    [
      'an invalid file of token keys',
      'KEYS_UNUSABLE',
      'token-key',
      () => writeFile(join(folder.state, 'keys', 'token-key'), 'nothing'),
    ],
  ];

  test.each(damages)('names the problem: %s', async (_what, code, names, damage) => {
    const token = await keepSession();
    await damage();
    const server = serve();
    await expectOnlySessionsFail(server.call, { token, names, code });
    expect(server.logged.join('\n')).not.toContain('fatal');
  });

  test('names a database that is removed while in use, and does not create it again', async () => {
    const token = await keepSession();
    const server = serve();
    await server.call('get_workflow_status', { session_token: token });
    const kept = await readFile(database());
    for (const suffix of ['', '-wal', '-shm']) await rm(`${database()}${suffix}`, { force: true });
    await expectOnlySessionsFail(server.call, { token, names: databaseMessages.removed() });
    await writeFile(database(), kept);
    const status = await server.call('get_workflow_status', { session_token: token });
    expect(status.json, status.raw).toMatchObject({ current_activity: 'there' });
  });

  test('reports a session of a removed database as missing, and can start a new one', async () => {
    const token = await keepSession();
    for (const suffix of ['', '-wal', '-shm']) await rm(`${database()}${suffix}`, { force: true });
    const server = serve();
    const lost = await server.call('next_activity', { session_token: token });
    expectRefusal(lost, { code: 'TOKEN_INVALID', names: messages.sessionGone(), root: folder.root });
    const recovered = await server.call('start_session', {
      agent_id: 'agent',
      workflow_id: 'relay',
      session_token: token,
    });
    expect(recovered.json).toMatchObject({ recovered: true });
    expect((await server.call('health_check')).json).toMatchObject({ status: 'healthy' });
  });
});

describe('a state directory that cannot be written', () => {
  /** The server runs as another user if this is root, because root may access every file. */
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  let entry: string;

  beforeAll(async () => {
    entry = await buildApp();
  }, 60_000);

  afterAll(() => removeApp(entry));

  function serveAsSomebody(context: TestContext, env: Readonly<Record<string, string>> = {}): AgentProcess {
    const canRun = spawnSync(process.execPath, [entry, '--version'], { ...user, cwd: '/' }).status === 0;
    if (!canRun) context.skip('Only root can run this Node.js or this app.');
    return startAgent({ entry, flags: folder.flags, user, env });
  }

  async function forbid(): Promise<void> {
    await mkdir(folder.state, { recursive: true });
    await chmod(folder.root, 0o755);
    await chmod(folder.state, 0o555);
  }

  test.for([{ what: 'empty' }, { what: 'with sessions in it' }])(
    'is named in the error: $what',
    async ({ what }, context) => {
      const token = what === 'empty' ? 'wl_none' : await keepSession();
      await forbid();
      const server = serveAsSomebody(context);
      await expectOnlySessionsFail(server.call, {
        token,
        names: keyMessages.unusable('read or created', 'EACCES'),
        code: 'KEYS_UNUSABLE',
      });
      expect(await server.end()).toBe(0);
    },
  );

  test('is named in the error even if the keys come from the environment', async (context) => {
    await forbid();
    const server = serveAsSomebody(context, { WORKFLOWLOOKUP_KEYS: 'ab'.repeat(32) });
    const answer = await server.call('start_session', { agent_id: 'agent', workflow_id: 'relay' });
    const names = sqliteFailures['read-only'].remedy;
    expectRefusal(answer, { code: 'STORE_UNAVAILABLE', names, root: folder.root });
    expect(await server.end()).toBe(0);
  });
});

async function flipBit(file: string, at: number): Promise<void> {
  const handle = await open(file, 'r+');
  const byte = Buffer.alloc(1);
  await handle.read(byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ 1;
  await handle.write(byte, 0, 1, at);
  await handle.close();
}

/** Changes a database as a newer version with one more migration would. */
function makeNewer(file: string): Promise<void> {
  const Database = createRequire(import.meta.url)('libsql') as new (path: string) => {
    exec(sql: string): void;
    close(): void;
  };
  const db = new Database(file);
  db.exec('UPDATE meta SET schema_version = schema_version + 1');
  db.close();
  return Promise.resolve();
}
