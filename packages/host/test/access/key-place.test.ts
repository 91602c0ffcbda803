import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WorkflowError } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import { loadKeyRing, rotateKey } from '../../src/access/token-keys.ts';
import { tempState } from '../support/temp-state.ts';

// With a key that they can read or replace, somebody else could forge every token and every event.

const hasUsers = process.geteuid !== undefined;
const isRoot = process.geteuid?.() === 0;
const keyFile = (state: string): string => join(state, 'keys', 'token-key');

/** Makes a state directory with a key, in a folder of its own. */
function madeState(): string {
  const state = join(tempState(), 'state');
  loadKeyRing({ stateDirectory: state });
  return state;
}

function refusal(act: () => unknown): WorkflowError {
  try {
    act();
  } catch (error) {
    if (error instanceof WorkflowError) return error;
    throw error;
  }
  throw new Error('It was not refused.');
}

describe.runIf(hasUsers)('keys in an insecure location', () => {
  test.each([
    ['a state directory that all can write', '', 0o777],
    ['one that others can write, and its group cannot', '', 0o702],
    ['one that all can write, with a sticky bit', '', 0o1777],
    ['a state directory that its group can write', '', 0o775],
    ['a folder of keys that all can write', 'keys', 0o733],
    ['a key that its group can read', 'keys/token-key', 0o640],
    ['a key that all can read', 'keys/token-key', 0o604],
    ['a key that all can write', 'keys/token-key', 0o602],
    ['a folder around it that all can rename in', '..', 0o777],
  ])('are refused with a command that fixes it: %s', (_, place, mode) => {
    const state = madeState();
    chmodSync(join(state, place), mode);
    for (const act of [loadKeyRing, rotateKey]) {
      const error = refusal(() => act({ stateDirectory: state }));
      expect(error).toMatchObject({ code: 'KEYS_UNUSABLE', data: { reason: 'open-keys' } });
      // Answers to agents name no paths of this machine.
      expect(error.message).not.toContain(dirname(state));
    }
    const { command } = refusal(() => loadKeyRing({ stateDirectory: state })).data as { command: string };
    execFileSync('sh', ['-c', command], { cwd: state });
    expect(loadKeyRing({ stateDirectory: state }).signing.secret).toHaveLength(32);
  });

  test('are not created if all can write to the state directory', () => {
    const state = tempState();
    mkdirSync(state, { recursive: true });
    chmodSync(state, 0o777);
    expect(refusal(() => loadKeyRing({ stateDirectory: state })).data).toMatchObject({
      command: 'chmod go-w .',
    });
    expect(existsSync(join(state, 'keys'))).toBe(false);
  });

  test.runIf(isRoot)('are refused if they belong to another user', () => {
    for (const planted of ['keys/token-key', 'keys', '.']) {
      const state = madeState();
      chownSync(join(state, planted), 65_534, 65_534);
      const { data } = refusal(() => loadKeyRing({ stateDirectory: state }));
      expect(data).toMatchObject({ command: `chown 0 ${planted}` });
      execFileSync('sh', ['-c', String(data['command'])], { cwd: state });
      expect(loadKeyRing({ stateDirectory: state }).verifying).toHaveLength(1);
    }
  });

  test('are refused if they are a pipe, without waiting for it', () => {
    const state = madeState();
    rmSync(keyFile(state));
    execFileSync('mkfifo', ['-m', '600', keyFile(state)]);
    expect(refusal(() => loadKeyRing({ stateDirectory: state })).data).toMatchObject({ reason: 'open-keys' });
  });

  test('are refused by a running server, which keeps the keys that it has', async () => {
    const state = madeState();
    const keyRing = loadKeyRing({ stateDirectory: state });
    const before = keyRing.signing;
    rmSync(keyFile(state));
    writeFileSync(keyFile(state), `${'ab'.repeat(32)}\n`);
    chmodSync(keyFile(state), 0o666);
    await nextTurn();
    expect(keyRing.signing).toEqual(before);
    chmodSync(keyFile(state), 0o600);
    writeFileSync(keyFile(state), `${'cd'.repeat(32)}\n`);
    await nextTurn();
    expect(Buffer.from(keyRing.signing.secret).toString('hex')).toBe('cd'.repeat(32));
  });
});

describe.runIf(hasUsers)('keys in a secure location', () => {
  test.each([
    ['in a folder that others can list', '', 0o755],
    ['if all can write to the parent folder, with a sticky bit', '..', 0o1777],
    ['if a group can write to the parent folder', '..', 0o775],
  ])('are accepted %s', (_, place, mode) => {
    const state = madeState();
    chmodSync(join(state, place), mode);
    expect(loadKeyRing({ stateDirectory: state }).verifying).toHaveLength(1);
  });

  test('are accepted from the environment, whatever the state directory is', () => {
    const state = madeState();
    chmodSync(state, 0o777);
    const environment = { WORKFLOWLOOKUP_KEYS: 'ab'.repeat(32) };
    expect(loadKeyRing({ stateDirectory: state, environment }).verifying).toHaveLength(1);
  });

  test('are accepted with any umask', () => {
    const state = tempState();
    const before = process.umask(0);
    try {
      loadKeyRing({ stateDirectory: state });
      expect(readFileSync(keyFile(state), 'utf8')).toHaveLength(65);
      expect(loadKeyRing({ stateDirectory: state }).verifying).toHaveLength(1);
    } finally {
      process.umask(before);
    }
  });
});
