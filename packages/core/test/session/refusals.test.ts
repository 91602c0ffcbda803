import { expect, test } from 'vitest';
import type { AnswerMode, Refusal } from '../../src/session/command.ts';
import type { Walk, DryRunOptions } from '../support/sessions.ts';
import { graph, refusalOf, walk } from '../support/sessions.ts';
import { messages, transitionTexts } from '../../src/messages/sessions.ts';

const first = transitionTexts.to('one', transitionTexts.initial());
const byAnswer = transitionTexts.to('two', transitionTexts.answered());
const notRipe = messages.conditionFalse('two', ['ripe == true', 'ripe == 2']);
const possible = 'two (ripe == true), two (ripe == 2), three (default)';
const noTransitionToFour = messages.noTransition('four', 'one', possible);

// The exact messages to a caller, because agents act on them.

const options = [
  { id: 'yes', label: 'Yes' },
  { id: 'no', label: 'No' },
];
const checkpointOf = (id: string, more: object = {}) => ({ id, name: id, message: 'Go?', options, ...more });
const timed = { defaultOption: 'no', autoAdvanceMs: 2000 };

const mill = graph([
  {
    id: 'one',
    checkpoints: [
      checkpointOf('ask', {
        options: [...options, { id: 'leap', label: 'Leap', effect: { transitionTo: 'two' } }],
      }),
      checkpointOf('drift', timed),
      checkpointOf('ripe', { condition: 'ripe == true' }),
      checkpointOf('stubborn', { ...timed, blocking: true }),
      checkpointOf('timeless', { defaultOption: 'no' }),
      checkpointOf('aimless', { autoAdvanceMs: 1 }),
    ],
    transitions: [
      { to: 'two', condition: 'ripe == true' },
      { to: 'two', condition: 'ripe == 2' },
      { to: 'three', isDefault: true },
    ],
  },
  { id: 'two' },
  { id: 'three' },
  { id: 'four' },
]);

function at(more: DryRunOptions = {}): Walk {
  const session = walk(mill, { enforcement: 'strict', ...more });
  session.move();
  return session;
}

function waiting(checkpoint: string, more: DryRunOptions = {}): Walk {
  const session = at(more);
  session.yield(checkpoint);
  return session;
}

function answered(): Walk {
  const session = waiting('ask');
  session.choose('no');
  return session;
}

const answer = (mode: AnswerMode) => ({ kind: 'answer', mode, by: 'agent' }) as const;
const pick = (option: string) => answer({ kind: 'option', option });
const auto = answer({ kind: 'auto-advance' });
const dismissal = answer({ kind: 'condition-not-met' });

