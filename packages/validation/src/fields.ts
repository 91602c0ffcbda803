import type { Field, FieldMap, Json, JsonObject, FieldType, InnerField } from '@workflowlookup/schema';
import { defined, fieldsIn, isJsonObject, isNestedDeeper } from '@workflowlookup/schema';
import { fieldMessages, exampleFor, itemFieldOf } from './messages.ts';

/** The fields of an output. */
export interface FieldReading {
  readonly values: JsonObject;
  /** The names of the fields and labels that the output has. */
  readonly found: readonly string[];
}

/**
 * Reads the fields of an output. The output is a JSON object, alone or as one fenced block, or a text with labels. A
 * label is the name of a field at the start of a line before a colon, in bold, or as a Markdown heading. Labels may
 * come in any order. If the step has only one field and its type is text, an output without labels is its value. Values
 * are not checked.
 */
export function readFields(fields: readonly Field[], output: string): FieldReading {
  const json = parseObject(output);
  if (json !== undefined) return { values: json, found: Object.keys(json) };
  const { sections, others } = splitByLabels(output, fields);
  const [only] = fields;
  if (sections.size === 0 && fields.length === 1 && only !== undefined && (only.type ?? 'text') === 'text')
    return { values: { [only.id]: output.trim() }, found: [only.id] };
  const values = Object.fromEntries(
    fields.flatMap((field) => {
      const text = sections.get(field.id);
      return text === undefined ? [] : [[field.id, valueOf(field, text)] as const];
    }),
  );
  return { values, found: [...sections.keys(), ...others] };
}

function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isJsonObject(value) ? value : undefined;
}

/** Returns why a text that begins like a JSON object can't be parsed, or `undefined` for all other texts. */
function jsonProblem(text: string): string | undefined {
  const source = unfenced(text);
  if (!source.startsWith('{') || isNestedDeeper(source, maxDepth)) return undefined;
  const read = readJson(source);
  return 'problem' in read ? read.problem : undefined;
}

/** Returns the value of a text that is JSON, alone or as one fenced block. Returns `undefined` for any other text. */
function parseJson(text: string): Json | undefined {
  const source = unfenced(text);
  if (!/^[[{]/.test(source) || isNestedDeeper(source, maxDepth)) return undefined;
  const read = readJson(source);
  // A text that is not JSON may have labels instead.
  return 'json' in read ? (read.json as Json) : undefined;
}

/** Returns a text without the fence around it. JSON can't contain a second fence. */
export function unfenced(output: string): string {
  const text = output.trim();
  const [opening = ''] = /^```(?:json)?[ \t]*\r?\n/i.exec(text) ?? [];
  if (opening === '' || !text.endsWith('\n```')) return text;
  return text.slice(opening.length, -4).trim();
}

/** Returns the value of a JSON text, or why the text is not JSON. */
export function readJson(text: string): { readonly json: unknown } | { readonly problem: string } {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: error.message };
  }
}

/** The deepest JSON that is read. Deeper JSON could overflow the stack. */
const maxDepth = 100;

interface Sections {
  /** The text of each field that has a label. */
  readonly sections: ReadonlyMap<string, string>;
  /** Labels that name no field. */
  readonly others: readonly string[];
}

interface Label {
  readonly name: string;
  /** The text after the label, on the same line. */
  readonly rest: string;
  /** The level of a heading. */
  readonly level?: number;
}

