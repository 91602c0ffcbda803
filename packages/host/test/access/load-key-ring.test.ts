import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { WorkflowError } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import { loadKeyRing, rotateKey } from '../../src/access/token-keys.ts';
import { keyMessages } from '../../src/messages.ts';
import { tempState } from '../support/temp-state.ts';

const [one, two] = ['1f'.repeat(32), '2E'.repeat(32)];
const keyFile = (stateDirectory: string): string => join(stateDirectory, 'keys', 'token-key');
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
const hex = (secret: Uint8Array): string => Buffer.from(secret).toString('hex');

/** Makes a state directory whose key file has this content. */
function stateWith(content: string): string {
  const stateDirectory = tempState();
  mkdirSync(join(stateDirectory, 'keys'), { recursive: true });
  writeFileSync(keyFile(stateDirectory), content, { mode: 0o600 });
  return stateDirectory;
}

function failure(act: () => unknown): WorkflowError {
  try {
    act();
  } catch (error) {
    if (error instanceof WorkflowError) return error;
    throw error;
  }
  throw new Error('It did not fail.');
}

describe('a key ring in a state directory', () => {
  test('creates a key of 32 random bytes for its owner at the first call', () => {
    const stateDirectory = tempState();
    const { signing, verifying } = loadKeyRing({ stateDirectory });
    expect(signing.secret).toHaveLength(32);
    expect(verifying).toEqual([signing]);
    expect(readFileSync(keyFile(stateDirectory), 'utf8')).toBe(`${hex(signing.secret)}\n`);
    expect([stateDirectory, join(stateDirectory, 'keys'), keyFile(stateDirectory)].map(modeOf)).toEqual([
      '700',
      '700',
      '600',
    ]);
    expect(loadKeyRing({ stateDirectory: tempState() }).signing.secret).not.toEqual(signing.secret);
  });

  test('returns that key at later calls', () => {
    const stateDirectory = tempState();
    const { signing } = loadKeyRing({ stateDirectory });
    expect(loadKeyRing({ stateDirectory }).signing).toEqual(signing);
  });

  test('creates a key again if its file was removed', () => {
    const stateDirectory = tempState();
    const before = loadKeyRing({ stateDirectory }).signing;
    rmSync(keyFile(stateDirectory));
    const { verifying } = loadKeyRing({ stateDirectory });
    expect(verifying).toHaveLength(1);
    expect(verifying).not.toContainEqual(before);
  });

  test('signs with the first line and verifies with the others', () => {
    const { signing, verifying } = loadKeyRing({ stateDirectory: stateWith(`${one}\r\n${two}\n\n`) });
    expect(hex(signing.secret)).toBe(one);
    expect(verifying.map(({ secret }) => hex(secret))).toEqual([one, two.toLowerCase()]);
  });

  test('has key ids that differ and reveal nothing', () => {
    const { verifying } = loadKeyRing({ stateDirectory: stateWith(`${one}\n${two}`) });
    const [first = '', second = ''] = verifying.map(({ id }) => id);
    expect(first).not.toBe(second);
    expect(first).toMatch(/^[0-9a-f]{8}$/);
    expect(one).not.toContain(first);
  });

  test.each([
    { content: '', line: 1, length: 0 },
    { content: one.slice(1), line: 1, length: 63 },
    { content: `${one}\n${one}${two}`, line: 2, length: 128 },
    { content: `${one}\n\n${two}`, line: 2, length: 0 },
    { content: `${one}\nxx${two.slice(2)}`, line: 2, length: 64 },
    { content: `${one}, ${two}`, line: 1, length: 130 },
  ])(
    'is refused because of line $line of length $length, and nothing of it is shown',
    ({ content, line, length }) => {
      const error = failure(() => loadKeyRing({ stateDirectory: stateWith(content) }));
      const message = keyMessages.wrongKey(keyMessages.lineOfFile(line - 1, 'keys/token-key'), length);
      expect(error).toMatchObject({ code: 'KEYS_UNUSABLE', message });
      expect(JSON.stringify([error.message, error.data])).not.toMatch(/1f1f|2e2e/i);
    },
  );

  test('is refused if the folder of keys has other files and no key', () => {
    const stateDirectory = stateWith(one);
    writeFileSync(join(stateDirectory, 'keys', 'other'), '');
    rmSync(keyFile(stateDirectory));
    const error = failure(() => loadKeyRing({ stateDirectory }));
    expect(error).toMatchObject({ code: 'KEYS_UNUSABLE', data: { code: 'ENOTEMPTY' } });
    expect(error.message).not.toContain(stateDirectory);
  });

  test('is refused if the state directory is a file', () => {
    const stateDirectory = tempState();
    writeFileSync(stateDirectory, '');
    const error = failure(() => loadKeyRing({ stateDirectory }));
    expect(error.code).toBe('KEYS_UNUSABLE');
    expect(error.message).not.toContain(stateDirectory);
  });

  // The mode of a folder does not stop root.
  test.skipIf(process.getuid?.() === 0 || process.platform === 'win32')(
    'is refused if the state directory is read-only',
    () => {
      const stateDirectory = tempState();
      mkdirSync(stateDirectory, { mode: 0o500 });
      expect(failure(() => loadKeyRing({ stateDirectory })).code).toBe('KEYS_UNUSABLE');
      chmodSync(stateDirectory, 0o700);
    },
  );
});

