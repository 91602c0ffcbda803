import type { ActivityWalks } from './walk.ts';

const head = '4f1c9e27ab30d8856c2e1f9a7b64c0d3e5a81f02';
const criteria = [{ id: 'AC1', text: 'An order with one item is exported as CSV' }];
const slices = [
  { id: 'S1', goal: 'One order as CSV', check: 'test/export.test.ts' },
  { id: 'S2', goal: 'A bad row is named', check: 'test/export-errors.test.ts' },
];
const questions = '1. Which separator? Comma or tab; I would take the comma.';

const small = {
  goal: 'Orders can be exported as CSV.',
  criteria,
  baseBranch: 'trunk',
  size: 'small',
  mustAsk: false,
  questions: 'none',
  planFirst: false,
};
const large = { ...small, size: 'large' };
const asks = { mustAsk: true, questions };
const planned = { slices, planSummary: 'Two slices, export first; no settings.' };
const passed = {
  headCommit: head,
  validationSummary: '214 passed, 0 failed',
  openPoints: 'none',
  wayBack: 'git revert',
};
const clean = { verdict: 'clean' };
const found = { verdict: 'findings' };

/** Walks of issue-to-merge. */
export const issueToMerge: ActivityWalks = {
  id: 'issue-to-merge',
  walks: [
    {
      name: 'a small change that is clean at once',
      path: [
        ['intake', { sets: small }],
        ['build', { sets: { ...passed, size: 'small' } }],
        ['merge-gate', { answers: { 'merge-approval': 'merge' } }],
        ['merge', { sets: { mergeResult: 'merged' } }],
        'close',
      ],
    },
    {
      name: 'a small change with a question, that is changed at the merge',
      path: [
        ['intake', { sets: { ...small, ...asks } }],
        ['clarify', { answers: { answers: 'answered' }, sets: { criteria } }],
        ['build', { sets: { ...passed, size: 'small' } }],
        ['merge-gate', { answers: { 'merge-approval': 'fix' } }],
        'fix-findings',
        ['validate', { sets: passed }],
        ['merge-gate', { answers: { 'merge-approval': 'merge' } }],
        ['merge', { sets: { mergeResult: 'moved' } }],
        ['validate', { sets: passed }],
        ['merge-gate', { answers: { 'merge-approval': 'merge' } }],
        ['merge', { sets: { mergeResult: 'broken' } }],
        'close',
      ],
    },
    {
      name: 'a small change that grows, built by a lone agent, not merged',
      path: [
        ['intake', { sets: small }],
        ['build', { sets: { ...passed, size: 'large' } }],
        ['plan', { sets: planned }],
        'implement',
        ['self-review', { sets: clean }],
        ['review', { sets: clean }],
        ['validate', { sets: passed }],
        ['merge-gate', { answers: { 'merge-approval': 'hold' } }],
        'close',
      ],
    },
    {
      name: 'a large change with questions, a plan that was asked for, and findings from everywhere',
      path: [
        ['intake', { sets: { ...large, ...asks, planFirst: true } }],
        ['clarify', { answers: { answers: 'answered' }, sets: { criteria } }],
        ['plan', { sets: planned }],
        ['approve-plan', { answers: { 'plan-approval': 'change' } }],
        ['plan', { sets: planned }],
        ['approve-plan', { answers: { 'plan-approval': 'approve' } }],
        'implement',
        ['self-review', { sets: found }],
        'fix-findings',
        ['review', { sets: found }],
        'fix-findings',
        ['review', { sets: clean }],
        ['validate', { sets: passed }],
        ['merge-gate', { answers: { 'merge-approval': 'merge' } }],
        ['merge', { sets: { mergeResult: 'merged' } }],
        'close',
      ],
    },
    {
      name: 'another goal, then withdrawn',
      path: [
        ['intake', { sets: { ...large, ...asks } }],
        ['clarify', { answers: { answers: 'rethink' } }],
        ['intake', { sets: { ...large, ...asks } }],
        ['clarify', { answers: { answers: 'withdraw' } }],
        'close',
      ],
    },
    {
      name: 'a plan nobody wants',
      path: [
        ['intake', { sets: { ...large, planFirst: true } }],
        ['plan', { sets: planned }],
        ['approve-plan', { answers: { 'plan-approval': 'stop' } }],
        'close',
      ],
    },
  ],
};
