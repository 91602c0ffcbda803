import type { Key } from '@workflowlookup/core/tokens';
import { expect, test } from 'vitest';
import { createSessionIds } from '../../src/http/live-sessions.ts';

const key = (id: string): Key => ({ id, secret: new TextEncoder().encode(id.repeat(32)) });
const session = { version: '2025-11-25', canElicit: false };

test('A session id is valid for its principal until it expires', () => {
  let now = 0;
  const ids = createSessionIds({ signing: key('a'), verifying: [key('a')] }, () => now);
  const id = ids.issue(session, 'ann');
  expect(ids.read(id, 'ann')).toMatchObject(session);
  expect(ids.read(id, 'ben')).toBeUndefined();
  expect(ids.read(`${id}x`, 'ann')).toBeUndefined();
  now += 7 * 24 * 3_600_000;
  expect(ids.read(id, 'ann')).toBeUndefined();
});

test('A session id is no longer valid once its key is removed, even if it was valid before', () => {
  let verifying = [key('a'), key('b')];
  const keys = {
    signing: key('a'),
    get verifying() {
      return verifying;
    },
  };
  const ids = createSessionIds(keys, () => 0);
  const id = ids.issue(session, 'ann');
  expect(ids.read(id, 'ann')).toMatchObject(session);
  expect(ids.read(id, 'ann')).toMatchObject(session);
  verifying = [key('b')];
  expect(ids.read(id, 'ann')).toBeUndefined();
});
