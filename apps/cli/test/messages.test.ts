import { expect, test } from 'vitest';
import * as authoring from '../src/messages/authoring.ts';
import * as checks from '../src/messages/checks.ts';
import * as clients from '../src/messages/clients.ts';
import * as common from '../src/messages/common.ts';
import * as definitions from '../src/messages/definitions.ts';
import * as hookReplies from '../src/messages/hook-replies.ts';
import * as server from '../src/messages/server.ts';
import * as sessions from '../src/messages/sessions.ts';

const topics = {
  ...authoring,
  ...checks,
  ...clients,
  ...common,
  ...definitions,
  ...hookReplies,
  ...server,
  ...sessions,
};

/** Values of the parameters that are not texts. */
const samples: Readonly<Record<string, unknown>> = {
  count: 2,
  names: ['first', 'second'],
  paths: ['first', 'second'],
  allows: ['edit', 'shell'],
  lines: ['first', 'second'],
  reasons: ['first', 'second'],
  bytes: 123_456_789,
  more: 2,
  problems: 2,
  fixable: 2,
  events: 2,
  run: 2,
};

type Message = (...values: readonly unknown[]) => string | object;

/** Returns values for the parameters of a message: the name in angle brackets, or a sample. */
function valuesFor(message: Message): readonly unknown[] {
  const [, parameters = ''] = /^\(?([^)=]*)\)?\s*=>/.exec(String(message)) ?? [];
  const names = parameters.split(',').map((one) => one.trim());
  return names.filter((one) => one !== '').map((one) => samples[one] ?? `<${one}>`);
}

function textOf(message: Message, values: readonly unknown[]): string {
  const shown = message(...values);
  return typeof shown === 'object' ? Object.values(shown).join('. ') : shown;
}

/** Returns what a message says for no value, an empty list, and small numbers, if that is another sentence. */
function otherTexts(message: Message): readonly string[] {
  const values = valuesFor(message);
  const usual = textOf(message, values);
  const found = values.flatMap((value, at) =>
    (typeof value === 'number' ? [0, 1] : Array.isArray(value) ? [[], ['only']] : [undefined]).flatMap(
      (other) => {
        try {
          return textOf(message, values.with(at, other));
        } catch {
          // The message needs this value.
          return [];
        }
      },
    ),
  );
  const form = (text: string): string => text.replaceAll(/\d+|first, second|only/g, '');
  return [...new Set(found)].filter((text) => form(text) !== form(usual) && !text.includes('undefined'));
}

const all = Object.entries(topics).map(
  ([name, topic]) => [name, Object.entries(topic as Readonly<Record<string, Message | string>>)] as const,
);

test.each(all)('%s', (_, messages) => {
  const texts = messages.map(([name, one]) => [
    name,
    typeof one === 'string' ? one : textOf(one, valuesFor(one)),
  ]);
  expect(Object.fromEntries(texts)).toMatchSnapshot();
});

test('Messages for no value, an empty list and small numbers', () => {
  const texts = all.flatMap(([topic, messages]) =>
    messages.flatMap(([name, one]) =>
      (typeof one === 'string' ? [] : otherTexts(one)).map((text) => `${topic}.${name}: ${text}`),
    ),
  );
  expect(texts.join('\n')).toMatchSnapshot();
});
