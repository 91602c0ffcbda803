import type { Json, Repair, Meter } from '@workflowlookup/schema';
import { isJsonObject, spend } from '@workflowlookup/schema';
import type { Pattern } from './pattern.ts';

/** The variables against which conditions are evaluated. Only own enumerable keys count. */
export type Context = Readonly<Record<string, unknown>>;

/** A variable named in a condition. */
export interface Variable {
  readonly name: string;
  /** The name split at its dots, used if the context has no key with the full name. */
  readonly path: readonly string[];
}

/** A test of one variable. */
export type Comparison =
  | { readonly kind: 'truthy' | 'exists'; readonly variable: Variable }
  | { readonly kind: 'equals'; readonly variable: Variable; readonly operand: Operand }
  | { readonly kind: 'in'; readonly variable: Variable; readonly operands: readonly Operand[] }
  | { readonly kind: 'gt' | 'gte' | 'lt' | 'lte'; readonly variable: Variable; readonly bound: number }
  | {
      readonly kind: 'contains';
      readonly variable: Variable;
      /** The value that a member of an array must equal. */
      readonly operand: Operand;
      /**
       * The text that a string must contain, trimmed and in lower case. Absent if no string can contain the operand.
       */
      readonly text: string | undefined;
    }
  | { readonly kind: 'startsWith' | 'endsWith'; readonly variable: Variable; readonly text: string }
  | { readonly kind: 'matches'; readonly variable: Variable; readonly pattern: Pattern };

/** A parsed condition. Every notation is parsed into these nodes (docs/authoring.md#conditions). */
export type Condition =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and' | 'or'; readonly conditions: readonly Condition[] }
  | { readonly kind: 'not'; readonly condition: Condition }
  | Comparison;

/** A reason why a condition can't be used. */
export interface ConditionIssue {
  /** JSON pointer within the condition; `''` is the condition itself. */
  readonly pointer: string;
  /** States the value found and the value expected. For a `when` string it also gives the column, from 1. */
  readonly message: string;
  /** An instruction that fixes the problem. */
  readonly suggestion?: string;
  /** An automatic fix, if one is certain. */
  readonly repair?: Repair;
}

/** A condition, or every problem in its source. */
export type ParsedCondition =
  | { readonly ok: true; readonly condition: Condition }
  | { readonly ok: false; readonly issues: readonly ConditionIssue[] };

const isOwn = (value: object, key: string): boolean => Object.prototype.propertyIsEnumerable.call(value, key);

/**
 * Returns the value of a variable: the context's own key of that name, or else the value at the dotted path through own
 * enumerable keys and array indexes (`list.1.name`). Returns `undefined` if it is missing. Inherited keys are ignored.
 */
export function lookUp(context: Context, path: string): unknown {
  return read(context, toVariable(path));
}

/** Returns a variable with its path already split, for {@link read}. */
export function toVariable(name: string): Variable {
  return { name, path: name.split('.') };
}

/** Does the same as {@link lookUp} for a variable of a parsed condition. */
export function read(context: Context, { name, path }: Variable): unknown {
  if (isOwn(context, name)) return context[name];
  return path.length === 1 ? undefined : follow(context, path);
}

function follow(context: Context, path: readonly string[]): unknown {
  let value: unknown = context;
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !isOwn(value, key)) return undefined;
    value = Reflect.get(value, key);
  }
  return value;
}

/** Joins conditions with `and` or `or`. A single condition is returned as it is. */
export function joinConditions(kind: 'and' | 'or', conditions: readonly Condition[]): Condition {
  const [first, ...others] = conditions;
  return first !== undefined && others.length === 0 ? first : { kind, conditions };
}

export function negate(condition: Condition): Condition {
  return { kind: 'not', condition };
}

/** A value written in a condition, with the forms in which values of other types may equal it. */
export interface Operand {
  readonly json: Json;
  /** For a string: the text, trimmed and in lower case. */
  readonly text: string | undefined;
  /** For a number, or a string that is a finite decimal number: that number. */
  readonly number: number | undefined;
  /** For a boolean, or a string that stands for one: that boolean. */
  readonly truth: boolean | undefined;
}

const truths: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['yes', true],
  ['1', true],
  ['false', false],
  ['no', false],
  ['0', false],
]);

const decimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/;

/** Returns the {@link Operand} for a value. */
export function toOperand(json: Json): Operand {
  const text = typeof json === 'string' ? normalize(json) : undefined;
  return {
    json,
    text,
    number: typeof json === 'number' ? json : text === undefined ? undefined : numberOf(text),
    truth: typeof json === 'boolean' ? json : text === undefined ? undefined : truths.get(text),
  };
}

/**
 * Compares leniently (docs/authoring.md#equality): strings ignore case and surrounding whitespace, a number equals its
 * numeric string, a boolean equals the words for it, and null equals a missing value. Arrays and objects are compared
 * strictly and deeply.
 */
function equals(value: unknown, wanted: Operand): boolean {
  switch (typeof value) {
    case 'string':
      return value === wanted.json || equalsText(normalize(value), wanted);
    case 'number':
      return value === wanted.number;
    case 'boolean':
      return value === wanted.truth;
    case 'object':
      return deepEquals(value, wanted.json);
    default:
      return value === undefined && wanted.json === null;
  }
}

