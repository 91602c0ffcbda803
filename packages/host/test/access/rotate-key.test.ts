import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadKeyRing, rotateKey } from '../../src/access/token-keys.ts';
import { tempState } from '../support/temp-state.ts';

test('A new key signs, and every older one still verifies, newest first', () => {
  const stateDirectory = tempState();
  const first = loadKeyRing({ stateDirectory }).signing;
  const second = rotateKey({ stateDirectory }).signing;
  const third = rotateKey({ stateDirectory }).signing;
  expect(new Set([first.id, second.id, third.id]).size).toBe(3);
  expect(loadKeyRing({ stateDirectory }).verifying).toEqual([third, second, first]);
});

test('The key file stays readable only by its owner, and no other file is left', () => {
  const stateDirectory = tempState();
  rotateKey({ stateDirectory });
  expect(statSync(join(stateDirectory, 'keys', 'token-key')).mode & 0o777).toBe(0o600);
  expect(readdirSync(stateDirectory)).toEqual(['keys']);
  expect(readdirSync(join(stateDirectory, 'keys'))).toEqual(['token-key']);
});

test('The key comes from the random source', () => {
  const stateDirectory = tempState();
  loadKeyRing({ stateDirectory });
  const random = (length: number): Uint8Array => new Uint8Array(length).fill(0xcd);
  expect([...rotateKey({ stateDirectory, random }).signing.secret]).toEqual(
    Array.from({ length: 32 }, () => 0xcd),
  );
});

test('A rotation during another one is refused and changes nothing', () => {
  const stateDirectory = tempState();
  const { signing } = loadKeyRing({ stateDirectory });
  writeFileSync(join(stateDirectory, 'rotation.lock'), '');
  expect(() => rotateKey({ stateDirectory })).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  expect(loadKeyRing({ stateDirectory }).verifying).toEqual([signing]);
});

test('A bad key file is refused and stays as it is', () => {
  const stateDirectory = tempState();
  loadKeyRing({ stateDirectory });
  const file = join(stateDirectory, 'keys', 'token-key');
  writeFileSync(file, 'no key');
  expect(() => rotateKey({ stateDirectory })).toThrow(expect.objectContaining({ code: 'KEYS_UNUSABLE' }));
  expect(readFileSync(file, 'utf8')).toBe('no key');
  expect(readdirSync(stateDirectory)).toEqual(['keys']);
});

test('Keys from the environment cannot be rotated', () => {
  const stateDirectory = tempState();
  const environment = { WORKFLOWLOOKUP_KEYS: '1f'.repeat(32) };
  expect(() => rotateKey({ stateDirectory, environment })).toThrow(
    expect.objectContaining({ code: 'INVALID_STATE' }),
  );
  expect(existsSync(stateDirectory)).toBe(false);
});