function splitByLabels(text: string, fields: readonly Field[]): Sections {
  const ids = new Map(fields.map(({ id }) => [normalized(id), id]));
  const sections = new Map<string, string[]>();
  const others: string[] = [];
  let current: { readonly lines: string[]; readonly level: number | undefined } | undefined;
  let fence: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const [, mark] = /^\s*(```|~~~)/.exec(line) ?? [];
    if (mark !== undefined) fence = fence === undefined ? mark : fence === mark ? undefined : fence;
    const label = fence === undefined && mark === undefined ? labelIn(line) : undefined;
    const id = label === undefined ? undefined : ids.get(normalized(label.name));
    if (label !== undefined && id !== undefined) {
      const lines = sections.get(id) ?? [];
      sections.set(id, lines);
      if (label.rest !== '') lines.push(label.rest);
      current = { lines, level: label.level };
      continue;
    }
    if (label?.level !== undefined) {
      others.push(label.name);
      // A heading that names no field ends the field before it, unless it is a part of that field.
      if (current?.level === undefined || label.level <= current.level) current = undefined;
    }
    current?.lines.push(line);
  }
  return {
    sections: new Map([...sections].map(([id, lines]) => [id, lines.join('\n').trim()])),
    others,
  };
}

const headingPattern = /^ {0,3}(#{1,6})[ \t]+(.{1,200})$/;
// \uFF1A is the colon of Chinese and Japanese text.
const boldPattern =
  /^\s{0,8}(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?(?:\*\*|__)([^*_:\uFF1A][^*:\uFF1A]{0,100}?)[ \t]*[:\uFF1A]?[ \t]*(?:\*\*|__)[ \t]*[:\uFF1A]?[ \t]*(.*)$/;
const plainPattern =
  /^\s{0,8}(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?([\p{L}][\p{L}\p{N}_ -]{0,100}?)[ \t]*[:\uFF1A](.*)$/u;

function labelIn(line: string): Label | undefined {
  const heading = headingPattern.exec(line);
  if (heading !== null) {
    const text = (heading[2] ?? '')
      .replace(/[ \t]+#+[ \t]*$/, '')
      .replaceAll(/\*\*|__/g, '')
      .trim();
    const colon = text.search(/[:\uFF1A]/);
    const name = colon < 0 ? text : text.slice(0, colon);
    const rest = colon < 0 ? '' : text.slice(colon + 1).trim();
    return { name, rest, level: heading[1]?.length ?? 1 };
  }
  const [, name, rest] = boldPattern.exec(line) ?? plainPattern.exec(line) ?? [];
  return name === undefined ? undefined : { name, rest: (rest ?? '').trim() };
}

/** Returns a name in lower-case words, so that `rootCause`, `root_cause` and `Root cause` are equal. */
function normalized(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** Converts a text into a value of the field's type. Returns the text unchanged if that is not possible. */
function valueOf(field: Omit<Field, 'id'>, text: string): Json {
  switch (field.type ?? 'text') {
    case 'text':
      return text;
    case 'number': {
      const plain = bare(text).replaceAll(/(?<=\d)[_,](?=\d{3}\b)/g, '');
      return /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(plain) ? Number(plain) : text;
    }
    case 'boolean': {
      const word = bare(text).toLowerCase();
      if (['true', 'yes'].includes(word)) return true;
      return ['false', 'no'].includes(word) ? false : text;
    }
    case 'choice': {
      const word = normalized(bare(text));
      return field.options?.find((option) => normalized(option) === word) ?? text;
    }
    case 'list':
      return listOf(field, text);
    case 'object':
      return objectOf(field.properties ?? {}, text);
  }
}

/** A longer text can't be a number, a word or an option. */
const maxWordLength = 500;

/** Returns a value without quotes, emphasis and a final full stop. */
function bare(text: string): string {
  if (text.length > maxWordLength) return text;
  return text
    .trim()
    .replaceAll(/^[`*_"']+|[`*_"'.]+$/g, '')
    .trim();
}

function listOf(field: Omit<Field, 'id'>, text: string): Json {
  const json = parseJson(text);
  if (Array.isArray(json)) return json;
  if (/^\(?(none|nothing|-|\u2014|n\/a)\)?\.?$/i.test(text.trim())) return [];
  if (typeof field.items === 'object') {
    const rows = rowsOf(field.items, text);
    if (rows !== undefined) return rows;
  }
  return itemTexts(text).map((item) => valueOf(itemFieldOf(field), item));
}

const bulletPattern = /^([ \t]*)(?:[-*+]|\d{1,3}[.)])[ \t]+(.*)$/;

/** Returns the items of a Markdown list with the lines that belong to each, or every line if there is no list. */
function itemTexts(text: string): readonly string[] {
  const lines = text.split('\n');
  const indent = lines
    .map((line) => bulletPattern.exec(line)?.[1]?.length)
    .find((width) => width !== undefined);
  if (indent === undefined) return lines.map((line) => line.trim()).filter((line) => line !== '');
  const items: string[][] = [];
  for (const line of lines) {
    const [, space = '', rest = ''] = bulletPattern.exec(line) ?? [];
    const isNew = bulletPattern.test(line) && space.length <= indent;
    if (isNew) items.push([rest]);
    else items.at(-1)?.push(line.trim());
  }
  return items.map((item) => item.join('\n').trim());
}

