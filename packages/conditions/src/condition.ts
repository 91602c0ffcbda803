import type { Json, Repair } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';
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

/** A parsed condition. Every dialect is parsed into these nodes (docs/authoring.md#conditions). */
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
export function equals(value: unknown, wanted: Operand): boolean {
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
export function numberOf(text: string): number | undefined {
  if (!decimal.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** Tells whether a normalized string stands for false. */
export function meansFalse(text: string): boolean {
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
