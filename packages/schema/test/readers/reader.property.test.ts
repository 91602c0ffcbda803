import { createReader, digestOf, hiddenCharactersIn } from '@workflowlookup/schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { anyCharacter } from '../../../../test/support/fuzz.ts';

const read = createReader();
// A definition with a hidden character is not valid.
const text = (maxLength: number) =>
  fc
    .string({ minLength: 1, maxLength, unit: 'grapheme' })
    .filter((one) => hiddenCharactersIn(one).length === 0);
const notes = fc.dictionary(
  fc.string().map((key) => `x-${key}`),
  fc.jsonValue({ maxDepth: 3 }),
  { maxKeys: 3 },
);
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });

const promptStep = fc.record({
  title: text(20),
  prompt: text(200),
  guidance: optional(fc.array(text(40), { maxLength: 3 })),
  requireConfirmation: optional(fc.oneof(fc.boolean(), fc.constant({ var: 'a', equals: 1 }))),
  notes,
});

const loopStep = fc.record({
  title: text(20),
  loop: fc.constantFrom(
    { type: 'for', count: 3, maxIterations: 5 },
    { type: 'forEach', items: 'files', maxIterations: 9 },
    { type: 'while', condition: 'a == 1', maxIterations: 2 },
  ),
  body: fc.array(promptStep, { minLength: 1, maxLength: 3 }),
  notes,
});

/** Gives every step its own id, removes undefined fields, and moves the notes of a step into the step itself. */
const numbered = (steps: readonly object[], prefix: string): readonly object[] =>
  steps.map((step, at) => {
    const id = `${prefix}-${at}`;
    const { notes: beside, ...rest } = step as { notes: object; body?: readonly object[] };
    const body = rest.body === undefined ? {} : { type: 'loop', body: numbered(rest.body, id) };
    return JSON.parse(JSON.stringify({ ...beside, ...rest, id, ...body })) as object;
  });

const workflow = fc
  .record({
    name: text(60),
    description: text(200),
    version: fc.constantFrom('1.0.0', '0.1.2-beta.1'),
    metaGuidance: fc.uniqueArray(text(60), { maxLength: 3 }),
    steps: fc.array(fc.oneof(promptStep, loopStep), { minLength: 1, maxLength: 5 }),
    notes,
  })
  .map(({ steps, notes: beside, ...rest }) => ({
    ...beside,
    ...rest,
    id: 'a-flow',
    steps: numbered(steps, 'step'),
  }));

test('A valid workflow is read the same in any layout', async () => {
  await fc.assert(
    fc.asyncProperty(workflow, fc.constantFrom(0, 2, '\t'), async (value, indent) => {
      const reading = await read({ text: JSON.stringify(value, null, indent), format: 'json' });
      expect(reading.issues.filter(({ severity }) => severity === 'error')).toEqual([]);
      expect(reading.workflow?.digest).toBe(digestOf(value));
      const inYaml = await read({ text: JSON.stringify(value), format: 'yaml' });
      expect(inYaml.workflow?.digest ?? inYaml.issues).toBe(digestOf(value));
    }),
  );
});

const jsonish = fc.array(
  fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"id"',
    '"steps"',
    '\\',
    '/',
    '*',
    '\n',
    ' ',
    '1',
    '-',
    'e',
    '.',
    'true',
    'null',
    '\u0000',
  ),
  { maxLength: 40 },
);
const yamlish = fc.array(
  fc.constantFrom(
    '- ',
    '? ',
    ': ',
    'a',
    '&a ',
    '*a',
    '!t ',
    '|\n',
    '>\n',
    '\n',
    '  ',
    '\t',
    '{',
    '}',
    '[',
    ']',
    ',',
    '"',
    "'",
    '#',
    '%',
    '---',
    '...',
    '<<',
    '1',
    'id: a-flow\n',
  ),
  { maxLength: 40 },
);
const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 200 }),
  jsonish.map((parts) => parts.join('')),
  yamlish.map((parts) => parts.join('')),
  fc.json(),
);

test.each(['json', 'yaml'] as const)(
  'Any other text in %s is refused with a position in it',
  async (format) => {
    await fc.assert(
      fc.asyncProperty(anyText, async (any) => {
        const { issues, workflow: served } = await read({ text: any, format });
        expect(served).toBeUndefined();
        expect(issues.some(({ severity }) => severity === 'error')).toBe(true);
        const lineCount = any.split(/\r\n|\r|\n/).length;
        for (const { line, column } of issues) {
          expect(line).toBeGreaterThanOrEqual(1);
          expect(line).toBeLessThanOrEqual(lineCount);
          expect(column).toBeGreaterThanOrEqual(1);
        }
      }),
    );
  },
);

test('A text has a JSON syntax error exactly if JSON.parse refuses it', async () => {
  const parses = (any: string): boolean => {
    try {
      JSON.parse(any);
      return true;
    } catch (error) {
      return !(error instanceof SyntaxError);
    }
  };
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        jsonish.map((parts) => parts.join('')),
        fc.json(),
      ),
      async (any) => {
        const { issues } = await read({ text: any, format: 'json' });
        expect(issues.some(({ message }) => message.startsWith('JSON syntax error'))).toBe(!parses(any));
      },
    ),
  );
});

test('Any value can be checked as a definition without a crash', async () => {
  await fc.assert(
    fc.asyncProperty(workflow, fc.jsonValue(), fc.nat(), async (value, odd, at) => {
      const keys = Object.keys(value);
      const broken = { ...value, [keys[at % keys.length] ?? 'id']: odd, steps: [odd, ...value.steps] };
      const { issues } = await read({ text: JSON.stringify(broken), format: 'json' });
      for (const { message } of issues) expect(message).toMatch(/^\S.*\S$/s);
    }),
  );
});
