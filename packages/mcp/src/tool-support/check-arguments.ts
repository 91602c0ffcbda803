import { WorkflowError, didYouMean } from '@workflowlookup/schema';
import type { SchemaError, Validator } from '../generated/validate-arguments.js';
import { validators } from '../generated/validate-arguments.js';
import { describeValue, messages } from '../messages.ts';
import type { Tool } from './tool.ts';

/** The maximum number of errors in a message. Describing thousands of them would keep other callers waiting. */
const maxDescribed = 20;

/**
 * Checks arguments against the tool's input schema.
 *
 * @throws WorkflowError INVALID_INPUT, whose message names each invalid field and what is expected
 */
export function checkArguments({ name }: Tool, args: unknown): void {
  const validate = (validators as Readonly<Record<string, Validator>>)[name];
  if (validate === undefined || validate(args)) {
    refuseUnstorable(name, args);
    return;
  }
  const errors = validate.errors ?? [];
  const sentences = errors.slice(0, maxDescribed).map(describeError);
  const more = errors.length - sentences.length;
  throw invalidArguments(
    name,
    [...sentences, ...(more === 0 ? [] : [messages.moreProblems(more)])].join('; '),
  );
}

/**
 * Refuses values that JSON can express but that can't be stored: `1e400` is read as infinity, which is written as null, and
 * a lone surrogate can't be written as UTF-8.
 */
function refuseUnstorable(tool: string, args: unknown): void {
  const details = findUnstorable(args);
  if (details !== undefined) throw invalidArguments(tool, details);
}

function invalidArguments(tool: string, details: string): WorkflowError {
  return new WorkflowError('INVALID_INPUT', messages.invalidArguments(tool, details), { data: { details } });
}

/** Matches a lone surrogate. With the flag `u`, a surrogate pair is one character and does not match. */
const loneSurrogate = /\p{Surrogate}/u;

/** Returns a message about the first value that can't be stored, or `undefined` if there is none. */
function findUnstorable(args: unknown): string | undefined {
  const waiting: NestedValue[] = [{ name: '', value: args }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value } = next;
    if (typeof value === 'number' && !Number.isFinite(value)) return messages.numberTooLarge(pathOf(next));
    if (typeof value === 'string' && loneSurrogate.test(value))
      return messages.loneSurrogate(pathOf(next), value.search(loneSurrogate));
    if (typeof value !== 'object' || value === null) continue;
    // `for in` is faster than Object.entries for large objects.
    for (const name in value) {
      if (loneSurrogate.test(name)) return messages.loneSurrogateInName(pathOf(next));
      waiting.push({ name, value: (value as Readonly<Record<string, unknown>>)[name], parent: next });
    }
  }
  return undefined;
}

/** A value within the arguments, and the value that contains it. */
interface NestedValue {
  readonly name: string;
  readonly value: unknown;
  readonly parent?: NestedValue;
}

/** Returns the path to a value, shortened for a message. */
function pathOf(inner: NestedValue): string {
  const names: string[] = [];
  for (let at: NestedValue | undefined = inner; at?.parent !== undefined; at = at.parent)
    names.unshift(at.name);
  return names.length === 0 ? 'arguments' : names.join('.').slice(0, 128);
}

function describeError({ instancePath, keyword, params, data, parentSchema }: SchemaError): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const within = path === '' ? '' : `${path}.`;
  if (keyword === 'required') return messages.fieldRequired(`${within}${String(params['missingProperty'])}`);
  if (keyword === 'additionalProperties') {
    const fields = Object.keys(parentSchema['properties'] ?? {});
    const name = String(params['additionalProperty']);
    const shown = name.length > 64 ? `${name.slice(0, 64)}…` : name;
    return messages.unknownArgument(`${within}${shown}`, didYouMean(name, fields), fields);
  }
  const field = path === '' ? 'arguments' : path;
  const expected = expectations[keyword]?.(params) ?? 'as the input schema requires';
  return messages.argumentMustBe(field, expected, describeValue(data));
}

/** What each keyword of the input schemas expects of a value, as the end of a sentence with "must be". */
const expectations: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => string>> = {
  type: ({ type }) => withArticle(String(type)),
  enum: ({ allowedValues }) => `one of ${(allowedValues as readonly unknown[]).join(', ')}`,
  pattern: () => 'an id of lower-case letters, digits and dashes',
  minLength: ({ limit }) => `at least ${String(limit)} characters long`,
  maxLength: ({ limit }) => `at most ${String(limit)} characters long`,
  maxItems: ({ limit }) => `a list of at most ${String(limit)}`,
  minimum: ({ limit }) => `at least ${String(limit)}`,
  minItems: ({ limit }) => `a list of at least ${String(limit)}`,
  maximum: ({ limit }) => `at most ${String(limit)}`,
};

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