test.each<[string, () => Walk, Parameters<Walk['do']>[0], Omit<Refusal, 'ok'>]>([
  [
    'a checkpoint before any activity',
    () => walk(mill),
    { kind: 'yield', checkpointId: 'ask' },
    {
      code: 'INVALID_STATE',
      message: messages.noCheckpointToYield(),
      data: {},
    },
  ],
  [
    'a checkpoint of another name',
    at,
    { kind: 'yield', checkpointId: 'bell' },
    {
      code: 'CHECKPOINT_NOT_FOUND',
      message: messages.checkpointNotFound('one', 'bell', [
        'ask',
        'drift',
        'ripe',
        'stubborn',
        'timeless',
        'aimless',
      ]),
      data: { checkpoint_id: 'bell' },
    },
  ],
  [
    'a checkpoint of an activity that has none',
    () => {
      const session = at();
      session.move();
      return session;
    },
    { kind: 'yield', checkpointId: 'ask' },
    {
      code: 'CHECKPOINT_NOT_FOUND',
      message: messages.checkpointNotFound('three', 'ask', []),
      data: { checkpoint_id: 'ask' },
    },
  ],
  [
    'an answer to a checkpoint that was never yielded',
    at,
    pick('yes'),
    { code: 'INVALID_STATE', message: messages.noCheckpointOpen(undefined), data: {} },
  ],
  [
    'a second answer',
    answered,
    pick('yes'),
    {
      code: 'INVALID_STATE',
      message: messages.noCheckpointOpen('ask'),
      data: {},
    },
  ],
  [
    'an option that is not offered',
    () => waiting('drift'),
    pick('maybe'),
    {
      code: 'INVALID_STATE',
      message: messages.optionNotFound('drift', 'maybe', ['yes', 'no']),
      data: { option_id: 'maybe' },
    },
  ],
  [
    'an answer before the minimum response time',
    () => waiting('ask', { minResponseMs: 1001 }),
    pick('yes'),
    {
      code: 'INVALID_STATE',
      message: messages.answerTooSoon(2),
      data: {},
    },
  ],
  [
    'an auto-advance before the timer has run',
    () => waiting('drift'),
    auto,
    { code: 'INVALID_STATE', message: messages.timerRunning('drift', 2000), data: {} },
  ],
  [
    'an auto-advance at a blocking checkpoint',
    () => waiting('stubborn'),
    auto,
    {
      code: 'INVALID_STATE',
      message: messages.blocking('stubborn', ['yes', 'no']),
      data: {},
    },
  ],
  ...['timeless', 'aimless'].map((id): [string, () => Walk, typeof auto, Omit<Refusal, 'ok'>] => [
    `a timer of a checkpoint that is ${id}`,
    () => waiting(id),
    auto,
    {
      code: 'INVALID_STATE',
      message: messages.noTimer(id, ['yes', 'no']),
      data: {},
    },
  ]),
  [
    'the dismissal of a checkpoint without a condition',
    () => waiting('ask'),
    dismissal,
    {
      code: 'INVALID_STATE',
      message: messages.noCondition('ask', ['yes', 'no', 'leap']),
      data: {},
    },
  ],
  [
    'the dismissal of a checkpoint whose condition is true',
    () => waiting('ripe', { variables: { ripe: true } }),
    dismissal,
    {
      code: 'INVALID_STATE',
      message: messages.conditionMet('ripe', ['yes', 'no']),
      data: {},
    },
  ],
  [
    'an answer of an agent to a checkpoint for a person',
    () => waiting('ask', { gates: 'human' }),
    pick('yes'),
    {
      code: 'HUMAN_REQUIRED',
      message: messages.needsPerson('ask'),
      data: { checkpoint_id: 'ask', reason: 'agent' },
    },
  ],
  [
    'an unknown activity',
    at,
    { kind: 'move', activityId: 'orchid' },
    {
      code: 'ACTIVITY_NOT_FOUND',
      message: messages.activityNotFound(transitionTexts.notFound('orchid'), possible),
      data: { activity_id: 'orchid' },
    },
  ],
  [
    'an unknown activity at the last activity',
    () => {
      const session = at();
      session.move();
      return session;
    },
    { kind: 'move', activityId: 'orchid' },
    {
      code: 'ACTIVITY_NOT_FOUND',
      message: messages.activityNotFound(transitionTexts.notFound('orchid'), transitionTexts.nothing()),
      data: { activity_id: 'orchid' },
    },
  ],
  [
    'an activity without a transition to it',
    at,
    { kind: 'move', activityId: 'four' },
    {
      code: 'ILLEGAL_TRANSITION',
      message: `${noTransitionToFour} ${messages.legal('three (default)')}`,
      data: {
        problems: [noTransitionToFour],
        activities: ['three'],
      },
    },
  ],
  [
    'another first activity',
    () => walk(mill, { enforcement: 'strict' }),
    { kind: 'move', activityId: 'two' },
    {
      code: 'ILLEGAL_TRANSITION',
      message: `${messages.noTransition('two', undefined, first)} ${messages.legal(first)}`,
      data: {
        problems: [messages.noTransition('two', undefined, first)],
        activities: ['one'],
      },
    },
  ],
  [
    'transitions whose conditions are false',
    at,
    { kind: 'move', activityId: 'two' },
    {
      code: 'ILLEGAL_TRANSITION',
      message: `${notRipe} ${messages.legal('three (default)')}`,
      data: {
        problems: [notRipe],
        activities: ['three'],
      },
    },
  ],
  [
    'another activity than the answer leads to',
    () => {
      const session = waiting('ask');
      session.choose('leap');
      return session;
    },
    { kind: 'move', activityId: 'three' },
    {
      code: 'ILLEGAL_TRANSITION',
      message: `${messages.answerLeadsElsewhere(byAnswer, 'three')} ${messages.legal(byAnswer)}`,
      data: {
        problems: [messages.answerLeadsElsewhere(byAnswer, 'three')],
        activities: ['two'],
      },
    },
  ],
  [
    'the end at the start',
    () => walk(mill, { enforcement: 'strict' }),
    { kind: 'move', activityId: 'end' },
    {
      code: 'ILLEGAL_TRANSITION',
      message: `${messages.continuesInstead(undefined, first)} ${messages.legal(first)}`,
      data: {
        problems: [messages.continuesInstead(undefined, first)],
        activities: ['one'],
      },
    },
  ],
])('The exact message is returned for %s', (_, start, command, refusal) => {
  expect(refusalOf(start(), command)).toStrictEqual(refusal);
});
