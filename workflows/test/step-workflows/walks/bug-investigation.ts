import type { WorkflowWalks } from './walk.ts';

const stale = {
  id: 'H1',
  mechanism: 'The cache key leaves out the tenant',
  predicts: 'two tenants with the same report name see one result',
  refutedBy: 'different results for the same name',
  experiment: 'curl both tenants within a minute',
};
const clock = {
  id: 'H2',
  mechanism: 'The server clock is behind, so entries look younger than they are',
  predicts: 'date on the host differs from the database',
  refutedBy: 'both clocks agree within a second',
  experiment: 'compare date with select now()',
};
const hypotheses = { hypotheses: [stale, clock] };

const large = { size: 'large', mandate: 'fix', lastGood: 'v1.4', startCommit: '4f2c9aa' };

function iteration(index: number, explained: boolean) {
  return [
    [`search@${index}::form-hypotheses`, hypotheses],
    [`search@${index}::prove-causes`, { explained }],
  ] as const;
}

/** Walks of bug-investigation. */
export const bugInvestigation: WorkflowWalks = {
  id: 'bug-investigation',
  walks: [
    {
      name: 'a small case whose causes are found at once',
      steps: [
        ['size-up', { size: 'small', mandate: 'fix', lastGood: 'unknown', startCommit: '4f2c9aa' }],
        ['reproduce', { reproducible: 'always' }],
        ['find-causes', { explained: true }],
        'fix-causes',
        'close-case',
      ],
    },
    {
      name: 'a small case that needs another iteration, only diagnosed',
      steps: [
        ['size-up', { size: 'small', mandate: 'diagnose', lastGood: 'unknown', startCommit: '4f2c9aa' }],
        ['reproduce', { reproducible: 'always' }],
        ['find-causes', { explained: false }],
        ...iteration(0, true),
        'close-case',
      ],
    },
    {
      name: 'a large case with a version that worked, fixed',
      steps: [
        ['size-up', large],
        ['reproduce', { reproducible: 'sometimes' }],
        'first-bad-change',
        'narrow-down',
        ...iteration(0, false),
        ...iteration(1, true),
        'plan-fix',
        'fix-causes',
        'close-case',
      ],
    },
    {
      name: 'a failure nobody can cause and whose cause stays unknown',
      steps: [
        ['size-up', { ...large, lastGood: 'unknown' }],
        ['reproduce', { reproducible: 'never' }],
        ['gather-traces', { instrument: true, reproducible: 'never' }],
        'add-instrumentation',
        'narrow-down',
        ...iteration(0, false),
        ...iteration(1, false),
        ...iteration(2, false),
        'report-open-case',
      ],
    },
  ],
};
