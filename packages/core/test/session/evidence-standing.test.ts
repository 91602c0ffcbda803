import { expect, test } from 'vitest';
import { evidenceStateIn } from '../../src/evidence/evidence-state.ts';

const demand = {
  evidence: { id: 'tests', check: 'test', level: 'ci' },
  digest: 'sha256:1',
  unset: [],
} as const;

function statusOf(revision: number, tree?: string): string {
  const result = { kind: 'check', level: 'ci', outcome: 'passed', reasons: [], tree: 'commit:1' } as const;
  const recorded = { id: 'tests', activity: 'build', demand: 'sha256:1', revision, at: '', result };
  const sight = tree === undefined ? {} : { folder: '/home/ada/cart', tree };
  return evidenceStateIn({ current: 'build', since: 5, evidence: [recorded] }, demand, sight).status;
}

test('Evidence counts only in the visit in which it was collected if nobody sees the files', () => {
  expect(statusOf(6)).toBe('passed');
  expect(statusOf(5)).toBe('missing');
  expect(statusOf(3)).toBe('missing');
});

test('The files decide if the server sees them', () => {
  expect(statusOf(3, 'commit:1')).toBe('passed');
  expect(statusOf(6, 'commit:2')).toBe('stale');
});
