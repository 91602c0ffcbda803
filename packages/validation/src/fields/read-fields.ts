import type { Field, FieldMap, Json, JsonObject } from '@workflowlookup/schema';
import { fieldsIn, isJsonObject } from '@workflowlookup/schema';

/** The fields of an output. */
export interface FieldReading {
  readonly values: JsonObject;
  /** The names of the fields and labels that the output has. */
  readonly found: readonly string[];
}

/**
 * Reads the fields of an output: an object in JSON, alone or as one fenced block, or a text with labels. A label is the name of a
 * field at the start of a line before a colon, in bold, or as a Markdown heading. Labels may come in any order. A text
 * without labels is the value of the field if the step has only one, and that is a text. Values are not checked.
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

/** Returns the JSON value of a text, which is JSON as a whole or one fenced block, or `undefined`. */
function parseJson(text: string): Json | undefined {
  const [, fenced] = /^\s*```(?:json)?[ \t]*\r?\n([\s\S]*)\n```\s*$/i.exec(text) ?? [];
  const source = (fenced ?? text).trim();
  if (!/^[[{]/.test(source) || isTooDeep(source)) return undefined;
  try {
    return JSON.parse(source) as Json;
  } catch {
    // The text is no JSON, and may have labels.
    return undefined;
  }
}

/** The deepest JSON that is read. Deeper JSON could overflow the stack. */
const maxDepth = 100;

function isTooDeep(text: string): boolean {
  let depth = 0;
  let isInString = false;
  for (let index = 0; index < text.length; index += 1) {
    const char = text[index];
    if (isInString) {
      if (char === '\\') index += 1;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '[' || char === '{') {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (char === ']' || char === '}') depth -= 1;
  }
  return false;
}

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
const boldPattern =
  /^\s{0,8}(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?(?:\*\*|__)([^*_:：][^*:：]{0,100}?)[ \t]*[:：]?[ \t]*(?:\*\*|__)[ \t]*[:：]?[ \t]*(.*)$/;
const plainPattern =
  /^\s{0,8}(?:[-*+][ \t]+|\d{1,3}[.)][ \t]+)?([\p{L}][\p{L}\p{N}_ -]{0,100}?)[ \t]*[:：](.*)$/u;

function labelIn(line: string): Label | undefined {
  const heading = headingPattern.exec(line);
  if (heading !== null) {
    const text = (heading[2] ?? '')
      .replace(/[ \t]+#+[ \t]*$/, '')
      .replaceAll(/\*\*|__/g, '')
      .trim();
    const colon = text.search(/[:：]/);
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

/** Returns the value that a text has as a field. A text that can't be such a value is returned as it is. */
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

/** A longer text is no number, word or option. */
const maxWordLength = 500;

/** A value without quotes, emphasis and a final full stop. */
function bare(text: string): string {
  if (text.length > maxWordLength) return text;
  return text
    .trim()
    .replaceAll(/^[`*_"']+|[`*_"'.]+$/g, '')
    .trim();
}

function listOf({ items = 'text', options }: Omit<Field, 'id'>, text: string): Json {
  const json = parseJson(text);
  if (Array.isArray(json)) return json;
  if (/^\(?(none|nothing|-|—|n\/a)\)?\.?$/i.test(text.trim())) return [];
  if (typeof items === 'object') {
    const rows = rowsOf(items, text);
    if (rows !== undefined) return rows;
  }
  return itemTexts(text).map((item) => {
    if (options !== undefined) return valueOf({ type: 'choice', options }, item);
    return typeof items === 'string' ? valueOf({ type: items }, item) : objectOf(items, item);
  });
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
