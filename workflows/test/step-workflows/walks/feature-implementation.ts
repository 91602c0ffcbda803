import type { WorkflowWalks } from './walk.ts';

const slices = [
  { id: 'first-row', goal: 'An order with one item is exported', check: 'npm test -- export' },
  { id: 'bad-row', goal: 'A row that cannot be read is named', check: 'npm test -- export-errors' },
];
const small = { size: 'small', mustAsk: false, baseBranch: 'trunk', startCommit: '4f2c9aa' };
const large = { ...small, size: 'large', mustAsk: true };

/** Walks of feature-implementation. */
export const featureImplementation: WorkflowWalks = {
  id: 'feature-implementation',
  walks: [
    {
      name: 'a small feature',
      steps: [
        ['frame-request', small],
        ['build-small', { plannedPaths: ['src/export.ts', 'test'] }],
        'break-it',
        'hand-over',
      ],
    },
    {
      name: 'a large feature with questions',
      steps: [
        ['frame-request', large],
        'ask-questions',
        'choose-design',
        ['plan-slices', { slices, plannedPaths: ['src', 'test'] }],
        'each-slice@0::build-slice',
        'each-slice@1::build-slice',
        'try-criteria',
        'break-it',
        'second-opinion',
        'hand-over',
      ],
    },
  ],
};