function objectOf(map: FieldMap, text: string): Json {
  const json = parseJson(text);
  if (isJsonObject(json)) return json;
  const fields = fieldsIn(map);
  const names = fields.map(({ id }) => id.replaceAll(/[^A-Za-z0-9]/g, '.')).join('|');
  // `id: a; mechanism: b` on one line
  const lines =
    names === ''
      ? text
      : text.replaceAll(new RegExp(`[;,|][ \\t]*(?=(?:\\*\\*)?(?:${names})(?:\\*\\*)?[ \\t]*:)`, 'gi'), '\n');
  return readFields(fields, lines).values;
}

/** Returns the rows of a Markdown table whose columns are named like the fields. */
function rowsOf(map: FieldMap, text: string): readonly Json[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim().startsWith('|'));
  const [head = '', rule = '', ...rows] = lines;
  if (!/^[\s|:-]+$/.test(rule) || !rule.includes('-')) return undefined;
  const fields = fieldsIn(map);
  const columns = cellsOf(head).map((name) => fields.find(({ id }) => normalized(id) === normalized(name)));
  if (columns.every((column) => column === undefined)) return undefined;
  return rows.map((row) =>
    Object.fromEntries(
      cellsOf(row).flatMap((cell, index) => {
        const column = columns[index];
        return column === undefined ? [] : [[column.id, valueOf(column, cell)] as const];
      }),
    ),
  );
}

