/** Why criteria can't be used. */
export interface Problem {
  /** JSON pointer into the criteria. */
  readonly pointer: string;
  readonly message: string;
  readonly suggestion?: string;
  /** What is at fault: the rule itself, its condition, or the JSON Schema in it. */
  readonly fault: 'rule' | 'condition' | 'schema';
}

/** Where a reader stands in the criteria: what is wrong is collected, so that one reading finds it all. */
export interface Place {
  readonly pointer: string;
  /** Lists and compositions around it. */
  readonly depth: number;
  /** Present and true for a rule written as a bare pattern, which has no fields to point at. */
  readonly bare?: true;
  readonly problems: Problem[];
}

/** The place of a member. */
export function within(place: Place, key: string | number): Place {
  return { ...place, pointer: place.pointer + step(key) };
}

/** One step of a JSON pointer. */
export function step(key: string | number): string {
  return `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** A value as a message shows it. */
export function show(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (value === undefined) return 'nothing';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
