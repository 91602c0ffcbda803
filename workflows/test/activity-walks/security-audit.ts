import type { ActivityWalks } from '../activity-walk.ts';
import { json, labels } from '../output.ts';

const areas = [
  {
    id: 'A1',
    paths: ['src/upload.ts'],
    attacker: 'a customer',
    question: 'Can a name leave the upload folder?',
  },
  {
    id: 'A2',
    paths: ['src/auth.ts'],
    attacker: 'anybody',
    question: 'Does an old token still open a session?',
  },
];
const findings = [
  {
    id: 'F1',
    area: 'A1',
    place: 'src/upload.ts:31',
    claim: 'A name with .. is written outside',
    evidence: 'read',
  },
];

const scoped = { target: 'shop 2.3.0 at 4f1c9e2', scopeSummary: 'The shop; not its payment provider.' };
const mapped = { areas };
const some = { findings, candidates: 1 };
const none = { findings: [], candidates: 0 };
const reported = { reportSummary: 'One high; the admin pages were not covered.' };

/** Walks and outputs of security-audit. */
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
        ['verify', { sets: { confirmed: 1 } }],
        ['rate', { sets: { highestSeverity: 'high' } }],
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
        ['verify', { sets: { confirmed: 0 } }],
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
        ['verify', { sets: { confirmed: 1 } }],
        ['rate', { sets: { highestSeverity: 'critical' } }],
        ['report', { sets: reported }],
        ['disclosure-gate', { answers: { disclose: 'publish' } }],
        'disclose',
        'close',
      ],
    },
    {
      name: 'nothing found, and doubted',
      path: [
        ['scope', { sets: scoped }],
        ['agree-scope', { answers: { permission: 'read-only' } }],
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
      name: 'not permitted',
      path: [['scope', { sets: scoped }], ['agree-scope', { answers: { permission: 'refuse' } }], 'close'],
    },
  ],
  outputs: {
    'name-target': labels({
      Target: 'shop at 4f1c9e2',
      In: 'web and worker',
      Out: 'payment provider, not ours',
    }),
    'name-stakes': labels({ Wanted: 'addresses of customers', 'Worst day': 'all addresses are published' }),
    'name-permission': labels({
      'Asked by': 'Ada',
      Owner: 'Ada',
      'May be read': 'the repository',
      'May be run': 'locally',
      'May be attacked': 'nothing',
      'Report to': 'Ada',
      'Stop and call when': 'traces of an intruder',
    }),
    'record-permission': labels({ Permitted: 'read-only, "until Friday", by Ada' }),
    'list-entries': labels({
      Entries: 'src/upload.ts:12 customer, file name, unchecked',
      'Searched with': 'rg "app\\.(get|post)", 41 hits',
      'Not seen': 'routes of the proxy',
    }),
    'draw-boundaries': labels({ 'Customer to web': 'file name', 'Checked at': 'src/upload.ts:18' }),
    'list-powers':
      'Deletes orders (src/orders.ts:90, role check before it); signing key made at install, in the environment, replaced by hand; default admin off; postinstall of sharp runs code.',
    'name-attackers':
      'A customer: signed in, own orders, wants the addresses of others. Anybody: no account, wants the service down.',
    'tell-abuse':
      'Customer to web: a customer sends a name with .. and overwrites another customer file. Denies it: uploads carry no user in the log. Reads: order ids are numbers in a row. Stops it: no size limit. Gains power: the role comes from the token.',
    'cut-areas': json({ areas, left_out: [{ what: 'denial by load', why: 'accepted by the owner' }] }),
    'trace-area': labels({
      Stations: 'src/upload.ts:12, src/store.ts:40 no check',
      'Ends at': 'fs.writeFile',
    }),
    'answer-area': labels({
      Answer: 'works',
      Because: 'src/store.ts:40 joins without resolving',
      Candidates: 'F1',
      Read: 'src/upload.ts, src/store.ts',
    }),
    'gather-candidates': labels({ F1: 'name leaves the folder', 'Areas not finished': 'none' }),
    'prepare-probe': labels({
      Instance: 'https://staging.example 2.3.0, matches',
      Accounts: 'audit-1',
      Log: 'probe.log',
      Undo: 'delete uploads of audit-1',
    }),
    'run-probes':
      'POST /upload with ../x answered 201 and the file lay in the parent folder: F1 decided, it works.',
    'clean-up-probe': labels({ Removed: 'three uploads', 'Left behind': 'nothing' }),
    'check-coverage': labels({
      By: 'a third agent',
      Unread: 'none',
      'Answered anew': 'A1, src/upload.ts:12',
    }),
    'plant-hole': labels({ Removed: 'src/auth.ts:22', 'Shown by': 'test/auth.test.ts' }),
    'defend-code': labels({
      Finding: 'F1',
      'Verified by': 'a second agent',
      Defence: 'the proxy cleans names, ops/proxy.conf:9',
    }),
    'decide-finding': labels({
      Tried: 'sent ../x to a local copy, file written outside',
      Result: 'confirmed',
      Needs: 'an account',
    }),
    'tally-findings': labels({ Confirmed: 'F1', Refuted: 'none', Unclear: 'none' }),
    'rate-findings': json({
      ratings: [
        {
          id: 'F1',
          reach: 2,
          needs: 3,
          harm: 2,
          severity: 'high',
          because: 'any customer overwrites files of others',
        },
      ],
    }),
    'chain-findings': labels({ Chains: 'none', 'Rated again': 'by a second agent, high and high' }),
    'write-findings':
      'F1: a customer can overwrite files of others through the upload name. Severity high, src/store.ts:40.',
    'write-coverage': labels({
      Reviewed: 'A1, A2',
      'Not reviewed': 'admin pages, out of time',
      Assumed: 'the proxy is configured as in ops/',
      How: 'by reading and running',
    }),
    'check-report': labels({
      'Places opened': '9, one line corrected',
      'Demonstrations rerun': '1',
      'Sensitive text': 'none',
    }),
    'propose-disclosure': labels({
      To: 'Ada, by encrypted mail',
      When: 'now',
      What: 'full report',
      'If we are silent': 'every customer stays exposed',
    }),
    'prepare-private': labels({ 'Receiver checked by': 'a call to the number in the contract' }),
    'prepare-advisory': labels({ 'Repair available': '2.3.1, fetched' }),
    'send-report': labels({ Sent: 'report.md to Ada, mail, 14:02', Reference: 'message 7781' }),
    'put-away': labels({ Removed: 'account audit-1', Kept: 'report, vault, Ada', Disclosure: 'owner' }),
  },
};
