import { json, labels } from '../output.ts';
import type { WorkflowWalks } from '../walk.ts';

const stale = {
  id: 'H1',
  mechanism: 'The cache key leaves out the tenant, so the second tenant reads the entry of the first',
  predicts: 'two tenants with the same report name see one result',
  refutedBy: 'different results for the same name',
  experiment: 'curl both tenants within a minute',
};
const clock = {
  id: 'H2',
  mechanism: 'The server clock is behind, so entries look younger than they are',
  predicts: 'date on the host differs from the database',
  refutedBy: 'both clocks agree within a second',
  experiment: 'compare date with select now()',
};
const round = { hypotheses: [stale, clock], candidateFound: false, causeConfirmed: false };

function roundSteps(index: number, candidateFound: boolean) {
  return [
    [`find-cause@${index}::form-hypotheses`, round],
    `find-cause@${index}::each-hypothesis@0::test-hypothesis`,
    `find-cause@${index}::each-hypothesis@1::test-hypothesis`,
    [`find-cause@${index}::weigh-results`, { candidateFound }],
  ] as const;
}

/** Walks and samples of bug-investigation. */
export const bugInvestigation: WorkflowWalks = {
  id: 'bug-investigation',
  walks: [
    {
      name: 'a regression that is found at once and fixed in one place',
      steps: [
        ['record-report', { mandate: 'fix', regression: true }],
        ['reproduce', { reproducible: 'always' }],
        'find-first-bad-change',
        'narrow-down',
        ...roundSteps(0, true),
        ['find-cause@0::challenge-cause', { causeConfirmed: true }],
        ['conclude-search', { fixScope: 'local' }],
        'write-regression-test',
        ['fix-cause', { fixGreen: true }],
        'search-siblings',
        'close-case',
      ],
    },
    {
      name: 'a failure nobody can cause and whose cause stays unknown',
      steps: [
        ['record-report', { mandate: 'diagnose', regression: false }],
        ['reproduce', { reproducible: 'never' }],
        'gather-traces',
        'narrow-down',
        ...roundSteps(0, false),
        ...roundSteps(1, true),
        ['find-cause@1::challenge-cause', { causeConfirmed: false }],
        ...roundSteps(2, false),
        'report-open-case',
        'close-case',
      ],
    },
    {
      name: 'a cause found in the second round, with a wide fix that needs revising',
      steps: [
        ['record-report', { mandate: 'fix', regression: true }],
        ['reproduce', { reproducible: 'never' }],
        ['gather-traces', { reproducible: 'sometimes' }],
        'find-first-bad-change',
        'narrow-down',
        ...roundSteps(0, false),
        ...roundSteps(1, true),
        ['find-cause@1::challenge-cause', { causeConfirmed: true }],
        ['conclude-search', { fixScope: 'wide' }],
        'write-regression-test',
        ['fix-cause', { fixGreen: false }],
        ['repair-fix@0::revise-fix', { fixGreen: false }],
        ['repair-fix@1::revise-fix', { fixGreen: true }],
        'search-siblings',
        'close-case',
      ],
    },
    {
      name: 'a diagnosis without a fix',
      steps: [
        ['record-report', { mandate: 'diagnose', regression: false }],
        ['reproduce', { reproducible: 'always' }],
        'narrow-down',
        ...roundSteps(0, true),
        ['find-cause@0::challenge-cause', { causeConfirmed: true }],
        ['conclude-search', { fixScope: 'local' }],
        'search-siblings',
        'close-case',
      ],
    },
  ],
  samples: {
    'record-report': {
      good: labels({
        Observed: 'tenant B saw the totals of tenant A at 09:12 UTC; screenshot in the ticket',
        Expected: 'each tenant sees its own totals (docs/tenancy.md)',
        Environment: 'version 3.4.1, two application servers, cache on; load unknown',
        Claims: '"the database is mixed up" - nobody checked',
        Impact: 'two customers so far; data is shown, not changed',
        'Last known good': '3.3.0',
      }),
      bad: 'The report says that tenants see wrong totals because the database is mixed up. I will look for the query that mixes them up and fix it. It is probably a missing where clause in the totals query, which is a common mistake in systems with several tenants. Observed: wrong totals.',
    },
    reproduce: {
      good: [
        labels({
          Steps: 'start 3.4.1 with the cache on; request /totals as A, then as B within a minute',
          Seen: 'B gets {"total": 1200}, which is the total of A',
          Rate: '20 of 20',
          'Same failure because': 'same endpoint and the same foreign total as in the ticket',
          'Does not fail when': 'B asks first, or the cache is off',
        }),
        labels({
          Steps: 'requests as A and B in every order, with and without cache, on 3.4.1',
          Seen: 'always the own total',
          Rate: '0 of 400',
          Tried:
            'two servers, clock skew of a minute, cache size 1, the data of the ticket, load of 50 requests a second',
        }),
      ],
      bad: 'I could reproduce the problem by following the steps in the ticket: it shows the wrong totals. The reproduction is reliable. Rate: it happens every time, so this can be fixed right away without more work on it.',
    },
    'gather-traces': {
      good: labels({
        Traces: 'access log 09:12:03 and 09:12:40, cache log of the same minute',
        'In common': 'the other tenant asked less than a minute before',
        Instrumentation: 'log the cache key on a hit, 1 % of requests',
        Agreed: 'add it to one server and wait until Friday (team lead)',
      }),
      bad: 'There is not enough information to reproduce it, so I will fix the most likely place.',
    },
    'find-first-bad-change': {
      good: labels({
        Good: '3.3.0, 0 of 20 fail',
        Bad: '3.4.1, 20 of 20 fail',
        'First bad change': '7c1e2d0 "Cache totals"',
        'What it changed': 'src/totals.ts:31 builds the cache key',
        'Does it explain everything?': 'yes: order and minute',
      }),
      bad: 'The change that introduced the cache looks suspicious. I am confident that it is the one, since it touches the totals and was merged at about the right time. The fix is to revert it.',
    },
    'narrow-down': {
      good: labels({
        'Still right at': 'src/totals.ts:28, tenant is B (debugger)',
        'Already wrong at': 'src/cache.ts:12, key is "totals" for both',
        'Ruled out': 'the database: query log shows the right tenant',
        Surprises: 'none',
      }),
      bad: 'Already wrong at: somewhere in the cache layer.',
    },
    'form-hypotheses': {
      good: json({ hypotheses: [stale, clock] }),
      bad: [json({ hypotheses: [{ id: 'H1', mechanism: 'the cache' }] }), json({ hypotheses: [stale] })],
    },
    'test-hypothesis': {
      good: [
        labels({
          Ran: 'curl as A and B within ten seconds',
          Saw: 'both {"total": 1200}',
          Verdict: 'H1 survived, the prediction came true',
        }),
        labels({
          Ran: 'date; select now()',
          Saw: '09:30:01 and 09:30:01',
          Verdict: 'refuted: the clocks agree',
        }),
      ],
      bad: 'The experiment confirms what I expected from reading the code.',
    },
    'weigh-results': {
      good: labels({
        'Left standing': 'H1: the cache key leaves out the tenant',
        Refuted: 'H2 by equal clocks',
        'Not explained': 'nothing',
        Learned: 'the cache is shared between tenants',
      }),
      bad: 'H1 is clearly the cause.',
    },
    'challenge-cause': {
      good: [
        labels({
          Removed: 'with the tenant in the key 0 of 20',
          Restored: 'without it 20 of 20',
          Chain: 'request, src/totals.ts:31, src/cache.ts:12, response; all seen',
          'Why now': 'the cache came with 3.4',
          Verdict: 'confirmed',
        }),
        labels({
          Trace: 'the cache log has a hit of B on the entry of A at 09:12:40, which nothing else writes',
          Chain: 'src/totals.ts:31, src/cache.ts:12',
          'Why now': 'since 3.4',
          Verdict: 'not confirmed: one hit was a miss',
        }),
      ],
      bad: 'The hypothesis explains everything that was observed and the code at src/totals.ts:31 is clearly wrong. There is no doubt.',
    },
    'report-open-case': {
      good: labels({
        Known: 'both failures came within a minute after the other tenant',
        'Ruled out': 'clocks, by comparison',
        'Best remaining idea': 'unproven: a proxy that caches',
        Missing: 'the proxy log',
        Agreed: 'the platform team looks at the proxy',
      }),
      bad: 'I could not find the cause, sorry.',
    },
    'conclude-search': {
      good: labels({
        Cause: 'src/totals.ts:31 builds the key from the report name alone, so tenants share entries',
        Evidence: '20 of 20 with, 0 of 20 without',
        Since: '7c1e2d0',
        'Ways to fix': 'tenant in the key; one cache for each tenant; switching the cache off hides it',
        Recommended: 'tenant in the key',
      }),
      bad: 'Cause: a caching problem in the totals.',
    },
    'write-regression-test': {
      good: [
        labels({
          Test: 'totals.test.ts "keeps tenants apart"',
          Command: 'npx vitest run totals',
          'Fails with': 'expected 300, received 1200',
          'Right reason because': 'the received value is the total of the other tenant',
        }),
        labels({
          'Manual check': 'two browsers, two tenants, within a minute',
          Command: 'none',
          'Fails with': 'the same total twice',
          'Right reason because': 'it passes with the cache off',
        }),
      ],
      bad: 'I will add a test after the fix, so that it passes.',
    },
    'fix-cause': {
      good: labels({
        Changed: 'src/totals.ts:31 the key begins with the tenant',
        Command: 'npx vitest run; the reproduction',
        Result: 'exit 0, 88 passed; 0 of 20',
        'Damaged data': 'none',
      }),
      bad: 'Added a null check, which should prevent this from happening.',
    },
    'revise-fix': {
      good: labels({
        Red: 'report.test.ts expects the old key; it reads the cache directly',
        'Which of the three': 'somebody relied on the old behaviour',
        Changed: 'the test uses the public function, agreed with its owner',
        Command: 'npx vitest run',
        Result: 'exit 0',
      }),
      bad: 'I updated the snapshot of the failing test.',
    },
    'search-siblings': {
      good: labels({
        Pattern: 'a cache key without the tenant',
        'Searched with': 'rg "cache\\.(get|set)", 14 hits',
        Siblings: 'src/users.ts:9 affected; 12 safe because they are global',
        'Would have caught it': 'a key type that requires the tenant',
      }),
      bad: 'No other places come to mind.',
    },
    'close-case': {
      good: labels({
        Answer: 'Tenants shared cache entries because the key left out the tenant. The key now has it.',
        Certainty: 'proven, by switching it on and off',
        Done: '91bd0c2 with the test; 88 passed',
        'Left to do': 'src/users.ts:9, proposed owner: accounts team',
        'Left behind': 'git diff main --stat: two files, no probes',
      }),
      bad: 'The bug is fixed. It was caused by a caching problem that has been resolved with a small change in the code. All tests pass and the application works as expected again. Thank you for the report and your patience with us!',
    },
  },
};
