import { expect, test } from 'vitest';
import { proofOf } from '../../src/checkpoints/evidence.tsx';
import type { Evidence } from '../../src/contract/index.ts';

const at = '2026-03-01T10:00:00.000Z';

test('The summary of a checkpoint separates what the server proved from what the agent only claims', () => {
  const result = {
    outcome: 'passed',
    level: 'rerun',
    kind: 'check',
    reasons: [],
    command: 'npm test',
  } as const;
  const recorded = { id: 'tests', activity: 'build', demand: '', revision: 3, at, result };
  const output = { revision: 2, at, activity: 'build', step: 'edit', output: 'I edited it.' };
  const evidence: Evidence = {
    collected: [
      { id: 'tests', activity: 'build', status: 'passed', recorded },
      { id: 'lint', activity: 'build', status: 'stale', recorded },
      { id: 'review', activity: 'build', status: 'failed' },
      { id: 'notes', activity: 'build', status: 'claimed' },
      { id: 'types', activity: 'build', status: 'not-configured' },
    ],
    outputs: [
      { ...output, revision: 4, output: 'I edited it again.' },
      output,
      { ...output, step: 'ship', output: '', notDone: 'There was no time.' },
    ],
    variables: [],
  };
  expect(proofOf(evidence)).toEqual({
    proved: [{ id: 'tests', command: 'npm test' }],
    notProved: [{ id: 'lint', command: 'npm test' }, { id: 'review' }],
    claimed: ['notes', 'types'],
    outputs: 1,
  });
  expect(proofOf({ collected: [], outputs: [], variables: [] })).toEqual({
    proved: [],
    notProved: [],
    claimed: [],
    outputs: 0,
  });
});
