import { expect, test } from 'vitest';
import type { EventsPage, SessionDetail } from '../../src/contract/index.ts';
import { answerOrigin, checkpointMessages } from '../../src/messages/checkpoints.ts';
import { sessionMessages } from '../../src/messages/sessions.ts';
import { sessionNames } from '../../src/sessions/session-names.ts';
import { timelineEntries } from '../../src/sessions/timeline-entries.ts';

const { events: messages } = sessionMessages;

type Row = EventsPage['events'][number];
type Refusal = SessionDetail['history']['refusals'][number];

const names = sessionNames({
  name: 'Ship a change',
  activities: [
    {
      id: 'plan',
      name: 'Plan it',
      steps: [{ id: 'write', name: 'Write it' }],
      loops: [],
      checkpoints: [checkpoint()],
    },
    { id: 'build', name: 'Build it', steps: [], loops: [], checkpoints: [] },
  ],
} as unknown as SessionDetail['outline']);

function checkpoint(): object {
  return { id: 'approve', name: 'Approve the plan', options: [{ id: 'go', label: 'Go on' }] };
}

const minute = (at: number): string => new Date(Date.UTC(2026, 0, 1, 12, at)).toISOString();

const events = [
  [
    0,
    {
      type: 'session-started',
      workflowId: 'shop',
      version: '1.0.0',
      enforcement: 'strict',
      variables: {},
      assigned: [],
    },
  ],
  [
    1,
    { type: 'activity-entered', activity: 'plan', condition: '', manifest: [], variables: {}, warnings: [] },
  ],
  [4, { type: 'checkpoint-yielded', activity: 'plan', checkpoint: 'approve' }],
  [
    14,
    {
      type: 'checkpoint-answered',
      activity: 'plan',
      checkpoint: 'approve',
      answer: { kind: 'option', option: 'go' },
      by: 'human',
      variables: {},
    },
  ],
  [
    16,
    {
      type: 'activity-entered',
      from: 'plan',
      activity: 'build',
      condition: '',
      manifest: [{ step_id: 'write', output: 'A plan.' }],
      variables: {},
      warnings: [],
    },
  ],
  [20, { type: 'session-parked', by: 'agent', reason: 'later' }],
  [50, { type: 'session-resumed', by: 'human' }],
  [
    53,
    { type: 'session-completed', from: 'build', condition: '', manifest: [], variables: {}, warnings: [] },
  ],
].map(([at, event], index) => ({ revision: index + 1, at: minute(at as number), event })) as unknown as Row[];

const refused = (rev: number, at: number, more: Partial<Refusal> = {}): Refusal => ({
  traceId: 's',
  spanId: `call-${at}`,
  name: 'move',
  ts: minute(at),
  ms: 1,
  s: 'error',
  wf: 'shop',
  act: 'plan',
  aid: 'claude',
  err: 'INVALID_MANIFEST: The output is not accepted.',
  rev,
  ...more,
});

test('Activities, waits and pauses are measured, and no time is counted twice', () => {
  const { entries, sums } = timelineEntries(events, [], names);
  expect(entries.map(({ span }) => span)).toEqual([
    undefined,
    undefined,
    undefined,
    'waited 10 min',
    '5 min of work',
    undefined,
    'parked for 30 min',
    '7 min of work',
  ]);
  expect(sums).toEqual({
    beforeMs: 60_000,
    workedMs: 12 * 60_000,
    waitedMs: 10 * 60_000,
    parkedMs: 30 * 60_000,
  });
});

test('Entries have the names that the author of the workflow gave', () => {
  const { entries } = timelineEntries(events, [], names);
  expect(entries.slice(1, 5).map(({ title }) => title)).toEqual([
    'Entered Plan it',
    'Reached checkpoint Approve the plan',
    'Approve the plan: Go on',
    'Plan it → Build it',
  ]);
  expect(entries[4]?.outputs).toEqual([{ step: 'Write it', output: 'A plan.' }]);
});

