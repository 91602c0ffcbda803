import type { ActivityWalks } from '../activity-walk.ts';
import { json, labels } from '../output.ts';

const head = '4f1c9e27ab30d8856c2e1f9a7b64c0d3e5a81f02';
const patches = {
  id: 'B1',
  packages: ['yaml@2.8.1', 'ajv@8.17.1'],
  level: 'patch',
  risk: 'low',
  check: 'read a definition',
};
const major = {
  id: 'B2',
  packages: ['hono@5.0.0'],
  level: 'major',
  risk: 'high',
  check: 'start the console',
};
const batches = [patches, major];
const suspects = [{ id: 'B2', why: 'a new install script' }];

const measured = { repository: 'shop at 77aa01b', baseline: 'green', baselineSummary: '212 passed' };
const red = { ...measured, baseline: 'red', baselineSummary: '2 of 212 fail' };
const sorted = { batches, planSummary: 'One batch of patches and one major.' };
const bothKept = { nothingKept: false, majorsKept: 1, keptSummary: 'Two patches; hono 5.' };
const patchesKept = { nothingKept: false, majorsKept: 0, keptSummary: 'Two patches.', suspects: [] };
const noneKept = { nothingKept: true, majorsKept: 0, keptSummary: '' };
const clean = { lockfile: 'clean', suspects: [] };
const passed = { validation: 'passed', headCommit: head, validationSummary: '212 passed, as before' };

