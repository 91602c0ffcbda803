import { json, labels } from '../output.ts';
import type { WorkflowWalks } from '../walk.ts';

const digest = 'sha256:9f86d081884c7d659a2feaa0c55ad015';
const tarball = { name: 'report-1.4.0.tgz', kind: 'package', digest };
const image = { name: 'report:1.4.0', kind: 'image', digest };
const gate = {
  name: 'tests',
  required: true,
  command: 'npm test',
  status: 'passed',
  evidence: 'exit 0, 212 passed',
};

const quiet = [
  ['fix-scope', { releaseVersion: '1.4.0' }],
  ['compare-with-last', { breaking: false, risk: 'low' }],
  'write-notes',
  ['run-gates', { gateFailures: 0 }],
  ['build-artefacts', { artefacts: [tarball] }],
  'each-artefact@0::inspect-artefact',
  ['decide-release', { decision: 'go' }],
] as const;

/** Walks and samples of release. */
export const release: WorkflowWalks = {
  id: 'release',
  walks: [
    {
      name: 'a quiet release to everybody at once',
      steps: [
        ...quiet,
        ['publish', { staged: false, rolloutDone: true }],
        ['verify-published', { healthy: true }],
        'announce',
        'close-release',
      ],
    },
    {
      name: 'a risky, breaking release in stages, with gates to clear',
      steps: [
        ['fix-scope', { releaseVersion: '2.0.0' }],
        ['compare-with-last', { breaking: true, risk: 'high' }],
        'write-notes',
        ['run-gates', { gateFailures: 2 }],
        ['clear-gates@0::clear-gate', { gateFailures: 1 }],
        ['clear-gates@1::clear-gate', { gateFailures: 0 }],
        ['build-artefacts', { artefacts: [tarball, image] }],
        'each-artefact@0::inspect-artefact',
        'each-artefact@1::inspect-artefact',
        'rehearse-withdrawal',
        ['decide-release', { decision: 'go' }],
        ['publish', { staged: true, rolloutDone: false }],
        ['verify-published', { healthy: true }],
        ['rollout@0::advance-rollout', { rolloutDone: false, healthy: true }],
        ['rollout@1::advance-rollout', { rolloutDone: true, healthy: true }],
        'announce',
        'close-release',
      ],
    },
    {
      name: 'a release that is not made because gates stay open',
      steps: [
        ['fix-scope', { releaseVersion: '1.4.0' }],
        ['compare-with-last', { breaking: false, risk: 'low' }],
        'write-notes',
        ['run-gates', { gateFailures: 1 }],
        'clear-gates@0::clear-gate',
        'clear-gates@1::clear-gate',
        'clear-gates@2::clear-gate',
        'clear-gates@3::clear-gate',
        'clear-gates@4::clear-gate',
        ['build-artefacts', { artefacts: [tarball] }],
        'each-artefact@0::inspect-artefact',
        ['decide-release', { decision: 'no-go' }],
        'close-release',
      ],
    },
    {
      name: 'a rollout that is halted and withdrawn',
      steps: [
        ...quiet,
        ['publish', { staged: true, rolloutDone: false }],
        ['verify-published', { healthy: true }],
        ['rollout@0::advance-rollout', { rolloutDone: true, healthy: false }],
        'withdraw',
        'close-release',
      ],
    },
    {
      name: 'a release that is broken as published',
      steps: [
        ...quiet,
        ['publish', { staged: true, rolloutDone: false }],
        ['verify-published', { healthy: false }],
        'withdraw',
        'close-release',
      ],
    },
  ],
  samples: {
    'fix-scope': {
      good: labels({
        Version: '1.4.0, semantic versioning',
        Commit: '4f2c9aa81d0e77b1, main, pushed, clean',
        Since: 'v1.3.2 at 7c1e2d0, same digest as published',
        Included: '14 changes: 9 fixes, 3 features, 2 internal',
        'Left out': 'the new importer',
        Procedure: 'npm run release, docs/release.md',
      }),
      bad: 'We release version 1.4.0 with all changes that are on main.',
    },
    'compare-with-last': {
      good: labels({
        'Removed or renamed': 'none (api diff)',
        'Changed behaviour': '--json sorts keys',
        'New requirements': 'none',
        'Upgrade tried': 'from 1.3.2 with an existing project, 40 reports equal',
        'Version number': 'right: features, nothing breaks',
      }),
      bad: 'According to the commit messages there are no breaking changes.',
    },
    'write-notes': {
      good: labels({
        Notes:
          'Reports can be exported as CSV. Upgrading: --json sorts its keys; pass --unsorted to keep the order. Breaking: none.',
        'Not mentioned': '2 internal changes',
      }),
      bad: 'Various bug fixes and improvements.',
    },
    'run-gates': {
      good: json({
        commit: '4f2c9aa81d0e',
        gates: [gate, { ...gate, name: 'licences', status: 'missing', evidence: 'no such check' }],
      }),
      bad: [
        json({ commit: '4f2c9aa81d0e', gates: [{ name: 'tests', status: 'green' }] }),
        'All gates passed.',
      ],
    },
    'clear-gate': {
      good: labels({
        Gate: 'tests',
        Reason: 'a test depends on the time of day',
        Done: 'fixed',
        Commit: '91bd0c2',
        'All gates again': '6 of 6 passed on 91bd0c2',
        Open: '0',
      }),
      bad: 'Reran the pipeline, it is green now.',
    },
    'build-artefacts': {
      good: json({ commit: '4f2c9aa81d0e', builtBy: 'npm run release:build', artefacts: [tarball, image] }),
      bad: json({ commit: '4f2c9aa81d0e', builtBy: 'npm pack', artefacts: [{ name: 'report-1.4.0.tgz' }] }),
    },
    'inspect-artefact': {
      good: labels({
        Digest: 'matches',
        Contents: 'tar -t, 41 entries, one new: csv.js',
        'Reports version': '1.4.0',
        'Installed in': 'an empty container',
        Did: 'report --csv sales, 31 rows',
        Problems: 'none',
      }),
      bad: 'The package looks good.',
    },
    'rehearse-withdrawal': {
      good: labels({
        'Cannot be undone': 'the package version',
        Commands: 'npm deprecate; helm rollback',
        Rehearsed: 'staging, 2 minutes, with data of the new version',
        Trigger: 'error rate above 1 %, decided by the lead',
      }),
      bad: 'We can roll back if needed.',
    },
    'decide-release': {
      good: labels({
        Release: '1.4.0, 4f2c9aa',
        Gates: '5 passed, performance waived by the lead until June',
        Risks: 'sorted keys break a script',
        Against: 'Friday',
        'Way back': 'deprecate and repair forward',
        Decision: 'go, by the lead, 10:40 UTC',
      }),
      bad: 'Everything is ready, so I will go ahead with the release.',
    },
    publish: {
      good: labels({
        Ran: 'git tag, npm publish; both exit 0',
        Tag: 'v1.4.0 at 4f2c9aa81d0e',
        Published: `report-1.4.0.tgz ${digest}`,
        Time: '10:52 UTC',
        Stages: 'all at once',
      }),
      bad: 'Published the new version to the registry.',
    },
    'verify-published': {
      good: labels({
        Fetched: 'npm install report@1.4.0 in an empty container',
        Digest: 'same',
        'Fresh install': 'works',
        Upgrade: 'from 1.3.2 works',
        Signals: 'not a service',
        Pages: 'notes, README',
      }),
      bad: 'The registry shows the new version.',
    },
    'advance-rollout': {
      good: labels({
        From: '5 %',
        To: '25 %',
        'Watched for': '2 hours',
        Signals: 'errors 0.11 % new, 0.12 % old',
        Decision: 'advance',
      }),
      bad: 'No alerts, so I moved on to 25 %.',
    },
    withdraw: {
      good: labels({
        Seen: 'start fails on Windows, since 10:52',
        Agreed: 'deprecate and 1.4.1 (lead)',
        Ran: 'npm deprecate, exit 0',
        Verified: 'install warns and a new project gets 1.3.2',
        Told: 'users in the channel, support',
      }),
      bad: 'Rolled back.',
    },
    announce: {
      good: labels({
        'Announced at': 'release page, channel',
        Closed: '#81 in 7c1e2d0, #90 in 91bd0c2',
        'Next version': 'raised to 1.5.0-dev',
      }),
      bad: 'The release was announced.',
    },
    'close-release': {
      good: labels({
        Outcome: 'released',
        Identity: '1.4.0, 4f2c9aa, v1.4.0',
        Waived: 'none',
        'By hand': 'nothing',
        'Follow-up': 'licence check, platform team',
      }),
      bad: 'The release process is finished.',
    },
  },
};