test('An answer says when the agent received it, or that it has not yet', () => {
  const answered = { at: minute(14), receivedAt: minute(15), by: 'human' };
  const wait = { answered } as unknown as SessionDetail['history']['checkpoints'][number];
  const at = (rows: readonly Row[], waits: readonly (typeof wait)[]): string | undefined =>
    timelineEntries(rows, [], names, { checkpoints: waits }).entries[3]?.lines.at(-1);
  expect(at(events, [wait])).toBe(sessionMessages.events.received('1 min'));
  expect(at(events.slice(0, 4), [])).toBe(checkpointMessages.answer.notReceived);
  expect(at(events, [])).toBe(sessionMessages.events.answeredBy('a person'));
});

test('A refused call comes after the event on which it was made, with the refused output and the unmet criteria', () => {
  const rj = [{ step: 'write', issues: ['Say more.'], output: 'No.' }];
  const { entries } = timelineEntries(events, [refused(2, 2, { rj }), refused(2, 3), refused(4, 15)], names);
  expect(entries.map(({ key }) => key)).toEqual([
    '1',
    '2',
    'call-2',
    'call-3',
    '3',
    '4',
    'call-15',
    '5',
    '6',
    '7',
    '8',
  ]);
  const [first, second] = entries.filter(({ kind }) => kind === 'refused');
  expect(first).toMatchObject({
    outputs: [{ step: 'Write it', output: 'No.', issues: ['Say more.'] }],
    to: 'plan',
  });
  expect(second).toMatchObject({ outputs: [], answer: 'The output is not accepted.' });
});

test('A refused call of a later page is shown with that page', () => {
  const { entries } = timelineEntries(events.slice(0, 3), [refused(2, 2), refused(6, 21)], names);
  expect(entries.map(({ key }) => key)).toEqual(['1', '2', 'call-2', '3']);
});

test('An answer says how it reached the server, so that a claim of a client is recognizable', () => {
  const origin = { channel: 'elicitation', principal: 'local', assurance: 'client' } as const;
  const given = events.map((row) => ({ ...row, event: { ...row.event, origin } })) as Row[];
  const answered = timelineEntries(given, [], names).entries.find(
    ({ kind, tone }) => `${kind} ${tone}` === 'checkpoint planned',
  );
  expect(answered?.lines).toContain(`${answerOrigin(origin)}.`);
});

test('An id in a loop has the name of its step and its iteration', () => {
  expect(names.activity('each@1::write')).toBe('Write it (each 2)');
  expect(names.activity('unknown')).toBe('unknown');
});

test('The end has the outcome of the workflow, and looks like a success only if it is one', () => {
  const end = (ended?: SessionDetail['row']['ended']) =>
    timelineEntries(events, [], names, ended === undefined ? {} : { ended }).entries.at(-1);
  expect(end()).toMatchObject({ tone: 'planned', title: messages.ended(undefined) });
  expect(end({ name: 'released', result: 'success' })).toMatchObject({
    tone: 'done',
    title: messages.ended('released'),
    lines: [messages.inActivity('Build it')],
  });
  expect(end({ name: 'given up', result: 'stopped' })).toMatchObject({ tone: 'skipped' });
  expect(end({ name: 'broken', result: 'failure' })).toMatchObject({ tone: 'refused' });
});

test('The start has the name of the workflow', () => {
  const [start] = timelineEntries(events, [], names).entries;
  expect(start?.title).toBe(messages.started('Ship a change', '1.0.0'));
});

test('No work is counted before the first activity was left', () => {
  expect(timelineEntries(events.slice(0, 3), [], names).sums.workedMs).toBeUndefined();
});

test('Times have milliseconds only beside another entry of the same second', () => {
  const [first, second, third] = events;
  const at = (row: Row | undefined, ms: number): Row => ({
    ...(row as Row),
    at: new Date(Date.UTC(2026, 0, 1, 12, 0, 0, ms)).toISOString(),
  });
  const rows = [at(first, 10), at(second, 990), at(third, 1010)];
  const { entries } = timelineEntries(rows, [refused(3, 16)], names);
  expect(entries.map(({ sharesSecond }) => sharesSecond)).toEqual([true, true, false, false]);
});
