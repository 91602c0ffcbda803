import type { WorkflowWalks } from './walk.ts';

const batches = [
  { id: 'B1', units: 'src/a, src/b', check: 'npm test -- a b' },
  { id: 'B2', units: 'src/c', check: 'npm test -- c' },
];
const small = {
  size: 'small',
  unitCount: 12,
  plannedPaths: ['src'],
  testPaths: ['test'],
  startCommit: '4f2c9aa',
  dataChange: false,
};
const large = { ...small, size: 'large', unitCount: 140 };

/** Walks of migration-at-scale. */
export const migrationAtScale: WorkflowWalks = {
  id: 'migration-at-scale',
  walks: [
    {
      name: 'a small migration',
      steps: [['count-units', small], 'migrate-all', ['sweep', { removeOldForm: false }], 'close'],
    },
    {
      name: 'stored data, a recipe that is revised, and the old form removed',
      steps: [
        ['count-units', { ...large, dataChange: true }],
        'prove-way-back',
        ['pilot@0::run-pilot', { pilotResult: 'revise' }],
        ['pilot@1::run-pilot', { pilotResult: 'proceed' }],
        ['plan-batches', { batches }],
        ['each-batch@0::migrate-batch', { stopped: false }],
        ['each-batch@1::migrate-batch', { stopped: false }],
        ['sweep', { removeOldForm: true, usedElsewhere: true }],
        'remove-old-form',
        'close',
      ],
    },
    {
      name: 'a small migration whose old form nobody else uses',
      steps: [
        ['count-units', small],
        'migrate-all',
        ['sweep', { removeOldForm: true, usedElsewhere: false }],
        'remove-old-form',
        'close',
      ],
    },
    {
      name: 'stopped after a batch',
      steps: [
        ['count-units', large],
        'prove-way-back',
        ['pilot@0::run-pilot', { pilotResult: 'proceed' }],
        ['plan-batches', { batches }],
        ['each-batch@0::migrate-batch', { stopped: true }],
        ['sweep', { removeOldForm: false }],
        'close',
      ],
    },
    {
      name: 'abandoned after the pilot',
      steps: [
        ['count-units', large],
        'prove-way-back',
        ['pilot@0::run-pilot', { pilotResult: 'abandon' }],
        ['sweep', { removeOldForm: false }],
        'close',
      ],
    },
  ],
};
