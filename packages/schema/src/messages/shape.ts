import { correction } from './workflow.ts';
import type { Finding, Repair } from '../findings/finding.ts';
import {
  describeTypes,
  describeValue,
  didYouMean,
  inPlace,
  isMisspellingOf,
  quotedList,
  shorten,
} from '../findings/finding.ts';
import type { SchemaError } from '../generated/validate-step-workflow.js';
import { isJsonObject } from '../json.ts';

type Explanation = Pick<Finding, 'message' | 'repair' | 'suggestion'> & Partial<Pick<Finding, 'code'>>;

/** Descriptions of missing properties whose name doesn't say enough. */
const additions: Readonly<Record<string, string>> = {
  description: 'field with a meaningful description',
  steps: 'array with at least one step object',
  id: 'field with 3 to 64 lowercase letters, digits and dashes',
  name: 'field with a name people can read',
  title: 'field with a name people can read',
  prompt: 'field with the instructions for the agent',
  message: 'field with the text the agent gets when the rule fails',
  'Checkpoint.message': 'field with the question for the user',
  'Step.id': 'field with a short, unique name',
  capability: 'field that says what an agent can do with the skill',
  version: 'field such as 1.0.0',
  options: 'list with at least one answer',
  branches: 'list with at least two branches',
  activationVariable: 'field with the name of the variable that turns the mode on',
  body: 'field with the steps to repeat, or the id of a step in the same list',
  loop: 'object with its type and maxIterations',
  maxIterations: 'field with a number from 1 to 1000',
  condition: 'field that decides how long the loop runs',
  count: 'field with a number, or the name of a variable with one',
  items: 'field with the name of a variable with a list',
};

/** Explains a missing required property. */
export function explainMissing({ parentSchema }: SchemaError, name: string, place: string): Explanation {
  const allowed = allowedValues(schemaOf(parentSchema, name));
  const addition =
    allowed === undefined
      ? (additions[`${String(parentSchema['title'])}.${name}`] ?? additions[name] ?? 'field')
      : `field: ${quotedList(allowed, 'or')}`;
  const isRule = parentSchema['title'] === 'Rule' && name === 'type';
  return {
    message: `Missing required property '${name}'${inPlace(place)}`,
    suggestion: `Add required '${name}' ${addition}${isRule ? ', or join rules with one of and, or, not' : ''}`,
  };
}

export function explainUnknown(
  { parentSchema, data }: SchemaError,
  name: string,
  place: string,
): Explanation {
  const known = Object.keys(isJsonObject(parentSchema['properties']) ? parentSchema['properties'] : {});
  const message = `Unknown property '${shorten(name)}'${inPlace(place)}`;
  if (isOlderProperty(parentSchema['title'], name)) {
    const suggestion = "Remove it, or update the whole file with 'workflowlookup migrate'";
    return { code: 'older-property', message: `${message}, which belongs to an older format`, suggestion };
  }
  const meant = didYouMean(name, known);
  const suggestion = correction(
    meant,
    `Use one of ${known.join(', ')}, or start the key with x- for your own notes`,
  );
  if (meant !== undefined) {
    const repair = isOnlyOneFor(meant, name, data) ? respell(name, meant) : undefined;
    return { message: `${message}, close to '${meant}'`, suggestion, ...(repair && { repair }) };
  }
  return { message, suggestion };
}

/** Tells whether no other property of the object is the intended one, or a misspelling of it. */
function isOnlyOneFor(meant: string, name: string, data: unknown): boolean {
  const others = Object.keys(isJsonObject(data) ? data : {}).filter((key) => key !== name);
  return others.every((key) => key !== meant && !isMisspellingOf(key, meant));
}

/** Returns a repair if the intended word is certain. */
function respell(word: string, meant: string): Repair | undefined {
  return isMisspellingOf(word, meant) ? { kind: 'respell', to: meant } : undefined;
}