describe('a key ring in use', () => {
  test('loads a key that was added, and keeps the older one', async () => {
    const stateDirectory = tempState();
    const keyRing = loadKeyRing({ stateDirectory });
    const before = keyRing.signing;
    const rotated = rotateKey({ stateDirectory });
    await nextTurn();
    expect(keyRing.signing).toEqual(rotated.signing);
    expect(keyRing.verifying).toEqual([rotated.signing, before]);
  });

  test.each([
    { name: 'removed', spoil: (path: string): void => rmSync(path) },
    { name: 'spoiled', spoil: (path: string): void => writeFileSync(path, 'no key') },
  ])('continues when its file is $name', async ({ spoil }) => {
    const stateDirectory = tempState();
    const keyRing = loadKeyRing({ stateDirectory });
    const before = keyRing.signing;
    spoil(keyFile(stateDirectory));
    await nextTurn();
    expect(keyRing.signing).toEqual(before);
    expect(keyRing.verifying).toEqual([before]);
  });
});

describe('a key ring from the environment', () => {
  test('signs with the first key, verifies with all, and writes nothing', () => {
    const stateDirectory = tempState();
    const environment = { WORKFLOWLOOKUP_KEYS: `${two}, ${one}` };
    const { signing, verifying } = loadKeyRing({ stateDirectory, environment });
    expect(hex(signing.secret)).toBe(two.toLowerCase());
    expect(verifying.map(({ secret }) => hex(secret))).toEqual([two.toLowerCase(), one]);
    expect(existsSync(stateDirectory)).toBe(false);
  });

  test.each([
    { value: '', key: 1, length: 0 },
    { value: `${one},`, key: 2, length: 0 },
    { value: `${one},${two.slice(2)}`, key: 2, length: 62 },
    { value: `${one};${two}`, key: 1, length: 129 },
  ])('is refused because of key $key, and nothing of it is shown', ({ value, key, length }) => {
    const environment = { WORKFLOWLOOKUP_KEYS: value };
    const error = failure(() => loadKeyRing({ stateDirectory: tempState(), environment }));
    const message = keyMessages.wrongKey(keyMessages.keyOfVariable(key - 1, 'WORKFLOWLOOKUP_KEYS'), length);
    expect(error).toMatchObject({ code: 'KEYS_UNUSABLE', message });
    expect(error.message).not.toMatch(/1f1f|2e2e/i);
  });

  test('is not used because of other variables', () => {
    const stateDirectory = tempState();
    const { signing } = loadKeyRing({
      stateDirectory,
      environment: { HOME: '/', WORKFLOWLOOKUP_KEYS: undefined },
    });
    expect(loadKeyRing({ stateDirectory }).signing).toEqual(signing);
  });
});
