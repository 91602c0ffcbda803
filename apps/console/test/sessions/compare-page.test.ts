import { expect, test } from 'vitest';
import type { SessionDetail } from '../../src/contract/index.ts';
import { sessionMessages } from '../../src/messages/sessions.ts';
import { compareTables } from '../../src/sessions/compare-page.tsx';

const { compare: messages } = sessionMessages;

/** Returns a session with one activity that took this many milliseconds. */
function session(tookMs: number, waitedMs = 0): SessionDetail {
  const startMs = Date.UTC(2026, 0, 1, 12);
  const plan = [
    {
      id: 'plan',
      name: 'Plan it',
      status: 'done',
      visits: 1,
      seconds: tookMs / 1000,
      waited: waitedMs / 1000,
    },
  ];
  return {
    row: {
      createdAt: new Date(startMs).toISOString(),
      updatedAt: new Date(startMs + tookMs).toISOString(),
      status: 'completed',
      version: '1.0.0',
      agent: 'claude',
      revision: 3,
    },
    history: { plan, refusals: [], checkpoints: [], chain: { ok: true } },
    outline: { name: 'Shop' },
    variables: {},
  } as unknown as SessionDetail;
}

function marksOf(first: SessionDetail, second: SessionDetail): readonly (string | undefined)[] {
  const rows = compareTables(first, second).flatMap((table) => table.rows);
  return [messages.facts.duration, 'Plan it'].map(
    (name) => rows.findLast((row) => row.name === name && row.first !== 'done')?.mark,
  );
}

test('A time is marked if it is at least twice as long as the other one, and at least a second longer', () => {
  expect(marksOf(session(40), session(45))).toEqual(['', '']);
  expect(marksOf(session(4), session(900))).toEqual(['', '']);
  expect(marksOf(session(3000), session(4500))).toEqual(['', '']);
  expect(marksOf(session(1000), session(2000))).toEqual([messages.longer.second, messages.longer.second]);
  expect(marksOf(session(60_000, 4000), session(1000, 9000))).toEqual([
    messages.longer.first,
    messages.longer.first,
  ]);
});