/** Returns the indexes of equal items in a list. */
export function repeatedItem({ i, j }: SchemaError['params']): {
  readonly earlier: number;
  readonly later: number;
} {
  return { earlier: Math.min(Number(i), Number(j)), later: Math.max(Number(i), Number(j)) };
}

/** Explains a value that its schema doesn't accept. */
export function explainValue(error: SchemaError, place: string): Explanation {
  const subject = place === '' ? 'The document' : upperFirst(place);
  const explain = Object.hasOwn(explanations, error.keyword) ? explanations[error.keyword] : undefined;
  if (explain === undefined) return { message: `${subject} does not have the right shape` };
  const { rule, found, ...remedy } = explain(error);
  return { message: `${subject} must ${rule}, found ${found ?? describeValue(error.data)}`, ...remedy };
}

interface Rule {
  readonly rule: string;
  readonly found?: string;
  readonly suggestion: string;
  readonly repair?: Repair;
}

const explanations: Readonly<Record<string, (error: SchemaError) => Rule>> = {
  type: explainType,
  enum: explainChoice,
  const: explainChoice,
  minLength: explainLength,
  maxLength: explainLength,
  pattern: explainPattern,
  minimum: explainRange,
  maximum: explainRange,
  minItems: explainFewest,
  uniqueItems: ({ params }) => ({
    rule: 'not contain duplicates',
    found: `item ${repeatedItem(params).earlier + 1} again as item ${repeatedItem(params).later + 1}`,
    suggestion: 'Remove one of the two',
  }),
  oneOf: ({ data }) => ({
    rule: "have exactly one of 'and', 'or', 'not'",
    found: quotedList(
      Object.keys(isJsonObject(data) ? data : {}).filter((key) => /^(and|or|not)$/.test(key)),
      'and',
    ),
    suggestion: 'Keep one and nest the others inside it',
  }),
};

function explainType({ params, data, parentSchema }: SchemaError): Rule {
  const types = [params['type']].flat().map(String);
  const wanted = describeTypes(types);
  const as = acceptedType(types, data, parentSchema);
  return {
    rule: `be ${wanted}`,
    suggestion: typeSuggestion(types, data) ?? `Write ${wanted} here`,
    ...(as !== undefined && { repair: { kind: 'retype', as } }),
  };
}

/** Returns a type in which the same value would be accepted. */
function acceptedType(
  types: readonly string[],
  data: unknown,
  { items }: SchemaError['parentSchema'],
): 'list' | 'literal' | 'text' | undefined {
  if (types.join() === 'string') return typeof data === 'object' ? undefined : 'text';
  if (typeof data !== 'string') return undefined;
  if (types.includes('array')) return isJsonObject(items) && items['type'] === 'string' ? 'list' : undefined;
  if (types.includes('integer')) return /^ *(?:0|[1-9]\d{0,8}) *$/.test(data) ? 'literal' : undefined;
  return types.includes('boolean') && /^ *(?:true|false) *$/.test(data) ? 'literal' : undefined;
}

function typeSuggestion(types: readonly string[], data: unknown): string | undefined {
  const isText = typeof data === 'string';
  if (types.join() === 'string' && (typeof data === 'number' || typeof data === 'boolean')) {
    return `Put it in quotes: "${data}"`;
  }
  if (types.includes('array') && isText) return 'Write a list, even for one item: ["…"]';
  if (types.includes('integer') && isText) return 'Write the number without quotes';
  if (types.includes('boolean') && isText) return 'Write true or false, without quotes';
  return undefined;
}

function explainChoice({ parentSchema, data }: SchemaError): Rule {
  const allowed = allowedValues(parentSchema) ?? [];
  const meant = typeof data === 'string' ? didYouMean(data, allowed) : undefined;
  const repair = meant === undefined ? undefined : respell(String(data), meant);
  return {
    rule: `be ${quotedList(allowed, 'or')}`,
    suggestion: correction(meant, `Use ${quotedList(allowed, 'or')}`),
    ...(repair && { repair }),
  };
}

