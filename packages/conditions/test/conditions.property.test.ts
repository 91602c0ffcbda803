import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Condition, Context } from '@workflowlookup/conditions';
import { evaluate, lookUp, parseCondition, undecided, variablesOf } from '@workflowlookup/conditions';
import { neverHolds } from '../src/check-conditions.ts';

const names = ['a', 'b', 'a.b', 'constructor'] as const;
const signs = [
  ['equals', '=='],
  ['not_equals', '!='],
  ['gt', '>'],
  ['gte', '>='],
  ['lt', '<'],
  ['lte', '<='],
] as const;

const text = fc.constantFrom(
  '',
  ' ',
  'x',
  'X ',
  'yes',
  'No',
  'true',
  '0',
  '1',
  '1.0',
  '2',
  '1e0',
  'two words',
);
const scalar = fc.oneof(text, fc.constantFrom(0, 1, 2, -1.5), fc.boolean(), fc.constant(null));
const value = fc.oneof(
  scalar,
  fc.array(scalar, { maxLength: 2 }),
  fc.dictionary(fc.constantFrom('b', 'c'), scalar),
);
const context: fc.Arbitrary<Context> = fc.dictionary(fc.constantFrom(...names), value);

/** The same condition in each notation. */
interface Spellings {
  readonly withVar: object;
  readonly withType: object;
  readonly when: string;
}

const comparison: fc.Arbitrary<Spellings> = fc
  .tuple(fc.constantFrom(...names), fc.constantFrom(...signs), scalar, fc.constantFrom(0, 1, 2))
  .map(([name, [operator, sign], any, number]) => {
    const operand = operator === 'equals' || operator === 'not_equals' ? any : number;
    return {
      withVar: { var: name, [operator]: operand },
      withType: { type: 'simple', variable: name, operator: sign, value: operand },
      when: `${name} ${sign} ${JSON.stringify(operand)}`,
    };
  });

const existence: fc.Arbitrary<Spellings> = fc
  .tuple(fc.constantFrom(...names), fc.boolean())
  .map(([name, there]) => ({
    withVar: { var: name, exists: there },
    withType: { type: 'simple', variable: name, operator: there ? 'exists' : 'notExists' },
    when: there ? `exists ${name}` : `!exists ${name}`,
  }));

const { condition } = fc.letrec<{ condition: Spellings }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3 },
    comparison,
    existence,
    tie('condition').map(({ withVar, withType, when }) => ({
      withVar: { not: withVar },
      withType: { type: 'not', condition: withType },
      when: `!(${when})`,
    })),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('condition'), { minLength: 1, maxLength: 3 }))
      .map(([kind, members]) => ({
        withVar: { [kind]: members.map(({ withVar }) => withVar) },
        withType: { type: kind, conditions: members.map(({ withType }) => withType) },
        when: `(${members.map(({ when }) => when).join(kind === 'and' ? ' && ' : ' || ')})`,
      })),
  ),
}));

function parse(source: unknown): Condition {
  const parsed = parseCondition(source);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.issues));
  return parsed.condition;
}

test('Every notation of a condition is parsed into the same tree', () => {
  fc.assert(
    fc.property(condition, ({ withVar, withType, when }) => {
      expect(parse(withType)).toEqual(parse(withVar));
      expect(parse(when)).toEqual(parse(withVar));
    }),
  );
});

test('"not" negates, "and" agrees with every, and "or" with some', () => {
  fc.assert(
    fc.property(fc.array(condition, { maxLength: 4 }), context, (members, given) => {
      const sources = members.map(({ withVar }) => withVar);
      const values = sources.map((source) => evaluate(parse(source), given));
      expect(evaluate(parse({ and: sources }), given)).toBe(values.every(Boolean));
      expect(evaluate(parse({ or: sources }), given)).toBe(values.some(Boolean));
      for (const [at, source] of sources.entries()) {
        expect(evaluate(parse({ not: source }), given)).toBe(!values[at]);
      }
    }),
  );
});

test('No value satisfies comparisons that exclude each other', () => {
  const claims = fc.array(fc.tuple(comparison, fc.boolean()), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(claims, fc.array(value, { minLength: 20, maxLength: 20 }), (all, values) => {
      const ofOne = all.map(([{ withVar }, holds]) =>
        holds ? { ...withVar, var: 'v' } : { not: { ...withVar, var: 'v' } },
      );
      const parsed = parse({ and: ofOne });
      if (neverHolds(parsed)) expect(values.map((v) => evaluate(parsed, { v }))).not.toContain(true);
    }),
  );
});

test('A false condition with nothing undecided stays false, whatever values the missing variables get', () => {
  fc.assert(
    fc.property(condition, context, context, ({ withVar }, given, later) => {
      const parsed = parse(withVar);
      const open = undecided(parsed, given);
      expect([...variablesOf(parsed)]).toEqual(expect.arrayContaining([...open]));
      expect(open.every((name) => lookUp(given, name) === undefined)).toBe(true);
      const settled = !evaluate(parsed, given) && open.length === 0;
      // `a` and `a.b` share a value, so a new value for one of them would change the other.
      if (settled && !('a' in given) && !('a' in later))
        expect(evaluate(parsed, { ...later, ...given })).toBe(false);
    }),
  );
});

test('parseCondition and evaluate never throw, whatever their input', () => {
  const keys = fc.constantFrom(
    'var',
    'and',
    'or',
    'not',
    'type',
    'conditions',
    'equals',
    'matches',
    'in',
    '__proto__',
    'x',
  );
  const source = fc.letrec<{ any: unknown }>((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.jsonValue(),
      fc.string({ unit: 'grapheme' }),
      fc.dictionary(keys, tie('any')),
      fc.array(tie('any'), { maxLength: 3 }),
    ),
  })).any;
  fc.assert(
    fc.property(source, fc.object(), (any, given) => {
      const parsed = parseCondition(any);
      if (parsed.ok) expect(typeof evaluate(parsed.condition, given)).toBe('boolean');
      else expect(parsed.issues.length).toBeGreaterThan(0);
    }),
  );
});

test('parseWhen handles any sequence of its own tokens', () => {
  const token = fc.constantFrom(
    'a',
    '==',
    '===',
    '1',
    '"x"',
    '(',
    ')',
    '[',
    ']',
    ',',
    '!',
    'not',
    'and',
    '||',
    'in',
    'exists',
    "'",
  );
  fc.assert(
    fc.property(fc.array(token, { maxLength: 12 }), (tokens) => {
      const parsed = parseCondition(tokens.join(' '));
      if (parsed.ok) expect(typeof evaluate(parsed.condition, { a: 1 })).toBe('boolean');
      else expect(parsed.issues).toHaveLength(1);
    }),
  );
});
