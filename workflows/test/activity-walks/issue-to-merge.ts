import type { ActivityWalks } from '../activity-walk.ts';
import { json, labels } from '../output.ts';

const head = '4f1c9e27ab30d8856c2e1f9a7b64c0d3e5a81f02';
const criteria = [{ id: 'AC1', text: 'An order with one item is exported as CSV' }];
const slices = [
  { id: 'S1', goal: 'One order as CSV', criteria: ['AC1'], check: 'test/export.test.ts' },
  { id: 'S2', goal: 'A bad row is named', criteria: ['AC2'], check: 'test/export-errors.test.ts' },
];
const findings = [
  {
    id: 'F1',
    severity: 'major',
    place: 'src/export.ts:41',
    claim: 'A quote is not escaped',
    evidence: 'ran it',
  },
];

const understood = { goal: 'Orders can be exported as CSV.', criteria, hasQuestions: false };
const planned = { slices, planSummary: 'Two slices, export first; no settings.' };
const clean = { verdict: 'clean', findings: [], findingsSummary: '' };
const found = { verdict: 'findings', findings, findingsSummary: 'One major: a quote is not escaped.' };
const crept = { scopeChanged: true, scopeReason: 'The reader has to change as well.' };
const passed = { validation: 'passed', headCommit: head, validationSummary: '214 passed, 0 failed' };

