import { syntaxError, yamlMessages } from '../messages/syntax.ts';
import type { Document, Node, Pair } from 'yaml';
import { escapePointer, fromPointer } from '../json.ts';
import { maxDefinitionBytes, maxDefinitionValues, maxDepth } from '../limits.ts';
import type { TextFinding, Locate, Parsed, Refusal, Span } from './parsed-text.ts';
import { fileMessages } from '../messages/files.ts';
import type { Problem } from '../messages/workflow.ts';
import { describePosition, duplicateKey, refused } from './parsed-text.ts';

const options = {
  schema: 'core',
  version: '1.2',
  merge: false,
  resolveKnownTags: false,
  // Duplicate keys are found during conversion. The library's own check takes quadratic time.
  uniqueKeys: false,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** Parses one document of YAML 1.2, core schema. `yaml` is loaded with the first text. */
export async function readYaml(text: string): Promise<Parsed> {
  const yaml = await import('./yaml-library.ts');
  const composed = compose(text, yaml);
  if (!('contents' in composed)) return refused(composed);
  return {
    ...toValue(composed, text, yaml),
    locator: () => Promise.resolve(locateInYaml(composed, yaml)),
  };
}

/** Composes token by token, so that a hostile text is refused before the library has built all of it. */
function compose(
  text: string,
  { Composer, Lexer, Parser }: typeof import('./yaml-library.ts'),
): Document.Parsed | Refusal {
  const parser = new Parser();
  const composer = new Composer(options);
  const documents: Document.Parsed[] = [];
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    count += 1;
    if (count > maxDefinitionValues) return { ...fileMessages.tooManyValues('YAML tokens'), offset: 0 };
    for (const token of parser.next(lexeme)) {
      if (token.type === 'error') return yamlError(text, token.message, token.offset);
      documents.push(...composer.next(token));
    }
    // The stack holds the document, the open collections and a scalar.
    if (parser.stack.length > maxDepth + 2) return { ...fileMessages.tooDeep(), offset: parser.offset };
    if (documents.length > 1) break;
  }
  for (const token of parser.end()) documents.push(...composer.next(token));
  documents.push(...composer.end(documents.length === 0, text.length));
  return onlyOne(documents, text);
}

function onlyOne([document, second]: readonly Document.Parsed[], text: string): Document.Parsed | Refusal {
  const [error] = document?.errors ?? [];
  if (document === undefined || error !== undefined) {
    return yamlError(text, error?.message ?? yamlMessages.noDocument(), error?.pos[0] ?? 0);
  }
  return second === undefined ? document : { ...yamlMessages.severalDocuments(), offset: second.range[0] };
}

function yamlError(text: string, what: string, offset: number): Refusal {
  const position = describePosition(text, offset);
  return { ...syntaxError('YAML', what, { position, suggestion: yamlMessages.syntax() }), offset };
}

/** A value with its size after expanding aliases. */
interface SizedValue {
  readonly value: unknown;
  /** Approximate length as compact JSON. */
  readonly size: number;
  /** Levels of nesting. */
  readonly height: number;
}

interface Conversion {
  readonly yaml: typeof import('./yaml-library.ts');
  readonly text: string;
  readonly anchors: Map<string, SizedValue>;
  readonly found: TextFinding[];
  firstAlias?: number;
}

