import { didYouMean, WorkflowError } from '@workflowlookup/schema';
import type { SchemaError, Validator } from './generated/validate-arguments.js';
import { validators } from './generated/validate-arguments.js';
import type { Tool } from './tools/tool.ts';

/**
 * Checks arguments against the tool's input schema.
 *
 * @throws WorkflowError INVALID_PARAMS naming each field and its rule
 */
export function checkArguments({ name }: Tool, args: unknown): void {
  const validate = (validators as Readonly<Record<string, Validator>>)[name];
  if (validate === undefined || validate(args)) {
    refuseUnwritable(name, args);
    return;
  }
  const details = (validate.errors ?? []).map(sentenceOf).join('; ');
  throw new WorkflowError('INVALID_PARAMS', `Invalid arguments for ${name}: ${details}`, {
    data: { details },
  });
}

/**
 * Refuses what JSON can bring and can't keep: `1e400` is read as infinity, which is written as null, and half of a
 * surrogate pair can't be written as UTF-8.
 */
function refuseUnwritable(tool: string, args: unknown): void {
  const details = unwritable(args);
  if (details === undefined) return;
  throw new WorkflowError('INVALID_PARAMS', `Invalid arguments for ${tool}: ${details}`, {
    data: { details },
  });
}

/** Half of a surrogate pair: pairs are one character to this expression. */
const lone = /\p{Surrogate}/u;

/** Says which argument can't be kept as it is, and why. */
function unwritable(args: unknown): string | undefined {
  const waiting: Inner[] = [{ name: '', value: args }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value } = next;
    if (typeof value === 'number' && !Number.isFinite(value))
      return `${fieldOf(next)} must be a number of at most 1.7976931348623157e308, found a larger one`;
    if (typeof value === 'string' && lone.test(value))
      return `${fieldOf(next)} must be Unicode text, found half of a surrogate pair at ${value.search(lone)}`;
    if (typeof value !== 'object' || value === null) continue;
    // A list of the values of a large object would take longer than looking at them.
    for (const name in value) {
      if (lone.test(name))
        return `${fieldOf(next)} must have names of Unicode text, found half of a surrogate pair in one`;
      waiting.push({ name, value: (value as Readonly<Record<string, unknown>>)[name], within: next });
    }
  }
  return undefined;
}

/** A value within the arguments, and the one it stands in. */
interface Inner {
  readonly name: string;
  readonly value: unknown;
  readonly within?: Inner;
}

/** The path to a value, of which a message says the beginning. */
function fieldOf(inner: Inner): string {
  const names: string[] = [];
  for (let at: Inner | undefined = inner; at?.within !== undefined; at = at.within) names.unshift(at.name);
  return names.length === 0 ? 'arguments' : names.join('.').slice(0, 128);
}

function sentenceOf({ instancePath, keyword, params, data, parentSchema }: SchemaError): string {
  const path = instancePath.slice(1).replaceAll('/', '.');
  const within = path === '' ? '' : `${path}.`;
  if (keyword === 'required') return `${within}${String(params['missingProperty'])} is required`;
  if (keyword === 'additionalProperties') {
    const fields = Object.keys(parentSchema['properties'] ?? {});
    return `${within}${unknownField(String(params['additionalProperty']), fields)}`;
  }
  const field = path === '' ? 'arguments' : path;
  return `${field} must be ${rules[keyword]?.(params) ?? 'as the input schema says'}, found ${found(data)}`;
}

/** What each keyword of our input schemas asks of a value. */
const rules: Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => string>> = {
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

function found(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 64 ? `a text of ${value.length} characters` : `'${value}'`;
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array';
  return `an ${typeof value}`;
}

function unknownField(name: string, fields: readonly string[]): string {
  const shown = name.length > 64 ? `${name.slice(0, 64)}…` : name;
  const nearest = didYouMean(name, fields);
  const others = fields.length === 0 ? 'there are none' : `there are: ${fields.join(', ')}`;
  const hint = nearest === undefined ? others : `did you mean '${nearest}'?`;
  return `${shown} is not a parameter; ${hint}`;
}

function withArticle(type: string): string {
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}
