import { expect, test } from 'vitest';
import { mergeSessions } from '../../src/api/merge-sessions.ts';
import type { SessionListRow, SessionsReply } from '../../src/contract/index.ts';
import { counts, row, sids } from './session-rows.ts';

const page = (...sessions: readonly SessionListRow[]): SessionsReply => ({ sessions, counts });

test('a changed session moves to the front from any page', () => {
  const pages = [page(row('a'), row('b')), page(row('c'), row('d'))];
  const merged = mergeSessions(pages, [row('d', { revision: 2 })], {});
  expect(sids(merged)).toEqual([['d', 'a', 'b'], ['c']]);
  expect(merged[0]?.sessions[0]?.revision).toBe(2);
});

test.each([
  [{ status: 'active,blocked' }, row('new', { status: 'completed' })],
  [{ workflow: 'review' }, row('new', { workflowId: 'shop' })],
  [{ agent: 'ANN' }, row('new', { agent: 'bob' })],
  [{ parent: 'p' }, row('new')],
  [{ since: '2026-03-01T10:00:00.001Z' }, row('new')],
  [{ before: '2026-03-01T10:00:00.000Z' }, row('new')],
  [{ text: 'kitchen' }, row('new', { project: '/home/ann/garden' })],
])('The filter %j excludes a session and removes it from the list', (filter, changed) => {
  expect(sids(mergeSessions([page(row('a'))], [changed], filter))).toEqual([['a']]);
  expect(sids(mergeSessions([page(row('new'), row('a'))], [changed], filter))).toEqual([['a']]);
});

test.each([{ search: 'kitchen' }, { tag: 'outcome:merged' }, { sort: 'longest' }])(
  'Rows keep their position and are updated if only the server knows which sessions match %j',
  (filter) => {
    const changed = [row('b', { revision: 2 }), row('new')];
    const merged = mergeSessions([page(row('a'), row('b'))], changed, filter);
    expect(sids(merged)).toEqual([['a', 'b']]);
    expect(merged[0]?.sessions[1]?.revision).toBe(2);
  },
);

test.each([{ text: 'GARDEN' }, { agent: 'An' }, { status: 'blocked' }, { parent: 'p' }, {}])(
  'A new session that matches %j is added',
  (filter) => {
    const found = row('new', { project: '/home/ann/garden', status: 'blocked', parentSid: 'p' });
    expect(sids(mergeSessions([page(row('a'))], [found], filter))).toEqual([['new', 'a']]);
  },
);