function explainLength({ parentSchema, data }: SchemaError): Rule {
  const [least, most] = [
    Number(parentSchema['minLength'] ?? 0),
    Number(parentSchema['maxLength'] ?? Infinity),
  ];
  const length = [...String(data)].length;
  const range = most === Infinity ? `at least ${characters(least)}` : `${least} to ${characters(most)}`;
  return {
    rule: `be ${range} long`,
    found: String(length),
    suggestion:
      length > most ? `Shorten it by ${characters(length - most)}` : `Add ${characters(least - length)}`,
  };
}

/** Patterns in words, by the title of their schema. */
const patterns: Readonly<Record<string, string>> = {
  'Workflow id': 'lowercase letters, digits and dashes, with at most one dot after a namespace',
  'Step id': 'lowercase letters, digits and dashes',
  'Part id': 'letters, digits, dashes, dots and underscores',
  'Skill reference': 'the id of a skill, or workflow/id',
  'Operation reference': 'skill::operation, or workflow/skill::operation',
  Category: 'lowercase letters, digits and dashes',
  'Semantic version': 'a semantic version (major.minor.patch, such as 1.0.0)',
  'Variable name': 'letters, digits and underscores, not starting with a digit',
  'Variable, or a dotted path into one': 'the name of a variable, or a path such as plan.files',
};

function explainPattern({ parentSchema, data }: SchemaError): Rule {
  const title = String(parentSchema['title']);
  const words = patterns[title] ?? 'of another form';
  const slug = slugOf(String(data));
  const takesSlug = title === 'Category' || title.endsWith(' id');
  return {
    rule: `be ${words}`,
    suggestion: takesSlug && slug.length >= 3 ? `Use '${slug}'` : `Write ${words}`,
  };
}

function explainFewest({ parentSchema, data }: SchemaError): Rule {
  const least = Number(parentSchema['minItems']);
  if (least === 1) {
    return { rule: 'have at least one item', found: 'none', suggestion: 'Add at least one item' };
  }
  const found = String(Array.isArray(data) ? data.length : 0);
  return { rule: `have at least ${least} items`, found, suggestion: `Add items until there are ${least}` };
}

function explainRange({ parentSchema: { minimum, maximum } }: SchemaError): Rule {
  const range =
    maximum === undefined ? `${Number(minimum)} or more` : `${Number(minimum)} to ${Number(maximum)}`;
  return { rule: `be ${range}`, suggestion: 'Use a number in that range' };
}

function schemaOf({ properties }: SchemaError['parentSchema'], name: string): SchemaError['parentSchema'] {
  const schema = isJsonObject(properties) ? properties[name] : undefined;
  return isJsonObject(schema) ? schema : {};
}

function allowedValues(schema: SchemaError['parentSchema']): readonly string[] | undefined {
  const { enum: choices, const: only } = schema;
  if (Array.isArray(choices)) return choices.map(String);
  return typeof only === 'string' ? [only] : undefined;
}

function slugOf(text: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.join('-').slice(0, 64);
}

function characters(count: number): string {
  return `${count} character${count === 1 ? '' : 's'}`;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Properties of older step workflows that are no longer used, by the title of their schema. */
const olderProperties: ReadonlyMap<unknown, ReadonlySet<string>> = new Map([
  ['Step workflow', new Set(['functionDefinitions'])],
  [
    'Prompt step',
    new Set([
      'name',
      'description',
      'hasValidation',
      'functionDefinitions',
      'functionCalls',
      'functionReferences',
    ]),
  ],
  ['Loop step', new Set(['requireConfirmation', 'functionDefinitions'])],
]);

/** Tells whether an older version of this schema had a property of this name. */
function isOlderProperty(schemaTitle: unknown, name: string): boolean {
  return olderProperties.get(schemaTitle)?.has(name) ?? false;
}
