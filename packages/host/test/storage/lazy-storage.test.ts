import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHost } from '../../src/index.ts';
import { placeMessages } from '../../src/messages.ts';
import { stateDirectoryOf } from '../../src/options.ts';
import { policyOf } from '../../src/create-host.ts';

let home: string;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'host-'));
});

afterEach(() => rm(home, { recursive: true, force: true }));

const place = () => ({ homeDirectory: home, workingDirectory: home });

describe('the session tools of a host', () => {
  test('open the database at the first session call, and not before', async () => {
    const host = createHost(place());
    await host.sessions.list();
    await host.sessions.health();
    expect(existsSync(join(home, '.workflowlookup'))).toBe(false);
    const { token } = await host.sessions.start({ agentId: 'a', workflowId: 'change-review' });
    expect(existsSync(join(home, '.workflowlookup', 'state', 'sessions.db'))).toBe(true);
    await host.close();
    const again = createHost(place());
    expect((await again.sessions.status(token)).value.workflow.id).toBe('change-review');
    await again.close();
  });

  test('open the database at the next call if that failed', async () => {
    const state = join(home, 'state');
    await writeFile(state, 'in the way');
    const host = createHost({ ...place(), stateDirectory: state });
    const start = () => host.sessions.start({ agentId: 'a', workflowId: 'change-review' });
    await expect(start()).rejects.toMatchObject({ code: 'KEYS_UNUSABLE' });
    await rm(state);
    await mkdir(state);
    expect((await start()).token).toMatch(/^wl_/);
    await host.close();
    await host.close();
  });
});

test('A state directory can be used with other keys than before', async () => {
  for (const digits of ['ab', 'cd']) {
    const host = createHost({ ...place(), environment: { WORKFLOWLOOKUP_KEYS: digits.repeat(32) } });
    expect((await host.vault()).keys.signing.secret[0]).toBe(Number.parseInt(digits, 16));
    await host.close();
  }
});

describe('the options of the session policy', () => {
  test('have defaults', () => {
    expect(policyOf({})).toMatchObject({
      enforcement: 'advisory',
      minResponseMs: 3000,
      gates: 'declared',
      trustElicitation: false,
    });
    expect(policyOf({}).humanAnswersWith('5d0c')).toBe('workflowlookup sessions respond 5d0c');
  });

  const [respond, workingDirectory] = ['workflowlookup sessions respond 5d0c', '/project'];
  test.each([
    [{ stateDirectory: 'kept' }, `${respond} --state /project/kept`],
    [{ stateDirectory: "/it's kept" }, `${respond} --state '/it'\\''s kept'`],
    [
      { stateDirectory: '/kept', database: 'postgres://me:secret@db.example.org/work' },
      placeMessages.withDatabase(
        `${respond} --state /kept --database URL`,
        placeMessages.postgresAt('work', 'db.example.org'),
      ),
    ],
  ])(
    'give the complete command for a person if the server runs on the machine of its agents: %j',
    (options, command) => {
      const answer = policyOf({ ...options, workingDirectory, evidence: true }).humanAnswersWith('5d0c');
      expect(answer).toEqual(command);
      expect(answer).not.toContain('secret');
    },
  );

  test('reveal no path and no address if the server runs elsewhere', () => {
    const options = { stateDirectory: '/kept', database: 'postgres://me:secret@db.example.org/work' };
    const answer = policyOf({ ...options, workingDirectory }).humanAnswersWith('5d0c');
    expect(answer).toBe(placeMessages.onTheServer(respond, ['--state', '--database']));
    expect(answer).not.toMatch(/kept|secret|example|work\b/);
  });

  test.each([
    { stateDirectory: undefined, path: '/home/me/.workflowlookup/state' },
    { stateDirectory: 'kept', path: '/project/kept' },
    { stateDirectory: '~/kept', path: '/home/me/kept' },
    { stateDirectory: '/kept', path: '/kept' },
  ])('resolve the state directory $stateDirectory', ({ stateDirectory, path }) => {
    const options = { workingDirectory: '/project', homeDirectory: '/home/me' };
    expect(stateDirectoryOf({ ...options, ...(stateDirectory && { stateDirectory }) })).toBe(path);
  });
});
