import { expect, test } from 'vitest';
import { changedIn, isIdle } from '../../src/sessions/ages.ts';

const nowMs = Date.UTC(2026, 0, 2, 12, 0, 30);

test('a filter for ages selects the sessions that changed in a period, or those that did not', () => {
  const dayAgo = '2026-01-01T12:00:00.000Z';
  expect(changedIn('day', nowMs)).toEqual({ since: dayAgo });
  expect(changedIn('idle-day', nowMs)).toEqual({ before: dayAgo });
  expect(changedIn('constructor', nowMs)).toEqual({});
  expect(changedIn(undefined, nowMs)).toEqual({});
});

test('a session is idle if it is active and has had no event for an hour', () => {
  const updatedAt = new Date(nowMs - 3_600_000).toISOString();
  expect(isIdle({ status: 'active', updatedAt }, nowMs)).toBe(true);
  expect(isIdle({ status: 'active', updatedAt }, nowMs - 1)).toBe(false);
  expect(isIdle({ status: 'blocked', updatedAt }, nowMs)).toBe(false);
});
