import type { WorkflowWalks } from './walk.ts';

const review = {
  verdict: 'approve',
  reason: 'It holds what it claims.',
  blocking: [],
  shouldChange: [],
  questions: ['Is the halved timeout intended?'],
  optional: [],
  claimsChecked: ['at most three attempts: holds'],
  notReviewed: ['generated clients'],
  awaitingFixes: false,
};
const doubled = {
  place: 'src/client.ts:40',
  claim: 'A POST that timed out is sent again',
  confirmedBy: 'a test server got two',
  fix: 'retry only safe methods',
};

/** Walks and samples of change-review. */
export const changeReview: WorkflowWalks = {
  id: 'change-review',
  walks: [
    {
      name: 'a small change that can be run',
      steps: [
        [
          'understand-intent',
          { size: 'small', canRun: true, touchesSecurity: false, touchesData: false, postReview: false },
        ],
        'run-change',
        'read-change',
        ['judge-tests', { serious: false }],
        ['write-review', { verdict: 'approve', awaitingFixes: false }],
      ],
    },
    {
      name: 'an oversized change with a blocker, posted, and two updates',
      steps: [
        [
          'understand-intent',
          { size: 'oversized', canRun: false, touchesSecurity: true, touchesData: true, postReview: true },
        ],
        'choose-parts',
        'read-around',
        'read-change',
        'review-as-attacker',
        'review-compatibility',
        ['judge-tests', { serious: true }],
        'confirm-findings',
        ['write-review', { verdict: 'request-changes', awaitingFixes: true }],
        'post-review',
        ['follow-up@0::recheck-update', { verdict: 'request-changes', awaitingFixes: true }],
        ['follow-up@1::recheck-update', { verdict: 'approve', awaitingFixes: false }],
      ],
    },
  ],
  samples: {
    'write-review': { good: review, bad: { ...review, blocking: [doubled] } },
  },
};
