import { expect, test } from 'vitest';
import { definition, loop, read, step } from '../support/definitions.ts';
import { messages } from '../../src/messages/workflow.ts';

const issuesOf = async (...steps: readonly unknown[]) =>
  (await read(definition({ steps }))).issues.map(({ pointer, message }) => `${pointer} ${message}`);

test('An id that is used twice is refused, even across loops and their bodies', async () => {
  expect(await issuesOf(step('same'), loop('outer', [step('same'), loop('inner', [step('outer')])]))).toEqual(
    [
      `/steps/1/body/0/id ${messages.duplicateStepId('same', '/steps/0').message}`,
      `/steps/1/body/1/body/0/id ${messages.duplicateStepId('outer', '/steps/1').message}`,
    ],
  );
});

test('A loop may name a step before or after it as its body', async () => {
  expect(await issuesOf(step('before'), loop('one', 'before'), loop('two', 'after'), step('after'))).toEqual(
    [],
  );
  expect(await issuesOf(loop('outer', [loop('inner', 'work'), step('work')]))).toEqual([]);
});

test('A loop that names a step of another list as its body is refused', async () => {
  expect(await issuesOf(loop('again', 'nobody'), step('work'))).toEqual([
    `/steps/0/body ${messages.unknownBody('again', 'nobody', undefined).message}`,
  ]);
  expect(await issuesOf(loop('outer', [loop('inner', 'work')]), step('work'))).toEqual([
    `/steps/0/body/0/body ${messages.unknownBody('inner', 'work', undefined).message}`,
  ]);
});

test('A misspelled body gets a suggestion', async () => {
  const { issues } = await read(definition({ steps: [loop('again', 'worc'), step('work')] }));
  expect(issues[0]?.suggestion).toBe(messages.unknownBody('again', 'worc', 'work').suggestion);
});

test('A loop that names itself is refused', async () => {
  expect(await issuesOf(loop('again', 'again'))).toEqual([
    `/steps/0/body ${messages.bodyLeadsBack('again', ['again']).message}`,
  ]);
});

test('Loops that name each other in a circle are refused once', async () => {
  expect(
    await issuesOf(loop('one', 'two'), loop('two', 'six'), loop('six', 'one'), loop('out', 'one')),
  ).toEqual([`/steps/0/body ${messages.bodyLeadsBack('one', ['two', 'six', 'one']).message}`]);
  expect(await issuesOf(loop('out', 'one'), loop('one', 'two'), loop('two', 'one'))).toEqual([
    `/steps/1/body ${messages.bodyLeadsBack('one', ['two', 'one']).message}`,
  ]);
});

const chain = (length: number) => [
  ...Array.from({ length }, (_, at) => loop(`loop-${at}`, at === length - 1 ? 'work' : `loop-${at + 1}`)),
  step('work'),
];

test('More than 64 loops that are nested by name are refused', async () => {
  expect(await issuesOf(...chain(64))).toEqual([]);
  expect(await issuesOf(...chain(65))).toEqual([
    `/steps/0/body ${messages.tooManyNamedBodies('loop-0').message}`,
  ]);
});
