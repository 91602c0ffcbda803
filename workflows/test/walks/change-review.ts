import { json, labels } from '../output.ts';
import type { WorkflowWalks } from '../walk.ts';

const retries = {
  id: 'retries',
  paths: ['src/client.ts'],
  question: 'Is a request sent twice that must not be?',
};
const limits = {
  id: 'limits',
  paths: ['src/limit.ts', 'src/limit.test.ts'],
  question: 'Can the limit be passed by parallel calls?',
};
const blocker = {
  id: 'F1',
  severity: 'blocker',
  file: 'src/client.ts',
  line: 40,
  claim: 'A POST that timed out is sent again, so an order is placed twice',
  evidence: 'src/client.ts:40 retries every method',
  suggestion: 'retry only safe methods',
};
const minor = {
  ...blocker,
  id: 'F2',
  severity: 'minor',
  claim: 'The delay grows without a bound when many retries are configured',
};

/** Walks and samples of change-review. */
export const changeReview: WorkflowWalks = {
  id: 'change-review',
  walks: [
    {
      name: 'a sound change that can be run',
      steps: [
        [
          'understand-intent',
          { size: 'normal', canRun: true, touchesSecurity: false, touchesData: false, postReview: false },
        ],
        'read-around',
        'run-change',
        ['divide-change', { areas: [retries], findings: [] }],
        'each-area@0::review-area',
        'judge-tests',
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
        'agree-on-scope',
        'read-around',
        ['divide-change', { areas: [retries, limits], findings: [] }],
        ['each-area@0::review-area', { findings: [blocker] }],
        ['each-area@1::review-area', { findings: [blocker, minor] }],
        'review-as-attacker',
        'review-compatibility',
        'judge-tests',
        'each-finding@0::confirm-finding',
        ['write-review', { verdict: 'request-changes', awaitingFixes: true }],
        'post-review',
        ['follow-up@0::recheck-update', { verdict: 'request-changes', awaitingFixes: true }],
        ['follow-up@1::recheck-update', { verdict: 'approve', awaitingFixes: false }],
      ],
    },
  ],
  samples: {
    'understand-intent': {
      good: labels({
        Purpose: 'requests that fail for a moment should not reach the user',
        Claims: 'no behaviour change for successful requests; at most three attempts',
        Range: '4f2c9aa..91bd0c2, 4 files, 180 lines',
        'Not mentioned': 'the timeout is halved',
        'Riskiest part': 'src/client.ts, because a request sent twice may place two orders',
      }),
      bad: 'The pull request adds retries to the client. The code looks clean and has tests.',
    },
    'agree-on-scope': {
      good: labels({
        Proposal: 'first client and limits, then the renamed files',
        Unread: 'generated clients',
        Agreed: 'as proposed (team lead)',
      }),
      bad: 'The change is large, I will skim it.',
    },
    'read-around': {
      good: [
        labels({
          'Users read': 'src/order.ts:77 expects one attempt; src/report.ts:12 does not care',
          'Rules relied on': 'POST is sent once: broken',
          'Could not see': 'the mobile client',
        }),
        labels({
          'Users read': 'none - the search for retry( has no hit outside the change',
          'Rules relied on': 'no caller yet',
          'Could not see': 'nothing',
        }),
      ],
      bad: 'The surrounding code is compatible with the change.',
    },
    'run-change': {
      good: labels({
        Command: 'npm ci && npm test',
        Result: 'exit 0, 140 passed',
        'New tests on the old code': '3 of 4 fail, "keeps the timeout" passes',
        'Tried by hand': 'a server that fails twice: 200 after 1.2 s; a closed port: error after 3 attempts',
      }),
      bad: 'CI is green, so the tests pass.',
    },
    'divide-change': {
      good: json({ areas: [retries, limits] }),
      bad: json({ areas: [{ id: 'all', paths: [], question: 'ok?' }] }),
    },
    'review-area': {
      good: [
        json({ area: 'retries', read: ['src/client.ts', 'src/order.ts'], findings: [blocker, minor] }),
        json({
          area: 'limits',
          read: ['src/limit.ts'],
          findings: [],
          cleared: ['parallel calls: the counter is changed before the first await'],
        }),
      ],
      bad: [
        json({
          area: 'retries',
          read: ['src/client.ts'],
          findings: [{ id: 'F1', severity: 'nit', claim: 'rename x' }],
        }),
        json({ area: 'retries', read: ['src/client.ts'], findings: [] }),
      ],
    },
    'review-as-attacker': {
      good: labels({
        'Entry points': 'src/webhook.ts:15 takes the body',
        Paths: 'body, parse, queue; size check at src/webhook.ts:18',
        Permissions: 'POST /hook: signature checked at src/webhook.ts:16',
        Dependencies: 'none',
        Findings: 'none',
      }),
      bad: 'I found no vulnerabilities such as injection.',
    },
    'review-compatibility': {
      good: labels({
        'Old reads new': 'ignores the new field (src/read.ts:9)',
        'New reads old': 'default 3 (src/read.ts:14)',
        Interrupted: 'no migration',
        Rollback: 'the old code drops the field on the next write',
        Findings: 'none',
      }),
      bad: 'The change is backwards compatible.',
    },
    'judge-tests': {
      good: labels({
        'Fault 1': 'src/client.ts:40 < instead of <=. Caught by: "tries three times"',
        'Fault 2': 'src/client.ts:44 no delay. Caught by: nothing',
        'Weakened tests': 'none',
        'Missing tests': 'the delay between attempts',
      }),
      bad: 'Coverage is at 94 %, which is good.',
    },
    'confirm-finding': {
      good: labels({
        Defence: 'the server could refuse duplicates by a key',
        Tried: 'src/order.ts:77 sends no key; a test server got two POSTs',
        Result: 'confirmed: a POST that times out',
      }),
      bad: 'The finding is valid.',
    },
    'write-review': {
      good: labels({
        Verdict: 'request-changes in the first version, then approve: orders are no longer doubled',
        Blocking: 'none',
        'Should change': 'none',
        Questions: 'Is the halved timeout intended?',
        Optional: 'none',
        'Claims checked': 'at most three attempts: holds',
        'Not reviewed': 'generated clients',
      }),
      bad: [
        'LGTM! Just a few nits about naming.',
        'Verdict: approve\nBlocking: F1 places orders twice, but that is rare',
      ],
    },
    'post-review': {
      good: labels({
        'Posted at': 'pull request 114',
        As: 'request-changes',
        'Changed before posting': 'nothing',
      }),
      bad: 'Done, the review was submitted.',
    },
    'recheck-update': {
      good: labels({
        Compared: '91bd0c2 and a01f4c3',
        F1: 'resolved: the test server got one POST',
        New: 'none',
        Verdict: 'approve',
      }),
      bad: 'The author says that it is fixed.',
    },
  },
};