function cellsOf(row: string): readonly string[] {
  return row
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** A field of an output that is missing or has a wrong value. */
interface FieldProblem {
  /** The field, with the place inside it, such as `hypotheses[1].mechanism`. */
  readonly field: string;
  readonly message: string;
}

/**
 * Checks values against their fields, by the same rules as the JSON Schema of the fields. Each problem names the
 * field and the value found. White space at the ends of a text is ignored.
 *
 * @param path the place of the values in the output, with a dot at its end
 */
function checkFields(fields: readonly Field[], values: JsonObject, path = ''): readonly FieldProblem[] {
  return fields.flatMap((field) => checkField(field, path + field.id, at(values, field.id)));
}

function at(values: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

function checkField(field: InnerField, path: string, value: Json | undefined): readonly FieldProblem[] {
  const isBlank = typeof value === 'string' && value.trim() === '';
  if (value === undefined || value === null || isBlank) {
    if (field.required === false) return [];
    return [{ field: path, message: fieldMessages.missing(path, field) }];
  }
  return checks[field.type ?? 'text'](field, path, value);
}

type Check = (field: InnerField, path: string, value: Json) => readonly FieldProblem[];

const checks: Readonly<Record<FieldType, Check>> = {
  text: checkText,
  number: checkNumber,
  boolean: (field, path, value) => (typeof value === 'boolean' ? [] : wrongType(field, path, value)),
  choice: ({ options = [] }, path, value) =>
    typeof value === 'string' && options.includes(value)
      ? []
      : [{ field: path, message: fieldMessages.notAnOption(path, value, options) }],
  list: (field, path, value) =>
    Array.isArray(value) ? checkList(field, path, value) : wrongType(field, path, value),
  object: (field, path, value) => {
    if (!isJsonObject(value)) return wrongType(field, path, value);
    return checkFields(fieldsIn(field.properties ?? {}), value, `${path}.`);
  },
};

function wrongType(field: InnerField, path: string, value: Json): readonly FieldProblem[] {
  return [{ field: path, message: fieldMessages.wrongType(path, field, value) }];
}

function checkText(field: InnerField, path: string, value: Json): readonly FieldProblem[] {
  if (typeof value !== 'string') return wrongType(field, path, value);
  const length = [...value.trim()].length;
  const { min_length: least = 0, max_length: most = Infinity } = field;
  if (length < least)
    return [{ field: path, message: fieldMessages.tooShort(path, field, { length, least, value }) }];
  return length > most ? [{ field: path, message: fieldMessages.tooLong(path, length, most) }] : [];
}

function checkNumber(field: InnerField, path: string, value: Json): readonly FieldProblem[] {
  if (typeof value !== 'number') return wrongType(field, path, value);
  const { min = -Infinity, max = Infinity } = field;
  const isInRange = value >= min && value <= max;
  return isInRange ? [] : [{ field: path, message: fieldMessages.outOfRange(path, value, field) }];
}

function checkList(field: InnerField, path: string, values: readonly Json[]): readonly FieldProblem[] {
  const { min_items: least = 0, max_items: most = Infinity } = field;
  const count =
    values.length < least
      ? fieldMessages.tooFew(path, field, { count: values.length, least })
      : values.length > most
        ? fieldMessages.tooMany(path, values.length, most)
        : undefined;
  const wrong = values.flatMap((value, index) => checkField(itemFieldOf(field), `${path}[${index}]`, value));
  return [...(count === undefined ? [] : [{ field: path, message: count }]), ...wrong];
}

/**
 * Returns the JSON Schema for an output with these fields. It allows further properties. A required text must also
 * contain more than white space; the schema does not say so, to stay short.
 *
 * @example
 * ```ts
 * schemaOfFields([{ id: 'observed', min_length: 40 }]);
 * // { type: 'object', required: ['observed'], properties: { observed: { type: 'string', minLength: 40 } } }
 * ```
 */
export function schemaOfFields(fields: readonly Field[]): JsonObject {
  const required = fields.filter((field) => field.required !== false).map(({ id }) => id);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(fields.map((field) => [field.id, schemaOf(field)])),
  };
}

function schemaOf(field: InnerField): JsonObject {
  const { description } = field;
  return { ...typeOf(field), ...defined({ description }) };
}

function typeOf({ type = 'text', ...field }: InnerField): JsonObject {
  switch (type) {
    case 'text':
      return defined({ type: 'string', minLength: field.min_length, maxLength: field.max_length });
    case 'number':
      return defined({ type: 'number', minimum: field.min, maximum: field.max });
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { enum: field.options ?? [] };
    case 'list':
      return defined({
        type: 'array',
        items: typeOf(itemFieldOf(field)),
        minItems: field.min_items,
        maxItems: field.max_items,
      });
    case 'object':
      return field.properties === undefined ? { type: 'object' } : schemaOfFields(fieldsIn(field.properties));
  }
}

/** The fields of an output with the problems found. */
export interface JudgedFields {
  /** The fields without a problem. */
  readonly valid: JsonObject;
  /** All fields, as they were read. */
  readonly values: JsonObject;
  /** Each issue names its field. */
  readonly issues: readonly string[];
  readonly suggestions: readonly string[];
}

/** How many problems of an output are listed. */
const mostProblems = 20;

/** Reads the fields of an output and checks them. */
export function judgeFields(fields: readonly Field[], output: string): JudgedFields {
  const { values, found } = readFields(fields, output);
  const problems = checkFields(fields, values);
  const wrong = new Set(problems.map(({ field }) => /^[\w-]+/.exec(field)?.[0]));
  const valid = Object.fromEntries(
    fields.flatMap(({ id }) => {
      const value = at(values, id);
      return value === undefined || value === null || wrong.has(id) ? [] : [[id, value] as const];
    }),
  );
  const isMissing = fields.some(({ id }) => wrong.has(id) && !Object.hasOwn(values, id));
  return {
    valid,
    values,
    issues: [
      ...problems.slice(0, mostProblems).map(({ message }) => message),
      ...(isMissing ? [missingReason(output, found)] : []),
    ],
    suggestions:
      problems.length === 0 ? [] : [fieldMessages.submitObject(JSON.stringify(exampleOutput(fields)))],
  };
}

/** Explains why fields are missing: the output has other fields, or it is broken JSON. */
function missingReason(output: string, found: readonly string[]): string {
  const problem = found.length === 0 ? jsonProblem(output) : undefined;
  return problem === undefined ? fieldMessages.found(found) : fieldMessages.brokenJson(problem);
}

/** Returns an output that shows the fields of a step. */
function exampleOutput(fields: readonly Field[]): Json {
  return Object.fromEntries(
    fields.filter(({ required }) => required !== false).map((field) => [field.id, exampleFor(field)]),
  );
}
