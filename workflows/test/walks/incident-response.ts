import { json, labels } from '../output.ts';
import type { WorkflowWalks } from '../walk.ts';

const unmitigated = { customerImpact: true, mitigated: false, recovered: false, updateDue: false };
const action = {
  action: 'Expire the certificate check a month ahead',
  effect: 'notice',
  would: 'the alert would have come four weeks earlier',
  owner: 'platform team',
  due: '2031-05-20',
  doneWhen: 'the alert fires on a test certificate',
};

function attempt(index: number, sets: { actionRisk: string; mitigated: boolean; updateDue: boolean }) {
  const { actionRisk, ...measured } = sets;
  return [
    [`mitigate@${index}::choose-mitigation`, { actionRisk }],
    `mitigate@${index}::act`,
    [`mitigate@${index}::measure-effect`, measured],
  ] as const;
}

const failed = { actionRisk: 'low', mitigated: false, updateDue: false };

/** Walks and samples of incident-response. */
export const incidentResponse: WorkflowWalks = {
  id: 'incident-response',
  walks: [
    {
      name: 'a small incident that has ended by itself',
      steps: [
        [
          'declare',
          {
            severity: 'sev3',
            securityConcern: false,
            customerImpact: false,
            mitigated: true,
            recovered: false,
            updateDue: false,
          },
        ],
        'look-for-change',
        ['mitigate@0::confirm-recovery', { recovered: true, dataDamaged: false }],
        'find-contributing-causes',
        'agree-follow-up',
        'close-incident',
      ],
    },
    {
      name: 'a severe incident with a relapse and damaged data',
      steps: [
        ['declare', { ...unmitigated, severity: 'sev1', securityConcern: true }],
        'call-people',
        'involve-security',
        'send-first-update',
        'look-for-change',
        ...attempt(0, { actionRisk: 'low', mitigated: false, updateDue: true }),
        ['mitigate@0::send-update', { updateDue: false }],
        ...attempt(1, { actionRisk: 'high', mitigated: true, updateDue: false }),
        ['mitigate@1::confirm-recovery', { recovered: false, mitigated: false, dataDamaged: true }],
        ...attempt(2, { actionRisk: 'low', mitigated: true, updateDue: false }),
        ['mitigate@2::confirm-recovery', { recovered: true, dataDamaged: true }],
        'repair-data',
        'send-resolution',
        'find-contributing-causes',
        'write-report',
        'agree-follow-up',
        'close-incident',
      ],
    },
    {
      name: 'an incident that cannot be mitigated and is handed over',
      steps: [
        ['declare', { ...unmitigated, severity: 'sev2', securityConcern: false }],
        'call-people',
        'send-first-update',
        'look-for-change',
        ...attempt(0, { ...failed, updateDue: true }),
        ['mitigate@0::send-update', { updateDue: false }],
        ...[1, 2, 3, 4, 5, 6, 7].flatMap((index) => attempt(index, failed)),
        ['escalate', { recovered: false, dataDamaged: false }],
        'find-contributing-causes',
        'write-report',
        'agree-follow-up',
        'close-incident',
      ],
    },
    {
      name: 'an incident that ends while it is handed over',
      steps: [
        ['declare', { ...unmitigated, severity: 'sev2', securityConcern: false }],
        'call-people',
        'send-first-update',
        'look-for-change',
        ...[0, 1, 2, 3, 4, 5, 6, 7].flatMap((index) => attempt(index, failed)),
        ['escalate', { recovered: true, dataDamaged: false }],
        'send-resolution',
        'find-contributing-causes',
        'write-report',
        'agree-follow-up',
        'close-incident',
      ],
    },
  ],
  samples: {
    declare: {
      good: labels({
        'Declared at': '14:05 UTC',
        'Started at': '13:52 UTC',
        'Users see': 'logging in fails for about a third (estimate)',
        'Measured by': 'successful logins per minute: 40 now, 65 normally',
        Severity: 'sev1, because a main function fails for many',
        Lead: 'the duty engineer',
        Communication: 'support lead',
        'Timeline at': 'incident channel',
      }),
      bad: 'There seem to be some login errors in the logs. I will look into the cause before raising an alarm.',
    },
    'call-people': {
      good: labels({
        Called: '14:07 identity on call, pager, answered',
        'Still needed': 'nobody',
        Roles: 'lead: duty engineer; acts: identity; communicates: support lead; writes: agent',
      }),
      bad: 'I posted a message in the team channel.',
    },
    'involve-security': {
      good: labels({
        Suspicion: 'logins from one network; no successful ones',
        Involved: 'security on call since 14:10',
        'May do': 'block the network',
        'Must not do': 'restart the identity server',
        Deadlines: 'none known',
      }),
      bad: 'I blocked the addresses and rotated the keys.',
    },
    'send-first-update': {
      good: labels({
        Message:
          'Since 13:52 UTC some of you cannot log in. Who is logged in can go on working. We are working on it.',
        'Sent to': 'status page 14:15 UTC',
        'Next update at': '14:45 UTC',
        Inside: 'support, the same',
      }),
      bad: 'We are aware of an issue and will fix it soon.',
    },
    'look-for-change': {
      good: labels({
        Changes: '13:50 flag "new-session" to 30 % by identity, undone by the flag',
        'In common': 'all affected have the flag',
        Saved: 'logs of the identity server, heap dump',
        Suspects: 'the flag (unproven)',
      }),
      bad: 'The new session code probably has a bug in its token handling.',
    },
    'choose-mitigation': {
      good: labels({
        Action: 'flag new-session to 0 %',
        Expected: 'logins back to 65 per minute within 5 minutes',
        Undo: 'flag to 30 %',
        'Could make worse': 'sessions lost, seen as logins above 100',
        Rejected: 'restart: loses traces',
      }),
      bad: 'Let us restart everything and see.',
    },
    act: {
      good: labels({
        At: '14:20 UTC',
        Did: 'flagctl set new-session 0, "ok"',
        'Announced in': 'incident channel',
        'Differs from plan': 'no',
      }),
      bad: 'I switched the flag and also scaled up the servers.',
    },
    'measure-effect': {
      good: labels({
        'Measured at': '14:26 UTC',
        Value: '64 now, 40 before, 65 normally',
        'As expected': 'yes',
        Undone: 'no, it stays off',
        Learned: 'the flag is involved',
      }),
      bad: 'CPU is down, so it worked.',
    },
    'send-update': {
      good: labels({
        Message: 'Nothing has changed for you yet; we are still working on it.',
        'Sent to': 'status page 14:45 UTC',
        'Next update at': '15:15 UTC',
      }),
      bad: 'There is nothing new to tell.',
    },
    'confirm-recovery': {
      good: labels({
        Watched: '14:26 to 15:00 UTC, 63 to 66',
        'As a user': 'logged in twice',
        'Left behind': '120 mails in the queue',
        Data: 'intact, by the count of sessions',
        Provisional: 'flag off, identity team, Friday',
      }),
      bad: 'The graphs look normal again, so the incident is over.',
    },
    escalate: {
      good: labels({
        State: '40 per minute',
        Tried: '14:20 flag off: nothing, undone',
        Believed: 'the database',
        Known: 'only logins',
        'Handed to': 'the vendor, accepted 16:02 UTC',
        Decision: 'fail over, by the head of operations',
      }),
      bad: 'I could not fix it and need help.',
    },
    'repair-data': {
      good: labels({
        Damaged: 'select count(*) where owner is null: 14',
        'Source of truth': 'the audit log',
        Backup: 'snapshot 15:10, restored into scratch',
        Trial: '2 records in a transaction',
        Repaired: '14',
        'Still damaged': '0',
      }),
      bad: 'I ran an update statement that fixed the rows.',
    },
    'send-resolution': {
      good: labels({
        Message:
          'From 13:52 to 14:24 UTC some of you could not log in. It works again, as our measurements show. You need not do anything.',
        'Sent to': 'status page 15:05 UTC',
        'Ended at': '14:24 UTC',
        'Support told': 'yes',
      }),
      bad: 'The issue has been resolved.',
    },
    'find-contributing-causes': {
      good: labels({
        Mechanism: 'unproven: the flag doubles the calls to the store; test planned',
        'Began because': 'the flag went to 30 % (13:50)',
        'Grew because': 'clients retry',
        'Noticed late because': 'no alert on logins',
        'Lasted because': 'nobody on call may switch flags',
        'Went well': 'saved logs',
        Lucky: 'low traffic',
      }),
      bad: 'The root cause was human error by the engineer who switched the flag.',
    },
    'write-report': {
      good: labels({
        Summary:
          'A flag doubled the calls to the session store. A third of the logins failed for half an hour. Switching the flag off ended it.',
        Impact:
          'about 800 people could not log in for 32 minutes, by the count of failed logins; no data was lost',
        Timeline:
          '13:50 UTC flag to 30 %. 13:52 first failures. 14:05 declared. 14:07 people called. 14:15 first message. 14:20 flag off. 14:24 normal.',
        Times: 'to notice 13 minutes, to declare 13, to first message 23, to mitigate 32',
        'How it could happen': 'there is no alert on logins, and a flag has no stages',
        'What helped, what hindered': 'saved logs helped; missing rights hindered',
        'Open questions': 'none',
      }),
      bad: 'Summary: there was an incident with logins that was resolved quickly by the team. '.repeat(8),
    },
    'agree-follow-up': {
      good: json({ actions: [action] }),
      bad: [
        json({
          actions: [{ action: 'Be more careful with flags', effect: 'prevent', owner: '', due: 'soon' }],
        }),
        json({ actions: [] }),
      ],
    },
    'close-incident': {
      good: labels({
        State: 'resolved',
        'Users told': '15:05 UTC',
        'Recorded at': 'PLAT-311',
        'Alerts and access': 'restored',
        'Kept at': 'incident archive',
      }),
      bad: 'The incident is closed.',
    },
  },
};
