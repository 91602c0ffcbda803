import { expect, test } from 'vitest';
import * as authoring from '../src/messages/authoring.ts';
import * as checks from '../src/messages/checks.ts';
import * as clients from '../src/messages/clients.ts';
import * as common from '../src/messages/common.ts';
import * as definitions from '../src/messages/definitions.ts';
import * as doctor from '../src/messages/doctor.ts';
import * as hookReplies from '../src/messages/hook-replies.ts';
import * as lintAndTest from '../src/messages/lint-and-test.ts';
import * as migration from '../src/messages/migration.ts';
import * as server from '../src/messages/server.ts';
import * as sessions from '../src/messages/sessions.ts';
import * as trust from '../src/messages/trust.ts';

const topics = {
  ...authoring,
  ...checks,
  ...clients,
  ...common,
  ...definitions,
  ...doctor,
  ...hookReplies,
  ...lintAndTest,
  ...migration,
  ...server,
  ...sessions,
  ...trust,
};

/** Values of the parameters that are not texts. */
const samples: Readonly<Record<string, unknown>> = {
  count: 2,
  names: ['first', 'second'],
  paths: ['first', 'second'],
  allows: ['edit', 'shell'],
  lines: ['first', 'second'],
  bytes: 123_456_789,
};

/** Returns the messages of a topic. Each parameter is replaced by its name in angle brackets, or by its sample. */
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
  const shown = (message as (...args: readonly unknown[]) => string | object)(...given);
  return typeof shown === 'object' ? Object.values(shown).join('. ') : shown;
}

test.each(Object.entries(topics))('%s', (_, topic) => {
  expect(texts(topic)).toMatchSnapshot();
});