/** Walks and outputs of dependency-upgrade. */
export const dependencyUpgrade: ActivityWalks = {
  id: 'dependency-upgrade',
  walks: [
    {
      name: 'majors included and merged, after the base moved',
      path: [
        ['inventory', { sets: measured }],
        ['sort-risk', { sets: sorted }],
        ['plan', { answers: { 'plan-check': 'go' }, sets: { batches } }],
        ['upgrade', { sets: bothKept }],
        ['lockfile-review', { sets: clean }],
        ['validate', { sets: passed }],
        ['majors-gate', { answers: { majors: 'include' } }],
        ['merge-gate', { answers: { 'merge-upgrades': 'merge' } }],
        ['merge', { sets: { mergeResult: 'moved' } }],
        ['validate', { sets: passed }],
        ['majors-gate', { answers: { majors: 'include' } }],
        ['merge-gate', { answers: { 'merge-upgrades': 'merge' } }],
        ['merge', { sets: { mergeResult: 'merged' } }],
        'report',
      ],
    },
    {
      name: 'a red baseline repaired, a major left out, something suspect, something trimmed, held',
      path: [
        ['inventory', { sets: red }],
        ['settle-baseline', { answers: { 'red-baseline': 'repaired' } }],
        ['inventory', { sets: measured }],
        ['sort-risk', { sets: sorted }],
        ['plan', { answers: { 'plan-check': 'change' } }],
        ['sort-risk', { sets: sorted }],
        ['plan', { answers: { 'plan-check': 'go' }, sets: { batches } }],
        ['upgrade', { sets: bothKept }],
        ['lockfile-review', { sets: { lockfile: 'suspect', suspects } }],
        ['take-out', { sets: bothKept }],
        ['lockfile-review', { sets: clean }],
        ['validate', { sets: { validation: 'failed', suspects } }],
        ['take-out', { sets: bothKept }],
        ['lockfile-review', { sets: clean }],
        ['validate', { sets: passed }],
        ['majors-gate', { answers: { majors: 'exclude' }, sets: { suspects } }],
        ['take-out', { sets: patchesKept }],
        ['lockfile-review', { sets: clean }],
        ['validate', { sets: passed }],
        ['merge-gate', { answers: { 'merge-upgrades': 'trim' }, sets: { suspects } }],
        ['take-out', { sets: patchesKept }],
        ['lockfile-review', { sets: clean }],
        ['validate', { sets: passed }],
        ['merge-gate', { answers: { 'merge-upgrades': 'hold' } }],
        'report',
      ],
    },
    {
      name: 'a red baseline accepted, minors only, nothing survives the review',
      path: [
        ['inventory', { sets: red }],
        ['settle-baseline', { answers: { 'red-baseline': 'accept' } }],
        ['sort-risk', { sets: sorted }],
        ['plan', { answers: { 'plan-check': 'minors' }, sets: { batches: [patches] } }],
        ['upgrade', { sets: patchesKept }],
        ['lockfile-review', { sets: { lockfile: 'suspect', suspects } }],
        ['take-out', { sets: noneKept }],
        'report',
      ],
    },
    {
      name: 'every batch rolled back',
      path: [
        ['inventory', { sets: measured }],
        ['sort-risk', { sets: sorted }],
        ['plan', { answers: { 'plan-check': 'go' }, sets: { batches } }],
        ['upgrade', { sets: noneKept }],
        'report',
      ],
    },
    { name: 'up to date', path: [['inventory', { sets: { ...measured, upToDate: true } }], 'report'] },
    {
      name: 'stopped at a red baseline',
      path: [
        ['inventory', { sets: red }],
        ['settle-baseline', { answers: { 'red-baseline': 'stop' } }],
        'report',
      ],
    },
    {
      name: 'stopped at the plan',
      path: [
        ['inventory', { sets: measured }],
        ['sort-risk', { sets: sorted }],
        ['plan', { answers: { 'plan-check': 'stop' } }],
        'report',
      ],
    },
  ],
  outputs: {
    'measure-baseline': labels({
      Base: head,
      Command: 'npm ci && npm run ci',
      Counts: '212 passed, 0 failed',
      'Fails already': 'none',
    }),
    'list-manifests': labels({
      'Searched with': 'git ls-files "*package.json" "*lock*"',
      Files: 'package.json, npm',
    }),
    'list-outdated': labels({ Command: 'npm outdated', Outdated: '3', Advisories: '0' }),
    'explain-red': labels({ Fails: 'clock.test.ts, every time', Hides: 'date libraries' }),
    'read-notes': labels({
      Breaking: 'hono 5 drops get(), notes of 5.0.0',
      'Used here': 'src/console.ts:14',
    }),
    'cut-batches': json({ batches, left: [{ package: 'node', why: 'pinned by the platform' }] }),
    'write-plan': labels({ 'Way back': 'git revert and npm ci, tried on B1', 'Not upgraded': 'nothing' }),
    'fit-batches': labels({ Batches: 'B1, B2' }),
    'apply-batch': labels({
      Batch: 'B1',
      Command: 'npm install yaml@2.8.1 ajv@8.17.1',
      Versions: 'yaml 2.8.0 to 2.8.1',
      'Code changed': 'none',
    }),
    'verify-batch': labels({
      Command: 'npm ci && npm run ci',
      Result: '212 passed',
      'Newly failing': 'none',
      'New warnings': 'none',
      'Own check': 'read a definition, as before',
    }),
    'keep-or-roll-back': labels({ Kept: head }),
    'tally-batches': `B1 kept ${head.slice(0, 9)}; B2 rolled back, get() is used by a plug-in`,
    'read-lockfile': labels({
      By: 'a second agent',
      Added: '2',
      Removed: '1',
      Changed: '4',
      'Outside the plan': 'none',
    }),
    'judge-newcomers': labels({ Judged: 'none new', Suspect: 'none' }),
    'revert-batch': labels({
      'Taken out': 'B2, a new install script',
      Commit: head,
      Gone: 'npm ls finds no hono 5',
    }),
    'tally-rest': labels({ 'Taken out': 'B2', Left: 'B1' }),
    'run-pipeline': labels({
      Head: head,
      Command: 'npm ci && npm run ci',
      Counts: '212 passed',
      'Against the baseline': 'no difference',
    }),
    'use-software': labels({
      Did: 'placed an order',
      Saw: 'the receipt',
      'Size and time': '4.1 MB, 4.1 MB',
      'Not run': 'nothing',
    }),
    'present-majors':
      'hono 5 drops get(); met at src/console.ts:14; users notice nothing; back by one revert.',
    'record-majors': labels({ Answer: 'include, "fine"' }),
    'lay-out-upgrades': labels({
      Table: 'yaml 2.8.0 to 2.8.1',
      'Not shown': 'Windows',
      'Way back': 'revert two commits',
    }),
    'record-merge-answer': labels({ Answer: 'merge' }),
    'check-target': labels({ Approved: head, 'Head now': head, 'Base since validation': 'unchanged' }),
    'merge-upgrades': labels({ 'Merged as': head, Result: 'green' }),
    'write-report': labels({ Outcome: 'merged', Packages: '3 of 3' }),
  },
};