const coreTags = new Set([
  '!',
  ...['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
]);

/**
 * Converts a composed document into a plain value and finds unsupported content. An alias becomes the same object as
 * its anchor.
 */
function toValue(
  document: Document.Parsed,
  text: string,
  yaml: typeof import('./yaml-library.ts'),
): { readonly value: unknown; readonly findings: readonly TextFinding[] } {
  const conversion: Conversion = { yaml, text, anchors: new Map(), found: [] };
  const { value, size } = convert(document.contents, '', conversion);
  if (conversion.firstAlias !== undefined && size > maxDefinitionBytes) {
    const problem = fileMessages.tooLarge('aliases');
    conversion.found.push({ ...problem, pointer: '', offset: conversion.firstAlias });
  }
  return { value, findings: conversion.found };
}

function convert(node: unknown, pointer: string, conversion: Conversion): SizedValue {
  const { yaml, anchors } = conversion;
  if (yaml.isAlias(node)) return resolve(node, pointer, conversion);
  if (!yaml.isNode(node)) return { value: null, size: 4, height: 0 };
  if (node.tag !== undefined && !coreTags.has(node.tag)) {
    fail(yamlMessages.unknownTag(node.tag), { node, pointer, conversion });
  }
  const weighed = yaml.isScalar(node)
    ? sizedScalar(node.value)
    : convertCollection(node, pointer, conversion);
  if (node.anchor !== undefined) anchors.set(node.anchor, weighed);
  return weighed;
}

function sizedScalar(value: unknown): SizedValue {
  return { value, size: String(value).length + 3, height: 0 };
}

function resolve(node: Node & { source: string }, pointer: string, conversion: Conversion): SizedValue {
  conversion.firstAlias ??= offsetOf(node);
  const target = conversion.anchors.get(node.source);
  if (target === undefined) {
    fail(yamlMessages.unknownAlias(node.source), { node, pointer, conversion });
  } else if (levelOf(pointer) + target.height > maxDepth) {
    fail(fileMessages.tooDeep(), { node, pointer, conversion });
  }
  return target ?? sizedScalar(null);
}

function convertCollection(node: Node, pointer: string, conversion: Conversion): SizedValue {
  if (levelOf(pointer) + 1 > maxDepth) fail(fileMessages.tooDeep(), { node, pointer, conversion });
  if (conversion.yaml.isMap(node)) return convertMap(node.items, pointer, conversion);
  const items = conversion.yaml.isSeq(node) ? node.items : [];
  const members = items.map((item, index) => convert(item, `${pointer}/${index}`, conversion));
  return sizedCollection(
    members.map(({ value }) => value),
    members,
  );
}

function convertMap(pairs: readonly Pair[], pointer: string, conversion: Conversion): SizedValue {
  const members = new Map<string, { readonly offset: number; readonly weighed: SizedValue }>();
  let size = 0;
  for (const { key, value } of pairs) {
    const offset = offsetOf(key);
    const name = nameOf(key, pointer, conversion);
    const place = `${pointer}/${escapePointer(name)}`;
    const first = members.get(name)?.offset;
    if (first !== undefined) {
      conversion.found.push(duplicateKey(name, place, { text: conversion.text, first, offset }));
    }
    members.set(name, { offset, weighed: convert(value, place, conversion) });
    size += name.length + 3;
  }
  // Object.fromEntries makes `__proto__` an own key, as JSON.parse does.
  const entries = [...members].map(([name, { weighed }]) => [name, weighed.value] as const);
  const { height, size: inner } = sizedCollection(
    undefined,
    [...members.values()].map(({ weighed }) => weighed),
  );
  return { value: Object.fromEntries(entries), size: size + inner, height };
}

function sizedCollection(value: unknown, members: readonly SizedValue[]): SizedValue {
  return {
    value,
    size: members.reduce((sum, member) => sum + member.size, 2),
    height: members.reduce((most, member) => Math.max(most, member.height), 0) + 1,
  };
}

/** Returns the name of a key. Reports a key that isn't text. */
function nameOf(key: unknown, pointer: string, conversion: Conversion): string {
  const { yaml } = conversion;
  if (!yaml.isScalar(key)) {
    const node = yaml.isNode(key) ? key : undefined;
    fail(yamlMessages.complexKey(), { node, pointer, conversion });
    return '';
  }
  convert(key, pointer, conversion);
  const name = String(key.value);
  if (name === '<<' && key.type === 'PLAIN') {
    fail(yamlMessages.mergeKey(), { node: key, pointer, conversion });
  } else if (typeof key.value !== 'string') {
    fail(yamlMessages.keyNotText(name), { node: key, pointer, conversion });
  }
  return name;
}

interface Place {
  readonly node: Node | undefined;
  readonly pointer: string;
  readonly conversion: Conversion;
}

function fail(problem: Problem, { node, pointer, conversion }: Place): void {
  conversion.found.push({ ...problem, pointer, offset: offsetOf(node) });
}

function offsetOf(node: unknown): number {
  return spanOf(node).start;
}

/** Returns the range of a node in its text, without the comments after it. */
function spanOf(node: unknown): Span {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) {
    return { start: 0 };
  }
  return { start: Number(node.range[0]), end: Number(node.range[1]) };
}

function levelOf(pointer: string): number {
  return pointer.split('/').length - 1;
}

/** Returns a function that locates places in a composed document. A place inside an alias is located at the alias. */
function locateInYaml({ contents }: Document.Parsed, yaml: typeof import('./yaml-library.ts')): Locate {
  return (pointer, atKey) => {
    let [key, value]: readonly unknown[] = [undefined, contents];
    for (const part of fromPointer(pointer)) {
      const next = childOf(value, part, yaml);
      if (next === undefined) return { start: offsetOf(value ?? key) };
      [key, value] = next;
    }
    return spanOf(atKey ? (key ?? value) : (value ?? key));
  };
}

function childOf(
  node: unknown,
  part: string,
  yaml: typeof import('./yaml-library.ts'),
): readonly [key: unknown, value: unknown] | undefined {
  if (yaml.isSeq(node)) {
    const index = Number(part);
    return index in node.items ? [undefined, node.items[index]] : undefined;
  }
  if (!yaml.isMap(node)) return undefined;
  const pair = node.items.find(({ key }) => yaml.isScalar(key) && String(key.value) === part);
  return pair && [pair.key, pair.value];
}