/** Returns a string in the form in which it is compared: trimmed and in lower case. */
export function normalize(text: string): string {
  return text.trim().toLowerCase();
}

/** Returns the finite number that a normalized string represents, or `undefined`. */
function numberOf(text: string): number | undefined {
  if (!decimal.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** Tells whether a normalized string stands for false. */
function meansFalse(text: string): boolean {
  return text === '' || truths.get(text) === false;
}

function equalsText(value: string, { json, text, number, truth }: Operand): boolean {
  if (text !== undefined) return value === text;
  if (typeof json === 'number') return numberOf(value) === number;
  return typeof json === 'boolean' && truths.get(value) === truth;
}

// The recursion is as deep as the operand, and the parser limits that depth.
function deepEquals(value: unknown, json: Json | undefined): boolean {
  if (Array.isArray(json)) {
    return (
      Array.isArray(value) &&
      value.length === json.length &&
      json.every((item, at) => deepEquals(value[at], item))
    );
  }
  if (!isJsonObject(json)) return value === json;
  if (!isJsonObject(value)) return false;
  const keys = Object.keys(json);
  return (
    keys.length === Object.keys(value).length &&
    keys.every((key) => Object.hasOwn(value, key) && deepEquals(value[key], json[key]))
  );
}

/**
 * Evaluates a condition against a context. A missing variable equals only `null`, isn't true, has no order and contains
 * nothing. Throws only if the meter runs out.
 *
 * @example
 * ```ts
 * const parsed = parseCondition({ var: 'size', equals: 'large' });
 * if (parsed.ok) evaluate(parsed.condition, { size: 'small' }); // false
 * ```
 */
export function evaluate(condition: Condition, context: Context, meter?: Meter): boolean {
  switch (condition.kind) {
    case 'constant':
      return condition.value;
    case 'not':
      return !evaluate(condition.condition, context, meter);
    case 'and':
      for (const member of condition.conditions) if (!evaluate(member, context, meter)) return false;
      return true;
    case 'or':
      for (const member of condition.conditions) if (evaluate(member, context, meter)) return true;
      return false;
    default:
      return holds(condition, read(context, condition.variable), meter);
  }
}

// A search that might take more steps than this is not run (docs/authoring.md#patterns).
const maxSearchSteps = 20_000_000;

/** Tells whether a comparison is true for the value of its variable; `undefined` means the variable is missing. */
export function holds(comparison: Comparison, value: unknown, meter?: Meter): boolean {
  if (meter !== undefined) spend(meter, stepsOf(comparison, value));
  switch (comparison.kind) {
    case 'truthy':
      return isTruthy(value);
    case 'exists':
      return value !== undefined && value !== null;
    case 'equals':
      return equals(value, comparison.operand);
    case 'in':
      return comparison.operands.some((operand) => equals(value, operand));
    case 'contains':
      return contains(comparison, value);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return isOrdered(comparison.kind, numeric(value), comparison.bound);
    default:
      return typeof value === 'string' && fits(comparison, value);
  }
}

function stepsOf(comparison: Comparison, value: unknown): number {
  if (Array.isArray(value)) return 20 + value.length * 5;
  if (typeof value !== 'string') return 20;
  const { length } = value;
  switch (comparison.kind) {
    case 'matches':
      return 20 + Math.min(comparison.pattern.size * length, maxSearchSteps);
    case 'contains':
      return 20 + Math.min((length * (comparison.text?.length ?? 0)) / 16, maxSearchSteps) + length / 4;
    case 'in':
      return 20 + (comparison.operands.length * (length + 16)) / 4;
    default:
      return 20 + length / 4;
  }
}

function isTruthy(value: unknown): boolean {
  if (typeof value === 'string') return !meansFalse(normalize(value));
  return Boolean(value);
}

function contains({ operand, text }: Extract<Comparison, { kind: 'contains' }>, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => equals(item, operand));
  if (typeof value !== 'string' || text === undefined) return false;
  // Searching for a periodic text can take as many steps as the product of both lengths.
  return (value.length * text.length) / 16 <= maxSearchSteps && normalize(value).includes(text);
}

function numeric(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  return typeof value === 'string' ? numberOf(normalize(value)) : undefined;
}

function isOrdered(kind: 'gt' | 'gte' | 'lt' | 'lte', value: number | undefined, bound: number): boolean {
  if (value === undefined) return false;
  if (kind === 'gt') return value > bound;
  if (kind === 'gte') return value >= bound;
  return kind === 'lt' ? value < bound : value <= bound;
}

function fits(
  comparison: Extract<Comparison, { kind: 'startsWith' | 'endsWith' | 'matches' }>,
  value: string,
): boolean {
  if (comparison.kind === 'matches') {
    const { size, test } = comparison.pattern;
    return size * value.length <= maxSearchSteps && test(value);
  }
  const text = normalize(value);
  return comparison.kind === 'startsWith' ? text.startsWith(comparison.text) : text.endsWith(comparison.text);
}
