import type { ActivityWalks } from './walk.ts';

const areas = [
  {
    id: 'A1',
    paths: 'src/upload.ts',
    attacker: 'a customer',
    question: 'Can a name leave the upload folder?',
  },
  {
    id: 'A2',
    paths: 'src/auth.ts',
    attacker: 'anybody',
    question: 'Does an old token still open a session?',
  },
];
const findings = [
  {
    id: 'F1',
    place: 'src/upload.ts:31',
    claim: 'A name with .. is written outside',
    evidence: 'read',
  },
];

const scoped = {
  target: 'shop 2.3.0 at 4f1c9e2',
  scopeSummary: 'The shop; not its payment provider.',
  size: 'large',
  wantsTesting: true,
};
const readOnly = { ...scoped, wantsTesting: false };
const mapped = { areas };
const some = { findings, candidates: 1 };
const none = { findings: [], candidates: 0 };
const reported = { reportSummary: 'One high; the admin pages were not covered.' };

/** Walks of security-audit. */
export const securityAudit: ActivityWalks = {
  id: 'security-audit',
  walks: [
    {
      name: 'scope changed, one finding confirmed, report reworked, owner told',
      path: [
        ['scope', { sets: scoped }],
        ['agree-scope', { answers: { permission: 'change' } }],
        ['scope', { sets: scoped }],
        ['agree-scope', { answers: { permission: 'read-only' } }],
        'inventory',
        ['threat-model', { sets: mapped }],
        ['review', { sets: some }],
        ['verify', { sets: { highestSeverity: 'high' } }],
        ['report', { sets: reported }],
        ['disclosure-gate', { answers: { disclose: 'rework' } }],
        ['report', { sets: reported }],
        ['disclosure-gate', { answers: { disclose: 'owner' } }],
        'disclose',
        'close',
      ],
    },
    {
      name: 'probed, found by the second look, refuted, kept',
      path: [
        ['scope', { sets: scoped }],
        ['agree-scope', { answers: { permission: 'with-testing' } }],
        'inventory',
        ['threat-model', { sets: mapped }],
        ['review', { sets: none }],
        ['probe', { sets: none }],
        ['second-look', { sets: some }],
        ['verify', { sets: { highestSeverity: 'none' } }],
        ['report', { sets: reported }],
        ['disclosure-gate', { answers: { disclose: 'keep' } }],
        'close',
      ],
    },
    {
      name: 'probed, confirmed and published',
      path: [
        ['scope', { sets: scoped }],
        ['agree-scope', { answers: { permission: 'with-testing' } }],
        'inventory',
        ['threat-model', { sets: mapped }],
        ['review', { sets: some }],
        ['probe', { sets: some }],
        ['verify', { sets: { highestSeverity: 'critical' } }],
        ['report', { sets: reported }],
        ['disclosure-gate', { answers: { disclose: 'publish' } }],
        'disclose',
        'close',
      ],
    },
    {
      name: 'nothing found, and doubted',
      path: [
        ['scope', { sets: readOnly }],
        'inventory',
        ['threat-model', { sets: mapped }],
        ['review', { sets: none }],
        ['second-look', { sets: none }],
        ['report', { sets: reported }],
        ['disclosure-gate', { answers: { disclose: 'owner' } }],
        'disclose',
        'close',
      ],
    },
    {
      name: 'a small audit',
      path: [
        ['scope', { sets: { ...readOnly, size: 'small' } }],
        ['examine', { sets: { highestSeverity: 'low', ...reported } }],
        ['disclosure-gate', { answers: { disclose: 'owner' } }],
        'disclose',
        'close',
      ],
    },
    {
      name: 'not permitted',
      path: [['scope', { sets: scoped }], ['agree-scope', { answers: { permission: 'refuse' } }], 'close'],
    },
  ],
};
