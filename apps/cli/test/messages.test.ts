import { expect, test } from 'vitest';
import { hookMessages } from '../src/hooks/hook/messages.ts';
import { messages } from '../src/messages.ts';

/** Values for the parameters that are not texts. */
const samples: Readonly<Record<string, unknown>> = {
  count: 2,
  names: ['first', 'second'],
  paths: ['first', 'second'],
  allows: ['edit', 'shell'],
  lines: ['first', 'second'],
};

/** Every message of a topic, with the names of its parameters in their place. */
function texts(topic: object): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(topic).map(([name, message]: [string, unknown]) => [name, textOf(message)]),
  );
}

function textOf(message: unknown): string {
  if (typeof message !== 'function') return String(message);
  const [, parameters = ''] = /^\(?([^)=]*)\)?\s*=>/.exec(String(message)) ?? [];
  const given = parameters
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '')
    .map((one) => samples[one] ?? `<${one}>`);
  return String((message as (...args: readonly unknown[]) => unknown)(...given));
}

test.each(Object.entries({ ...messages, 'what hooks say': hookMessages }))(
  'messages about %s',
  (_, topic) => {
    expect(texts(topic)).toMatchSnapshot();
  },
);
