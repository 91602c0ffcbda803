import type { WorkflowWalks } from './walk.ts';

const artefacts = [
  { name: 'app.tgz', kind: 'package', digest: 'sha256:11', used: 'installed in an empty folder; app --help' },
  { name: 'app.img', kind: 'image', digest: 'sha256:22', used: 'started; GET / answered 200' },
];
const small = { size: 'small', releaseVersion: '2.4.1' };
const large = { size: 'large', releaseVersion: '3.0.0' };
const start = [['fix-scope', large], 'compare-with-last', ['prepare', { artefacts }]] as const;
const inspected = ['inspect@0::inspect-artefact', 'inspect@1::inspect-artefact', 'rehearse-withdrawal'];

/** Walks of release. */
export const release: WorkflowWalks = {
  id: 'release',
  walks: [
    {
      name: 'a small release',
      steps: [
        ['fix-scope', small],
        ['prepare', { artefacts }],
        ['publish', { staged: false }],
        ['verify-published', { healthy: true }],
        'close',
      ],
    },
    {
      name: 'a small release in stages',
      steps: [
        ['fix-scope', small],
        ['prepare', { artefacts }],
        ['publish', { staged: true }],
        ['verify-published', { healthy: true }],
        ['rollout@0::advance-rollout', { rolloutDone: true, healthy: true }],
        'close',
      ],
    },
    {
      name: 'a large release in stages, halted and withdrawn',
      steps: [
        ...start,
        ...inspected,
        ['publish', { staged: true }],
        ['verify-published', { healthy: true }],
        ['rollout@0::advance-rollout', { rolloutDone: false, healthy: true }],
        ['rollout@1::advance-rollout', { rolloutDone: true, healthy: false }],
        'withdraw',
        'close',
      ],
    },
    {
      name: 'a large release that is broken for those who fetch it',
      steps: [
        ...start,
        ...inspected,
        ['publish', { staged: true }],
        ['verify-published', { healthy: false }],
        'withdraw',
        'close',
      ],
    },
  ],
};