/** Walks and outputs of issue-to-merge. */
export const issueToMerge: ActivityWalks = {
  id: 'issue-to-merge',
  walks: [
    {
      name: 'a quick change that is clean at once',
      path: [
        ['intake', { sets: understood }],
        ['plan', { sets: planned }],
        ['approve-plan', { answers: { 'plan-approval': 'approve-quick' } }],
        'implement',
        ['self-review', { sets: clean }],
        ['review', { sets: clean }],
        ['validate', { sets: passed }],
        ['merge-gate', { answers: { 'merge-approval': 'merge' } }],
        ['merge', { sets: { mergeResult: 'merged' } }],
        'close',
      ],
    },
    {
      name: 'questions, a changed plan, findings from everywhere, and a base that moved',
      path: [
        ['intake', { sets: { ...understood, hasQuestions: true } }],
        ['clarify', { answers: { answers: 'answered' }, sets: { criteria } }],
        ['plan', { sets: planned }],
        ['approve-plan', { answers: { 'plan-approval': 'change' } }],
        ['plan', { sets: planned }],
        ['approve-plan', { answers: { 'plan-approval': 'approve' } }],
        'design',
        'implement',
        ['self-review', { sets: found }],
        'fix-findings',
        ['self-review', { sets: clean }],
        ['review', { sets: found }],
        ['fix-findings', { answers: { 'review-findings': 'fix' } }],
        ['self-review', { sets: clean }],
        ['review', { sets: clean }],
        ['validate', { sets: { validation: 'failed', findings, findingsSummary: 'AC1 failed.' } }],
        'fix-findings',
        ['self-review', { sets: clean }],
        ['review', { sets: clean }],
        ['validate', { sets: passed }],
        ['merge-gate', { answers: { 'merge-approval': 'fix' }, sets: { findings } }],
        'fix-findings',
        ['self-review', { sets: clean }],
        ['review', { sets: clean }],
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
      name: 'a scope that changes three times, findings accepted, not merged',
      path: [
        ['intake', { sets: understood }],
        ['plan', { sets: planned }],
        ['approve-plan', { answers: { 'plan-approval': 'approve' } }],
        ['design', { sets: crept }],
        ['settle-scope', { answers: { 'scope-change': 'replan' } }],
        ['plan', { sets: planned }],
        ['approve-plan', { answers: { 'plan-approval': 'approve-quick' } }],
        ['implement', { sets: crept }],
        ['settle-scope', { answers: { 'scope-change': 'extend' }, sets: { slices } }],
        'implement',
        ['self-review', { sets: { ...clean, ...crept } }],
        ['settle-scope', { answers: { 'scope-change': 'split' }, sets: { slices: [] } }],
        'implement',
        ['self-review', { sets: clean }],
        ['review', { sets: found }],
        ['fix-findings', { answers: { 'review-findings': 'accept' } }],
        ['validate', { sets: passed }],
        ['merge-gate', { answers: { 'merge-approval': 'hold' } }],
        'close',
      ],
    },
    {
      name: 'stopped when the scope changed',
      path: [
        ['intake', { sets: understood }],
        ['plan', { sets: planned }],
        ['approve-plan', { answers: { 'plan-approval': 'approve-quick' } }],
        ['implement', { sets: crept }],
        ['settle-scope', { answers: { 'scope-change': 'stop' } }],
        'close',
      ],
    },
    {
      name: 'another goal, then withdrawn',
      path: [
        ['intake', { sets: { ...understood, hasQuestions: true } }],
        ['clarify', { answers: { answers: 'rethink' } }],
        ['intake', { sets: { ...understood, hasQuestions: true } }],
        ['clarify', { answers: { answers: 'withdraw' } }],
        'close',
      ],
    },
    {
      name: 'a plan nobody wants',
      path: [
        ['intake', { sets: understood }],
        ['plan', { sets: planned }],
        ['approve-plan', { answers: { 'plan-approval': 'stop' } }],
        'close',
      ],
    },
    {
      name: 'given up after the review',
      path: [
        ['intake', { sets: understood }],
        ['plan', { sets: planned }],
        ['approve-plan', { answers: { 'plan-approval': 'approve-quick' } }],
        'implement',
        ['self-review', { sets: clean }],
        ['review', { sets: found }],
        ['fix-findings', { answers: { 'review-findings': 'stop' } }],
        'close',
      ],
    },
  ],
  outputs: {
    'observe-today': labels({
      Command: 'npm start export 7',
      Seen: 'unknown command',
      'Differs from the issue': 'no',
    }),
    'survey-code': labels({
      Stations: 'src/cli.ts:12, src/orders.ts:80',
      'Relied on by': 'the nightly job, ops/nightly.sh:4',
      Conventions: 'one command per file, src/list.ts:1',
      Commands: 'npm test',
    }),
    'state-criteria': labels({
      AC1: 'given an order with one item, export prints one CSV row',
      'Out of scope': 'Excel files',
      Questions: 'none',
    }),
    'record-answers': labels({ Question: 'Which separator?', Answer: 'a comma', 'Changed criteria': 'AC1' }),
    'name-risks': labels({
      'Cannot be undone': 'nothing',
      'Old and new together': 'no overlap',
      Unknown: 'none',
    }),
    'cut-plan': json({ slices }),
    'record-plan-answer': labels({ Answer: 'approve', 'To change': 'nothing' }),
    'weigh-approaches': labels({
      Chosen: 'stream rows',
      Because: 'memory stays flat',
      Rejected: 'build a string; better if exports stay under 1 MB',
    }),
    'fix-contracts': 'exportOrders(ids) at src/orders.ts:80 keeps its order and throws OrderMissing.',
    'try-riskiest': labels({
      Assumption: 'the reader streams',
      Experiment: 'one million rows',
      Result: 'peak 60 MB, holds',
    }),
    'prepare-branch': labels({ Base: head, Command: 'npm test', Result: '212 passed, 0 failed' }),
    'tally-slices': `S1 ${head.slice(0, 9)} test/export.test.ts passes; S2 not built, the scope changed`,
    'show-red': labels({
      Test: 'test/export.test.ts exports one order',
      'Fails with': 'unknown command export',
    }),
    'make-green': labels({
      Changed: 'src/export.ts',
      Command: 'npm test',
      Result: '213 passed, 0 failed',
      Commit: head,
    }),
    'state-difference': labels({
      Planned: 'the writer only',
      Found: 'src/reader.ts:9 drops quotes',
      'Already done outside the plan': 'none',
    }),
    'recut-slices': 'Done: S1. To build: S2, S3 (reader keeps quotes).',
    'compare-with-plan': labels({
      'Hunks without a slice': 'none',
      'Criteria without a test': 'none',
      Leftovers: 'none',
    }),
    'plant-faults': labels({
      Fault: 'src/export.ts:30 < for <=',
      'Caught by': 'exports one order',
      Restored: 'clean at 4f1c9e2',
    }),
    'own-findings': 'Looked for quoting, empty orders and two exports at once; found none of them wrong.',
    'read-around': labels({
      Reviewer: 'a second agent, not the author',
      'Users read': 'ops/nightly.sh:4 expects exit code 0',
      'Should have changed and did not': 'nothing',
    }),
    'judge-diff': labels({ AC1: 'src/export.ts:30, shown by test/export.test.ts:12', Findings: 'none' }),
    'test-findings': labels({ Confirmed: 'none', Refuted: 'F1, escaped at src/csv.ts:8', Unclear: 'none' }),
    'tally-findings': labels({ F1: 'fixed in 91ab3c4', Causes: 'no test with quotes' }),
    'fix-finding': labels({
      Finding: 'F1',
      Red: 'expected "a""b"',
      Green: '1 passed',
      'Same mistake elsewhere': 'none, searched for join',
      Commit: head,
    }),
    'bring-up-to-date': labels({ Head: head, Base: '77aa01bc5', Conflicts: 'none' }),
    'run-all': labels({
      Command: 'npm run ci',
      'Exit code': '0',
      Counts: '214 passed, 0 failed, 0 skipped',
      'New skips': 'none',
    }),
    'show-criteria': labels({ AC1: 'exported order 7, saw one row, passed', 'Bad input': 'order x, exit 2' }),
    'lay-out-evidence': labels({
      Users: 'export is new',
      'Not shown': 'Windows, no machine',
      'Way back': 'revert one commit',
    }),
    'record-merge-answer': labels({ Answer: 'merge, "go ahead"' }),
    'check-target': labels({ Approved: head, 'Head now': head, 'Base since validation': 'unchanged' }),
    'merge-change': labels({ 'Merged as': head }),
    'watch-base': labels({ Run: 'ci run 881', Result: 'green' }),
    report: labels({
      Outcome: `merged as ${head}`,
      'What you can do now': 'export orders',
      'Not shown': 'none',
    }),
  },
};
