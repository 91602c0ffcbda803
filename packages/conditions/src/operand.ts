import type { Json } from '@workflowlookup/schema';
import { isJsonObject } from '@workflowlookup/schema';

/** A value written in a condition, with each form that a value of another type may equal worked out once. */
export interface Operand {
  readonly json: Json;
  /** A string, trimmed and in lower case. */
  readonly text: string | undefined;
  /** A number, or a string that is wholly a finite decimal number. */
  readonly number: number | undefined;
  /** A boolean, or a string that stands for one. */
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

/** An {@link Operand} of a value. */
export function operand(json: Json): Operand {
  const text = typeof json === 'string' ? normalize(json) : undefined;
  return {
    json,
    text,
    number: typeof json === 'number' ? json : text === undefined ? undefined : numberOf(text),
    truth: typeof json === 'boolean' ? json : text === undefined ? undefined : truths.get(text),
  };
}

/**
 * Lenient equality (docs/authoring.md#equality): strings without case and outer blanks, a number and its numeric
 * string, a boolean and the words for it, null and missing; arrays and objects by strict deep value.
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

/** A string as it is compared: without outer blanks, in lower case. */
export function normalize(text: string): string {
  return text.trim().toLowerCase();
}

/** The finite number a normalized string wholly is. */
export function numberOf(text: string): number | undefined {
  if (!decimal.test(text)) return undefined;
  const number = Number(text);
  return Number.isFinite(number) ? number : undefined;
}

/** Whether a normalized string stands for false. */
export function saysFalse(text: string): boolean {
  return text === '' || truths.get(text) === false;
}

function equalsText(value: string, { json, text, number, truth }: Operand): boolean {
  if (text !== undefined) return value === text;
  if (typeof json === 'number') return numberOf(value) === number;
  return typeof json === 'boolean' && truths.get(value) === truth;
}

// Goes only as deep as the operand, whose depth the parser has bounded.
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
