import { json, labels } from '../output.ts';
import type { WorkflowWalks } from '../walk.ts';

const unit = (id: string) => ({ id, paths: [`src/${id}.ts`], variant: 'callback' });
const units = ['orders', 'users', 'mail', 'audit', 'search'].map(unit);
const pilotUnits = [unit('orders'), unit('users')];
const first = { id: 'b1', units: [unit('mail'), unit('audit')], check: 'npm test -- mail audit' };
const second = { id: 'b2', units: [unit('search')], check: 'npm test -- search' };
const plan = { batches: [first, second], failureLimit: 0, stopMigration: false };

function pilotSteps(round: number, pilotDecision: string) {
  return [
    [`pilot@${round}::select-pilot`, { pilotUnits }],
    `pilot@${round}::each-pilot-unit@0::migrate-pilot-unit`,
    `pilot@${round}::each-pilot-unit@1::migrate-pilot-unit`,
    [`pilot@${round}::judge-pilot`, { pilotDecision }],
  ] as const;
}

const inventory = {
  search: 'rg -c "callback\\("',
  count: 5,
  secondSearch: 'tsc on the deprecated type',
  secondCount: 6,
  difference: 'one is generated',
  units,
};

/** Walks and samples of migration-at-scale. */
export const migrationAtScale: WorkflowWalks = {
  id: 'migration-at-scale',
  walks: [
    {
      name: 'code by a tool: a pilot, a green batch, a repaired batch, the old form removed',
      steps: [
        ['define-done', { dataChange: false }],
        ['take-inventory', { unitCount: 5 }],
        'prove-way-back',
        ['choose-method', { automated: true }],
        'build-tool',
        ...pilotSteps(0, 'proceed'),
        ['plan-batches', plan],
        'each-batch@0::each-unit@0::migrate-unit',
        'each-batch@0::each-unit@1::migrate-unit',
        ['each-batch@0::verify-batch', { batchGreen: true }],
        'each-batch@1::each-unit@0::migrate-unit',
        ['each-batch@1::verify-batch', { batchGreen: false }],
        ['each-batch@1::repair-batch@0::repair-batch-round', { batchGreen: true }],
        ['sweep-leftovers', { removeOldForm: true }],
        'remove-old-form',
        'close-out',
      ],
    },
    {
      name: 'data by hand: two pilot rounds, then the stop rule ends it in the first batch',
      steps: [
        ['define-done', { dataChange: true }],
        ['take-inventory', { unitCount: 5 }],
        'prove-way-back',
        ['choose-method', { automated: false }],
        ...pilotSteps(0, 'revise'),
        ...pilotSteps(1, 'proceed'),
        ['plan-batches', plan],
        'each-batch@0::each-unit@0::migrate-unit',
        'each-batch@0::each-unit@1::migrate-unit',
        ['each-batch@0::verify-batch', { batchGreen: false }],
        'each-batch@0::repair-batch@0::repair-batch-round',
        'each-batch@0::repair-batch@1::repair-batch-round',
        'each-batch@0::repair-batch@2::repair-batch-round',
        ['each-batch@0::apply-stop-rule', { stopMigration: true }],
        ['sweep-leftovers', { removeOldForm: false }],
        'close-out',
      ],
    },
    {
      name: 'data by hand, to the end, going on after a stop',
      steps: [
        ['define-done', { dataChange: true }],
        ['take-inventory', { unitCount: 5 }],
        'prove-way-back',
        ['choose-method', { automated: false }],
        ...pilotSteps(0, 'proceed'),
        ['plan-batches', { ...plan, batches: [second] }],
        'each-batch@0::each-unit@0::migrate-unit',
        ['each-batch@0::verify-batch', { batchGreen: false }],
        'each-batch@0::repair-batch@0::repair-batch-round',
        'each-batch@0::repair-batch@1::repair-batch-round',
        'each-batch@0::repair-batch@2::repair-batch-round',
        ['each-batch@0::apply-stop-rule', { batches: [second, { ...second, id: 'b3' }] }],
        'each-batch@1::each-unit@0::migrate-unit',
        ['each-batch@1::verify-batch', { batchGreen: true }],
        ['sweep-leftovers', { removeOldForm: true }],
        'remove-old-form',
        'close-out',
      ],
    },
    {
      name: 'abandoned after the pilot',
      steps: [
        ['define-done', { dataChange: false }],
        ['take-inventory', { unitCount: 5 }],
        'prove-way-back',
        ['choose-method', { automated: false }],
        ...pilotSteps(0, 'abandon'),
        'close-out',
      ],
    },
  ],
  samples: {
    'define-done': {
      good: labels({
        From: 'load(id, callback), src/orders.ts:12',
        To: 'await load(id), src/new/orders.ts:9',
        'Done when': 'rg "load\\([^)]*=>" finds nothing',
        'Must not change': 'order of writes; the integration tests would show it',
        'Side by side': 'yes, by an adapter in src/load.ts',
        Unit: 'a file',
        Reason: 'the callback form is gone in the next major version',
      }),
      bad: 'We will modernise the code base from callbacks to promises everywhere.',
    },
    'take-inventory': {
      good: json(inventory),
      bad: json({ units: ['src/orders.ts', 'src/users.ts', 'and others'] }),
    },
    'prove-way-back': {
      good: labels({
        Baseline: 'npm test exit 0, 212 passed, no known failures',
        'Covered by': 'unit tests for all variants but streams; one written',
        'Way back': 'git revert <batch>; restore the snapshot of the table',
        Rehearsed: 'one unit reverted, diff empty; the backup restored into scratch, checksums equal',
      }),
      bad: 'Everything is under version control, so it can be reverted at any time.',
    },
    'choose-method': {
      good: labels({
        Method: 'callback: codemod (4); stream: by hand (1)',
        Recipe: '1. replace the call 2. make the caller async 3. run its tests',
        Bridge: 'none',
        'Does not fit': 'the tool exits with an error and lists it',
      }),
      bad: 'I will use search and replace.',
    },
    'build-tool': {
      good: labels({
        Tool: 'scripts/promisify.ts, npx tsx',
        Samples: 'callback ok, nested ok',
        Untouched: 'loader(), migrated file',
        'Second run': 'no change',
        Limits: 'dynamic calls',
      }),
      bad: 'The codemod works on the examples.',
    },
    'select-pilot': {
      good: json({ pilotUnits: pilotUnits.map((one) => ({ ...one, why: 'used by everything else' })) }),
      bad: json({ pilotUnits: [] }),
    },
    'migrate-pilot-unit': {
      good: labels({
        Diff: '1 file, 14 lines',
        'Departed from recipe': 'nowhere',
        Checks: 'npm test -- orders, exit 0',
        'Behaviour compared': '20 requests, equal',
        'Taken back': 'yes, nothing left over',
        Minutes: '11',
      }),
      bad: 'The unit was migrated successfully.',
    },
    'judge-pilot': {
      good: labels({
        Result: '2 tried, 2 migrated without departing',
        'Recipe changed': 'nothing',
        Unexpected: 'one generated file',
        Forecast: '5 units, 1 hour, no failures expected',
        Decision: 'proceed (owner of the service)',
      }),
      bad: 'The pilot was a success, so I will continue with the rest.',
    },
    'plan-batches': {
      good: json({
        batches: [first, second],
        failureLimit: 0,
        alsoStopWhen: ['a test fails that the pilot did not touch'],
      }),
      bad: json({ batches: [{ id: 'all', units }] }),
    },
    'migrate-unit': {
      good: labels({
        State: 'migrated',
        Diff: '1 file, 9 lines',
        Checks: 'npm test -- mail, exit 0',
        Note: 'none',
      }),
      bad: 'Done, and cleaned up the imports on the way.',
    },
    'verify-batch': {
      good: labels({
        Command: 'npm test -- mail audit; npm test',
        Result: 'exit 0; exit 0, 212 passed',
        Counts: 'migrated 2, already 0, skipped 0, failed 0',
        'Still found': 'nothing',
        Sampled: 'audit, equal',
        'Take back with': 'git revert 91bd0c2',
      }),
      bad: 'The batch is fine, the tests are green.',
    },
    'repair-batch-round': {
      good: labels({
        'Fault in': 'the tool: it drops the error argument',
        Repaired: 'scripts/promisify.ts',
        'Looked at again': 'all units of b1',
        Command: 'npm test',
        Result: 'exit 0',
        Counts: 'migrated 1, failed 0',
      }),
      bad: 'I skipped the flaky test and now it passes.',
    },
    'apply-stop-rule': {
      good: labels({
        'Taken back': 'git revert 91bd0c2, 212 passed',
        Why: 'search needs streams',
        'State now': '2 done, 3 open, 1 failed',
        Decision: 'stop until streams are supported (owner)',
      }),
      bad: 'One unit failed but I will go on with the others.',
    },
    'sweep-leftovers': {
      good: labels({
        Search: '0',
        'Second search': '0',
        Sum: '5 = 4 + 0 + 1 + 0',
        'Hits explained': 'none',
        'Prevented by': 'a lint rule',
      }),
      bad: 'The migration is complete.',
    },
    'remove-old-form': {
      good: labels({
        Deleted: 'src/load.ts adapter',
        'Unused since': '14 days, by its counter',
        'Agreed by': 'owner of the service',
        Result: 'npm test exit 0',
        'Copy kept': 'snapshot until the end of the quarter',
      }),
      bad: 'Removed the adapter and the old table.',
    },
    'close-out': {
      good: labels({
        Outcome: 'completed',
        Numbers: '5 units, 4 migrated, 1 skipped',
        'System now': 'new form only',
        'Open units': 'none',
        'Noted on the way': 'src/mail.ts is too long',
        'For next time': 'generated code',
      }),
      bad: 'The migration was finished successfully.',
    },
  },
};
