import type { Comparison } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import { candidateValues } from './candidate-values.ts';
import { comparisonsIn } from './comparisons.ts';
import { rootOf } from './named-variables.ts';
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
  const names = new Set(decisive.filter((name) => !census.local.has(name)));
  const values = new Map([...names].map((name) => [name, classesOf(name, { census, comparisons })]));
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

function candidatesOf(name: string, { census, comparisons }: Known): readonly Json[] {
  const lists = census.lists.filter((list) => list.name === name);
  if (lists.length > 0) return [[], lists.flatMap(({ item }) => itemsFor(item, comparisons))];
  if (census.counts.includes(name)) return [0, 1, 2];
  const declared = census.declared.find((variable) => variable.name === name);
  const assigned = census.assigned.filter((one) => one.name === name).map(({ value }) => value);
  const standard = declared?.value === undefined ? [] : [declared.value];
  const found = [...candidateValues(comparisons.get(name) ?? [], declared?.type), ...standard, ...assigned];
  return found.length === 0 ? [true, false] : found;
}

/** Items that turn out in every way in which conditions on the item can. */
function itemsFor(item: string, comparisons: ByName): readonly Json[] {
  const own = comparisons.get(item) ?? [];
  const hasParts = [...comparisons.keys()].some((name) => name !== item && rootOf(name) === item);
  if (own.length === 0) return [hasParts ? {} : 'item'];
  const kinds = new Map<string, Json>();
  for (const value of candidateValues(own, undefined)) {
    const key = own.map((comparison) => Number(isMet(comparison, [value]))).join('');
    if (!kinds.has(key)) kinds.set(key, value);
  }
  return [...kinds.values()];
}

function isMet(comparison: Comparison, values: readonly Json[]): boolean {
  return values.some((value) => evaluate(comparison, { [comparison.variable.name]: value }));
}
