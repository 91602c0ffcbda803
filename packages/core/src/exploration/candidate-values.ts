import type { Comparison } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';

/** A text that nobody compares with. */
const otherText = 'something else';

/** Texts of many kinds: one of them may be what a pattern looks for. */
const samples: readonly string[] = [
  'a',
  'A',
  'abc',
  '1',
  '42',
  'a1',
  'abc-123',
  'ABC-123',
  'v1.2.3',
  '1.2.3',
  'feature/abc',
  'fix/abc',
  'main',
  'src/abc.ts',
  'abc.md',
  'me@example.com',
  'https://example.com/abc',
  '2026-01-31',
  '#123',
  'abc def',
];

const byType: Readonly<Record<string, readonly Json[]>> = {
  boolean: [true, false],
  number: [0, 1],
  string: [otherText],
  array: [[], ['item']],
  object: [{}],
};

/** Most texts that are put together from what conditions look for. */
const maxJoined = 64;

/** Values that comparisons of one variable may tell apart; of a declared type those of that type alone. */
export function candidateValues(
  comparisons: readonly Comparison[],
  type: string | undefined,
): readonly Json[] {
  const found = [
    ...comparisons.flatMap(valuesAround),
    ...joinedTexts(comparisons),
    ...joinedLists(comparisons),
    ...(type === undefined ? [] : (byType[type] ?? [])),
  ];
  return type === undefined ? found : found.filter((value) => value === null || typeOf(value) === type);
}

function valuesAround(comparison: Comparison): readonly Json[] {
  switch (comparison.kind) {
    case 'truthy':
      return [true, false];
    case 'exists':
      return [null, otherText, 1, true, ['item'], {}];
    case 'equals':
      return [comparison.operand.json, otherThan(comparison.operand.json)];
    case 'in':
      return [...comparison.operands.map(({ json }) => json), otherText, -1];
    case 'contains':
      return [[comparison.operand.json], []];
    case 'matches':
      return [...samples, otherText];
    case 'startsWith':
    case 'endsWith':
      return [comparison.text, otherText];
    default:
      return [-1, 0, 0.5, 1].map((step) => comparison.bound + step);
  }
}

function otherThan(value: Json): Json {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  return value === null ? 'something' : otherText;
}

/** Texts that begin, go on and end as conditions look for. */
function joinedTexts(comparisons: readonly Comparison[]): readonly string[] {
  const textsOf = (kind: Comparison['kind']): readonly string[] =>
    comparisons.flatMap((one) =>
      one.kind === kind && 'text' in one && one.text !== undefined ? [one.text] : [],
    );
  const [starts, inner, ends] = [textsOf('startsWith'), textsOf('contains'), textsOf('endsWith')];
  if (starts.length + inner.length + ends.length === 0) return [];
  const joined = ['', ...starts].flatMap((start) =>
    ['', ...inner, inner.join(' ')].flatMap((middle) => ['', ...ends].map((end) => start + middle + end)),
  );
  return [otherText, ...joined.filter((text) => text !== '').slice(0, maxJoined)];
}

function joinedLists(comparisons: readonly Comparison[]): readonly Json[] {
  const members = comparisons.flatMap((one) => (one.kind === 'contains' ? [one.operand.json] : []));
  return members.length > 1 ? [members] : [];
}

/** What a declaration calls the type of a value. */
function typeOf(value: Json): string {
  return Array.isArray(value) ? 'array' : typeof value;
}
