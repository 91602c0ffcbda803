import { describe, expect, test } from 'vitest';
import type { Field, Json } from '@workflowlookup/schema';
import Ajv from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { judgeFields, readFields, schemaOfFields } from '../src/index.ts';

const bug: readonly Field[] = [
  { id: 'observed', description: 'What was seen, word for word', min_length: 20 },
  {
    id: 'hypotheses',
    type: 'list',
    items: { id: 'text', mechanism: 'text', experiment: 'text' },
    min_items: 2,
  },
  { id: 'rootCause', required: false },
  { id: 'severity', type: 'choice', options: ['low', 'very high'] },
  { id: 'runs', type: 'number', min: 1 },
  { id: 'fixed', type: 'boolean' },
];

const values = {
  observed: 'The second read returns a stale rate.',
  hypotheses: [
    { id: 'h1', mechanism: 'Age is renewed', experiment: 'Read twice' },
    { id: 'h2', mechanism: 'The key lacks the hour', experiment: 'Two hours' },
  ],
  severity: 'very high',
  runs: 3,
  fixed: true,
};

describe('the fields of an output', () => {
  test('can be an object in JSON, with or without a code fence', () => {
    expect(readFields(bug, JSON.stringify(values)).values).toEqual(values);
    expect(readFields(bug, `\`\`\`json\n${JSON.stringify(values, null, 2)}\n\`\`\``).values).toEqual(values);
  });

  const texts: readonly (readonly [string, string])[] = [
    [
      'labels at the start of a line',
      `Some words first.
Observed: The second read returns a stale rate.
Hypotheses:
- id: h1; mechanism: Age is renewed; experiment: Read twice
- id: h2; mechanism: The key lacks the hour; experiment: Two hours
Severity: Very high.
Runs: 3
Fixed: yes`,
    ],
    [
      'bold labels in another order',
      `**Fixed:** yes
**Runs**: 3
- **Severity:** \`very high\`
**Hypotheses:**
1. **id:** h1
   **mechanism:** Age is renewed
   **experiment:** Read twice
2. **id:** h2
   **mechanism:** The key lacks the hour
   **experiment:** Two hours
**Observed:** The second read returns a stale rate.`,
    ],
    [
      'Markdown headings',
      `# Report

## Observed

The second read returns a stale rate.

## Hypotheses

| id | mechanism | experiment |
| -- | --- | --- |
| h1 | Age is renewed | Read twice |
| h2 | The key lacks the hour | Two hours |

## Severity
very high

## Runs
3

## Fixed
true

## Notes
Nothing else.`,
    ],
  ];

  test.each(texts)('are read correctly from %s', (_name, text) => {
    expect(readFields(bug, text).values).toEqual(values);
    expect(judgeFields(bug, text).issues).toEqual([]);
  });

  test('can have labels that differ from the id only in case and separators', () => {
    expect(readFields(bug, 'Root cause: a read renews the age').values).toEqual({
      rootCause: 'a read renews the age',
    });
    expect(readFields(bug, '## root_cause\na read').values).toEqual({ rootCause: 'a read' });
  });

  test('are not read from labels in code', () => {
    const text = 'Observed: this\n```\nSeverity: low\n```';
    expect(readFields(bug, text).values).toEqual({ observed: 'this\n```\nSeverity: low\n```' });
  });

  test('are the text without labels if the step has only one field', () => {
    expect(readFields([{ id: 'summary' }], ' All done. ').values).toEqual({ summary: 'All done.' });
    expect(readFields([{ id: 'runs', type: 'number' }], '3').values).toEqual({});
  });

  test('can be lists of texts', () => {
    const fields: readonly Field[] = [{ id: 'files', type: 'list' }];
    expect(readFields(fields, 'Files:\n- a.ts\n- b.ts\n  with a note').values).toEqual({
      files: ['a.ts', 'b.ts\nwith a note'],
    });
    expect(readFields(fields, 'Files: none').values).toEqual({ files: [] });
    expect(readFields(fields, 'Files: ["a.ts"]').values).toEqual({ files: ['a.ts'] });
    expect(readFields(fields, 'Files:\na.ts\nb.ts').values).toEqual({ files: ['a.ts', 'b.ts'] });
  });
});

