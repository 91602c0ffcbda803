import type { Comparison, Condition } from '@workflowlookup/conditions';
import { comparisonsIn, evaluate, parseCondition, variablesOf } from '@workflowlookup/conditions';
import type { Json, JsonObject, PlacedCondition } from '@workflowlookup/schema';
import { groupBy, isJsonObject } from '@workflowlookup/schema';
import type { VariableUsage } from './state-graph.ts';

/** The values to try for a variable, one of each kind that the workflow distinguishes. */
export interface Domains {
  /** Every name that decides something, whole and dotted. */
  readonly names: ReadonlySet<string>;
  /** Never empty. */
  valuesOf(name: string): readonly Json[];
  /**
   * Names compared with a pattern for which no matching text was found, so that little is known about those conditions.
   */
  readonly unclear: readonly string[];
}

/** Computes which values a workflow distinguishes. */
export function createDomains(usage: VariableUsage): Domains {
  const comparisons = groupBy(usage.conditions.flatMap(comparisonsIn), ({ variable }) => variable.name);
  const decisive = [...comparisons.keys(), ...usage.lists.map(({ name }) => name), ...usage.counts];
  // The item of a loop comes before a variable with a path into it as its name.
  const isPart = (name: string): boolean =>
    usage.lists.some(({ item }) => item !== '' && name.startsWith(`${item}.`));
  const names = new Set(decisive.filter((name) => !usage.local.has(name) && !isPart(name)));
  const known = { usage, comparisons, decisive: new Set(decisive) };
  const values = new Map([...names].map((name) => [name, classesOf(name, known)]));
  return {
    names,
    valuesOf: (name) => values.get(name) ?? [],
    unclear: [...comparisons].flatMap(([name, all]) =>
      all.some((one) => one.kind === 'matches' && !isMet(one, values.get(name) ?? [])) ? [name] : [],
    ),
  };
}

type ByName = ReadonlyMap<string, readonly Comparison[]>;

interface Known {
  readonly usage: VariableUsage;
  readonly comparisons: ByName;
  /** Every name that decides something, those of loops and paths into their items among them. */
  readonly decisive: ReadonlySet<string>;
}

/** Returns one candidate for each combination of results of the comparisons of a variable. */
function classesOf(name: string, known: Known): readonly Json[] {
  const { usage, comparisons } = known;
  const isList = usage.lists.some((list) => list.name === name);
  const isCount = usage.counts.includes(name);
  return firstOfEach(candidatesOf(name, known), comparisons.get(name) ?? [], (value) => {
    const shape = isList && Array.isArray(value) ? value.length : '';
    return `${shape} ${isCount ? JSON.stringify(value) : ''}`;
  });
}

/** Returns the first value of each combination of results of comparisons, and of what else distinguishes values. */
function firstOfEach(
  values: readonly Json[],
  comparisons: readonly Comparison[],
  moreOf: (value: Json) => string = () => '',
): readonly Json[] {
  const kinds = groupBy(values, (value) => {
    const results = comparisons.map((comparison) => Number(isMet(comparison, [value]))).join('');
    return `${results} ${moreOf(value)}`;
  });
  return [...kinds.values()].flatMap((same) => same.slice(0, 1));
}

function candidatesOf(name: string, known: Known): readonly Json[] {
  const { usage, comparisons } = known;
  const lists = usage.lists.filter((list) => list.name === name);
  if (lists.length > 0) return [[], twoOrMore(lists.flatMap(({ item }) => itemsFor(item, known)))];
  if (usage.counts.includes(name)) return [0, 1, 2];
  const declared = usage.declared.find((variable) => variable.name === name);
  const assigned = usage.assigned.filter((one) => one.name === name).map(({ value }) => value);
  const standard = declared?.value === undefined ? [] : [declared.value];
  const found = [...candidateValues(comparisons.get(name) ?? [], declared?.type), ...standard, ...assigned];
  return found.length === 0 ? [true, false] : found;
}

/** Repeats a single item, because a second iteration sees the variables that the first one set. */
function twoOrMore(items: readonly Json[]): readonly Json[] {
  return items.length === 1 ? [...items, ...items] : items;
}

/** Returns items that produce every combination of results of the conditions on the item and its fields. */
function itemsFor(item: string, known: Known): readonly Json[] {
  const { comparisons, decisive } = known;
  const own = comparisons.get(item) ?? [];
  const parts = [...decisive].filter((name) => name.startsWith(`${item}.`)).toSorted();
  const kinds = firstOfEach(candidateValues(own, undefined), own);
  if (parts.length === 0) return kinds.length === 0 ? ['item'] : kinds;
  const choices = parts.map((name): Part => {
    // An inner loop may give its item the same name.
    const rest = { ...known, decisive: new Set([...decisive].filter((other) => other !== name)) };
    return { path: name.slice(item.length + 1).split('.'), values: classesOf(name, rest) };
  });
  return [...kinds, ...combined(choices)];
}

/** A path into an item, and the values that it may have there. */
interface Part {
  readonly path: readonly string[];
  readonly values: readonly Json[];
}

/** Maximum number of combined items. Above it each value appears in some item, but not in every combination. */
const maxCombined = 64;

function combined(parts: readonly Part[]): readonly JsonObject[] {
  const count = parts.reduce((product, { values }) => product * values.length, 1);
  if (count > maxCombined) {
    const most = Math.max(...parts.map(({ values }) => values.length));
    return Array.from({ length: most }, (_, at) =>
      parts.reduce((one, { path, values }) => withPart(one, path, values[at % values.length] ?? null), {}),
    );
  }
  return parts.reduce<readonly JsonObject[]>(
    (all, { path, values }) => all.flatMap((one) => values.map((value) => withPart(one, path, value))),
    [{}],
  );
}

function withPart(whole: JsonObject, [key = '', ...path]: readonly string[], value: Json): JsonObject {
  const inner = whole[key];
  return {
    ...whole,
    [key]: path.length === 0 ? value : withPart(isJsonObject(inner) ? inner : {}, path, value),
  };
}

function isMet(comparison: Comparison, values: readonly Json[]): boolean {
  return values.some((value) => evaluate(comparison, { [comparison.variable.name]: value }));
}

/** A text that no condition compares with. */
const otherText = 'something else';

/** Texts of many kinds, one of which may match a pattern. */
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

/** Maximum number of texts built from parts of conditions. */
const maxJoined = 64;

/**
 * Returns values that the comparisons of one variable may distinguish; for a declared type only values of that type.
 */
function candidateValues(comparisons: readonly Comparison[], type: string | undefined): readonly Json[] {
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

/** Returns texts made of the starts, parts and ends that conditions look for. */
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

function typeOf(value: Json): string {
  return Array.isArray(value) ? 'array' : typeof value;
}

export interface Clause {
  readonly condition: Condition;
  readonly pointer: string;
}

/** Conditions ready to evaluate; those that can't be used are left out. */
export function compileConditions(placed: Iterable<PlacedCondition>): readonly Clause[] {
  return [...placed].flatMap(({ source, pointer }) => {
    const parsed = parseCondition(source);
    return parsed.ok ? [{ condition: parsed.condition, pointer }] : [];
  });
}

export function namesRead(conditions: readonly Condition[]): readonly string[] {
  return conditions.flatMap((condition) => [...variablesOf(condition)]);
}
