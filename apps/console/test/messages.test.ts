import { expect, test } from 'vitest';
import {
  answeredBy,
  answerOrigin,
  answerText,
  checkpointMessages,
  effectSentences,
  outcomeText,
  valueOrigin,
} from '../src/messages/checkpoints.ts';
import { commonMessages, shellMessages, healthMessages } from '../src/messages/common.ts';
import { editorMessages, workflowMessages } from '../src/messages/workflows.ts';
import { insightMessages } from '../src/messages/insights.ts';
import { sessionMessages } from '../src/messages/sessions.ts';

/** Returns messages with each function replaced by its result. Its arguments are 2 for counts, and else their names. */
function withSamples(messages: unknown): unknown {
  if (typeof messages === 'function') {
    const names = /^\(?([^)=]*)\)?\s*=>/.exec(String(messages))?.[1] ?? '';
    const samples = names.split(',').map((name) => sampleOf(name.trim()));
    return (messages as (...values: readonly unknown[]) => string)(...samples);
  }
  if (typeof messages !== 'object' || messages === null || Array.isArray(messages)) return messages;
  return Object.fromEntries(Object.entries(messages).map(([name, value]) => [name, withSamples(value)]));
}

const numbers = new Set([
  'all',
  'calls',
  'characters',
  'count',
  'done',
  'event',
  'events',
  'files',
  'line',
  'milliseconds',
  'number',
  'readTokens',
  'refused',
  'seconds',
  'status',
  'tokens',
  'visits',
]);

function sampleOf(name: string): unknown {
  if (name === 'needsPerson') return true;
  if (name === 'approver') return 'human';
  if (name === 'names' || name.startsWith('{')) return { nameOf: String, reasonOf: String };
  return numbers.has(name) ? 2 : `<${name}>`;
}

test.each([
  ['shell', shellMessages],
  ['common', commonMessages],
  ['checkpoints', checkpointMessages],
  ['sessions', sessionMessages],
  ['workflows', workflowMessages],
  ['editor', editorMessages],
  ['health', healthMessages],
  ['insights', insightMessages],
])('the messages about %s', (_, messages) => {
  expect(withSamples(messages)).toMatchSnapshot();
});

test('the messages about answers', () => {
  expect({
    answers: [
      answerText({ kind: 'option', option: 'go' }),
      answerText({ kind: 'auto-advance', option: 'go' }),
      answerText({ kind: 'dismissed' }),
    ],
    people: [
      answeredBy({ person: 'ann', by: 'human' }),
      answeredBy({ by: 'human' }),
      answeredBy({ by: 'agent' }),
    ],
    origins: [
      answerOrigin({ channel: 'console', assurance: 'account', principal: 'team', credential: 'key-1' }),
      answerOrigin({ channel: 'elicitation', assurance: 'client' }),
      answerOrigin({ channel: 'elicitation', assurance: 'client', principal: 'local' }),
      answerOrigin({ channel: 'tool', assurance: 'agent' }),
      answerOrigin({ channel: 'library', assurance: 'account' }),
      answerOrigin({ channel: 'autonomy', assurance: 'agent', principal: 'local' }),
    ],
    paths: (['asks', 'may-ask', 'end', 'open'] as const).map((stop) => {
      const next = ['Make it', 'Release'].map((name) => ({ id: name, name }));
      return outcomeText(
        { option: 'go', next, path: { activities: next, stop, checkpoint: 'Publish?' } },
        [],
      );
    }),
    outcome: outcomeText({ option: 'go', next: [{ id: 'make', name: 'Make it' }], canEnd: true }, ['Test']),
    effects: effectSentences({
      setVariable: { approved: true },
      transitionTo: 'release',
      skipActivities: ['test'],
    }),
    values: [
      valueOrigin({ by: 'agent' }),
      valueOrigin({ by: 'checkpoint', checkpoint: 'approve', person: 'ann' }),
      valueOrigin({ by: 'action' }),
      valueOrigin({ by: 'mode' }),
      valueOrigin({ by: 'default' }),
      valueOrigin({ by: 'trigger' }),
      valueOrigin({ by: 'unknown' }),
    ],
  }).toMatchSnapshot();
});
