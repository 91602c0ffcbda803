import type { ActivityWalks } from './walk.ts';

const head = '4f1c9e27ab30d8856c2e1f9a7b64c0d3e5a81f02';
const measured = { repository: `shop at ${head}`, baseBranch: 'trunk', baseline: '212 passed, 0 failed' };
const batches = [
  {
    id: 'B1',
    packages: 'yaml@2.8.1, ajv@8.17.1',
    level: 'patch',
    risk: 'low',
    check: 'read a definition',
  },
  { id: 'B2', packages: 'hono@5.0.0', level: 'major', risk: 'high', check: 'start the console' },
];
const suspects = [{ id: 'B2', why: 'a new install script' }];
const bothKept = { kept: 'Two patches; hono 5, which drops get().', nothingKept: false };
const patchesKept = { kept: 'Two patches.', nothingKept: false };
const noneKept = { kept: 'nothing', nothingKept: true };
const shown = { headCommit: head, validationSummary: '212 passed, as before', openPoints: 'none' };

/** Walks of dependency-upgrade. */
export const dependencyUpgrade: ActivityWalks = {
  id: 'dependency-upgrade',
  walks: [
    {
      name: 'a large upgrade merged, after the base moved',
      path: [
        ['inventory', { sets: { ...measured, size: 'large' } }],
        ['sort-risk', { sets: { batches } }],
        ['upgrade', { sets: bothKept }],
        ['lockfile-review', { sets: { suspects: [], lockfile: 'clean' } }],
        ['validate', { sets: shown }],
        ['merge-gate', { answers: { 'merge-upgrades': 'merge' } }],
        ['merge', { sets: { mergeResult: 'moved' } }],
        ['validate', { sets: shown }],
        ['merge-gate', { answers: { 'merge-upgrades': 'merge' } }],
        ['merge', { sets: { mergeResult: 'merged' } }],
        'report',
      ],
    },
    {
      name: 'a small upgrade',
      path: [
        ['inventory', { sets: { ...measured, size: 'small' } }],
        ['upgrade-small', { sets: { ...patchesKept, ...shown } }],
        ['merge-gate', { answers: { 'merge-upgrades': 'merge' } }],
        ['merge', { sets: { mergeResult: 'merged' } }],
        'report',
      ],
    },
    {
      name: 'a small upgrade, trimmed, then held',
      path: [
        ['inventory', { sets: { ...measured, size: 'small' } }],
        ['upgrade-small', { sets: { ...patchesKept, ...shown } }],
        ['merge-gate', { answers: { 'merge-upgrades': 'trim' }, sets: { suspects } }],
        ['take-out', { sets: patchesKept }],
        ['validate', { sets: shown }],
        ['merge-gate', { answers: { 'merge-upgrades': 'hold' } }],
        'report',
      ],
    },
    {
      name: 'a suspect batch, then nothing is left',
      path: [
        ['inventory', { sets: { ...measured, size: 'large' } }],
        ['sort-risk', { sets: { batches } }],
        ['upgrade', { sets: bothKept }],
        ['lockfile-review', { sets: { suspects, lockfile: 'suspect' } }],
        ['take-out', { sets: patchesKept }],
        ['lockfile-review', { sets: { suspects, lockfile: 'suspect' } }],
        ['take-out', { sets: noneKept }],
        'report',
      ],
    },
    {
      name: 'every batch rolled back',
      path: [
        ['inventory', { sets: { ...measured, size: 'large' } }],
        ['sort-risk', { sets: { batches } }],
        ['upgrade', { sets: noneKept }],
        'report',
      ],
    },
    {
      name: 'a small upgrade that is rolled back',
      path: [
        ['inventory', { sets: { ...measured, size: 'small' } }],
        ['upgrade-small', { sets: { ...noneKept, ...shown } }],
        'report',
      ],
    },
    { name: 'up to date', path: [['inventory', { sets: { ...measured, size: 'none' } }], 'report'] },
  ],
};
