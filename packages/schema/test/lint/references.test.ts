import { expect, test } from 'vitest';
import { definition, loop, read, step } from '../support/definitions.ts';

const messages = async (...steps: readonly unknown[]) =>
  (await read(definition({ steps }))).issues.map(({ pointer, message }) => `${pointer} ${message}`);

test('An id that is used twice is refused, even across loops and their bodies', async () => {
  expect(await messages(step('same'), loop('outer', [step('same'), loop('inner', [step('outer')])]))).toEqual(
    [
      "/steps/1/body/0/id Duplicate step id 'same': /steps/0 has the same id",
      "/steps/1/body/1/body/0/id Duplicate step id 'outer': /steps/1 has the same id",
    ],
  );
});

test('A loop may name a step before or after it as its body', async () => {
  expect(await messages(step('before'), loop('one', 'before'), loop('two', 'after'), step('after'))).toEqual(
    [],
  );
  expect(await messages(loop('outer', [loop('inner', 'work'), step('work')]))).toEqual([]);
});

test('A loop that names a step of another list as its body is refused', async () => {
  expect(await messages(loop('again', 'nobody'), step('work'))).toEqual([
    "/steps/0/body Loop 'again' names step 'nobody' as its body, but there is no such step in the same list",
  ]);
  expect(await messages(loop('outer', [loop('inner', 'work')]), step('work'))).toEqual([
    "/steps/0/body/0/body Loop 'inner' names step 'work' as its body, but there is no such step in the same list",
  ]);
});

test('A misspelled body gets a suggestion', async () => {
  const { issues } = await read(definition({ steps: [loop('again', 'worc'), step('work')] }));
  expect(issues[0]?.suggestion).toBe("Did you mean 'work'?");
});

test('A loop that names itself is refused', async () => {
  expect(await messages(loop('again', 'again'))).toEqual([
    "/steps/0/body The body of loop 'again' leads back to the loop: 'again', 'again'",
  ]);
});

test('Loops that name each other in a circle are refused once', async () => {
  expect(
    await messages(loop('one', 'two'), loop('two', 'six'), loop('six', 'one'), loop('out', 'one')),
  ).toEqual(["/steps/0/body The body of loop 'one' leads back to the loop: 'one', 'two', 'six', 'one'"]);
  expect(await messages(loop('out', 'one'), loop('one', 'two'), loop('two', 'one'))).toEqual([
    "/steps/1/body The body of loop 'one' leads back to the loop: 'one', 'two', 'one'",
  ]);
});

const chain = (length: number) => [
  ...Array.from({ length }, (_, at) => loop(`loop-${at}`, at === length - 1 ? 'work' : `loop-${at + 1}`)),
  step('work'),
];

test('More than 64 loops that are nested by name are refused', async () => {
  expect(await messages(...chain(64))).toEqual([]);
  expect(await messages(...chain(65))).toEqual([
    "/steps/0/body Loop 'loop-0' nests more than 64 loops by naming them as bodies",
  ]);
});