describe('the check of fields', () => {
  const named = (output: unknown): readonly string[] =>
    judgeFields(bug, typeof output === 'string' ? output : JSON.stringify(output)).issues.flatMap(
      (issue) => /^Field "(.+?)"/.exec(issue)?.[1] ?? [],
    );

  test('names a missing, short or wrong field', () => {
    expect(named({ ...values, observed: undefined })).toEqual(['observed']);
    expect(named({ ...values, observed: 'short' })).toEqual(['observed']);
    expect(named({ ...values, observed: `short${' '.repeat(40)}` })).toEqual(['observed']);
    expect(named({ ...values, severity: 'medium' })).toEqual(['severity']);
    expect(named({ ...values, runs: 0 })).toEqual(['runs']);
    expect(named({ ...values, fixed: 'maybe' })).toEqual(['fixed']);
    expect(named({ ...values, hypotheses: [values.hypotheses[0]] })).toEqual(['hypotheses']);
    expect(named({ ...values, hypotheses: [{ id: 'h1', mechanism: 'm' }, values.hypotheses[1]] })).toEqual([
      'hypotheses[0].experiment',
    ]);
    expect(named('Nothing of it.')).toEqual(['observed', 'hypotheses', 'severity', 'runs', 'fixed']);
  });

  test('returns only valid fields', () => {
    const { valid } = judgeFields(bug, JSON.stringify({ ...values, runs: 0, hypotheses: [{}] }));
    expect(Object.keys(valid)).toEqual(['observed', 'severity', 'fixed']);
  });

  test('cannot be used to change a prototype', () => {
    const { valid, issues } = judgeFields([{ id: 'constructor' }, { id: 'toString' }], '{}');
    expect(valid).toEqual({});
    expect(issues).toHaveLength(3);
  });

  test('agrees with the JSON Schema, except for blank texts', () => {
    const accepts = new Ajv.default({ strict: false }).compile(schemaOfFields(bug));
    const text = fc.constantFrom<Json>(
      'short',
      'a text that is long enough',
      '😀'.repeat(19),
      '😀'.repeat(20),
    );
    const some = fc.record(
      {
        observed: fc.oneof(text, fc.constant<Json>(3)),
        hypotheses: fc.oneof(
          fc.array(fc.record({ id: text, mechanism: text, experiment: text }, { requiredKeys: ['id'] }), {
            maxLength: 3,
          }),
          text,
        ),
        rootCause: fc.oneof(text, fc.constant<Json>(3)),
        severity: fc.constantFrom<Json>('low', 'high', 1),
        runs: fc.constantFrom<Json>(0, 1, 2.5, '1'),
        fixed: fc.constantFrom<Json>(true, false, 'yes'),
      },
      { requiredKeys: [] },
    );
    const whole = fc.record({
      observed: fc.constant(values.observed),
      hypotheses: fc.constant(values.hypotheses),
    });
    fc.assert(
      fc.property(some, fc.option(whole), (part, base) => {
        const output = { ...base, ...(base === null ? {} : values), ...part };
        expect(judgeFields(bug, JSON.stringify(output)).issues.length === 0).toBe(accepts(output));
      }),
    );
  });

  test.each([
    ['a broken object', '{"observed": [', true],
    ['a broken object in a fence', '```json\n{"observed": }\n```', true],
    ['a text', 'I looked at it.', false],
    ['another object', '{"seen": 1}', false],
  ])('reports %s as broken JSON or not', (_, output, isBroken) => {
    const { issues } = judgeFields(bug, output);
    const syntaxIssues = issues.filter((issue) => /\bnot valid JSON\b/.test(issue));
    expect(syntaxIssues.length === 1).toBe(isBroken);
  });

  test('reads a long hostile text in linear time', () => {
    const started = performance.now();
    for (const part of ['- **', 'Observed: ', '.', '| ', '`', '[', '```\n', ' \t', ';id '])
      judgeFields(bug, part.repeat(Math.floor(1_000_000 / part.length)));
    expect(performance.now() - started).toBeLessThan(8000);
  });
});
