import type { Comparison } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import type { Json, JsonObject } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';
import { candidateValues } from './candidate-values.ts';
import { comparisonsIn } from './comparisons.ts';
import type { Census } from './terrain.ts';

/** The values a variable may take, one of each kind that the workflow tells apart. */
export interface Domains {
  /** Every name that decides something, whole and dotted. */
  readonly names: ReadonlySet<string>;
  /** Never none. */
  valuesOf(name: string): readonly Json[];
  /** Names compared with a pattern for which no text was found: of what they decide little can be said. */
  readonly unclear: readonly string[];
}

/** Works out what a workflow tells apart. */
export function createDomains(census: Census): Domains {
  const comparisons = groupByName(census.conditions.flatMap(comparisonsIn));
  const decisive = [...comparisons.keys(), ...census.lists.map(({ name }) => name), ...census.counts];
  // The item of a loop comes before a variable with a path into it as its name.
  const isPart = (name: string): boolean =>
    census.lists.some(({ item }) => item !== '' && name.startsWith(`${item}.`));
  const names = new Set(decisive.filter((name) => !census.local.has(name) && !isPart(name)));
  const known = { census, comparisons, decisive: new Set(decisive) };
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

function groupByName(all: readonly Comparison[]): ByName {
  const groups = new Map<string, Comparison[]>();
  for (const one of all) {
    const { name } = one.variable;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [one]);
    else group.push(one);
  }
  return groups;
}

interface Known {
  readonly census: Census;
  readonly comparisons: ByName;
  /** Every name that decides something, those of loops and paths into their items among them. */
  readonly decisive: ReadonlySet<string>;
}

/** Of the candidates one for each way in which all comparisons of the variable turn out. */
function classesOf(name: string, known: Known): readonly Json[] {
  const { census, comparisons } = known;
  const own = comparisons.get(name) ?? [];
  const lists = census.lists.filter((list) => list.name === name);
  const classes = new Map<string, Json>();
  for (const value of candidatesOf(name, known)) {
    const outcome = own.map((comparison) => Number(isMet(comparison, [value]))).join('');
    const shape = lists.length > 0 && Array.isArray(value) ? value.length : '';
    const count = census.counts.includes(name) ? JSON.stringify(value) : '';
    const key = `${outcome} ${shape} ${count}`;
    if (!classes.has(key)) classes.set(key, value);
  }
  return [...classes.values()];
}

function candidatesOf(name: string, known: Known): readonly Json[] {
  const { census, comparisons } = known;
  const lists = census.lists.filter((list) => list.name === name);
  if (lists.length > 0) return [[], lists.flatMap(({ item }) => itemsFor(item, known))];
  if (census.counts.includes(name)) return [0, 1, 2];
  const declared = census.declared.find((variable) => variable.name === name);
  const assigned = census.assigned.filter((one) => one.name === name).map(({ value }) => value);
  const standard = declared?.value === undefined ? [] : [declared.value];
  const found = [...candidateValues(comparisons.get(name) ?? [], declared?.type), ...standard, ...assigned];
  return found.length === 0 ? [true, false] : found;
}

/** Items that turn out in every way in which conditions on the item, and on what is in it, can. */
function itemsFor(item: string, known: Known): readonly Json[] {
  const { comparisons, decisive } = known;
  const own = comparisons.get(item) ?? [];
  const parts = [...decisive].filter((name) => name.startsWith(`${item}.`)).toSorted();
  const kinds = new Map<string, Json>();
  for (const value of candidateValues(own, undefined)) {
    const key = own.map((comparison) => Number(isMet(comparison, [value]))).join('');
    if (!kinds.has(key)) kinds.set(key, value);
  }
  if (parts.length === 0) return kinds.size === 0 ? ['item'] : [...kinds.values()];
  const choices = parts.map((name): Part => {
    // An inner loop may give its item the same name.
    const rest = { ...known, decisive: new Set([...decisive].filter((other) => other !== name)) };
    return { path: name.slice(item.length + 1).split('.'), values: classesOf(name, rest) };
  });
  return [...kinds.values(), ...combined(choices)];
}

/** A path into an item, and the values that it may have there. */
interface Part {
  readonly path: readonly string[];
  readonly values: readonly Json[];
}

/** Most items that differ in what is in them. With more, each value is in one of them, but not beside each other. */
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

/** An object with a value at a path. */
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
