import type { Document, Node, Pair } from 'yaml';
import { escapePointer } from './json-pointer.ts';
import { maxDefinitionBytes, maxDepth } from './limits.ts';
import { duplicateKey, tooDeep, tooLarge } from './parsed-text.ts';
import type { Found, Span } from './parsed-text.ts';
import { positionsIn } from './text-position.ts';

/** A value and what it weighs once its aliases are written out. */
interface Weighed {
  readonly value: unknown;
  /** Characters of compact JSON, about. */
  readonly size: number;
  /** Levels of nesting. */
  readonly height: number;
}

interface Conversion {
  readonly yaml: typeof import('./yaml-library.ts');
  readonly text: string;
  readonly anchors: Map<string, Weighed>;
  readonly found: Found[];
  firstAlias?: number;
}

const coreTags = new Set([
  '!',
  ...['str', 'int', 'float', 'bool', 'null', 'map', 'seq'].map((name) => `tag:yaml.org,2002:${name}`),
]);

/** The plain value of a composed document, and what it may not hold. An alias becomes the very object its anchor is. */
export function toValue(
  document: Document.Parsed,
  text: string,
  yaml: typeof import('./yaml-library.ts'),
): { readonly value: unknown; readonly findings: readonly Found[] } {
  const conversion: Conversion = { yaml, text, anchors: new Map(), found: [] };
  const { value, size } = convert(document.contents, '', conversion);
  if (conversion.firstAlias !== undefined && size > maxDefinitionBytes) {
    conversion.found.push({
      severity: 'error',
      pointer: '',
      ...tooLarge('The aliases expand to', conversion.firstAlias),
    });
  }
  return { value, findings: conversion.found };
}

function convert(node: unknown, pointer: string, conversion: Conversion): Weighed {
  const { yaml, anchors } = conversion;
  if (yaml.isAlias(node)) return resolve(node, pointer, conversion);
  if (!yaml.isNode(node)) return { value: null, size: 4, height: 0 };
  if (node.tag !== undefined && !coreTags.has(node.tag)) {
    const message = `Tag '${node.tag}' is not part of the YAML core schema`;
    fail({ message, suggestion: 'Remove the tag' }, { node, pointer, conversion });
  }
  const weighed = yaml.isScalar(node)
    ? weighScalar(node.value)
    : convertCollection(node, pointer, conversion);
  if (node.anchor !== undefined) anchors.set(node.anchor, weighed);
  return weighed;
}

function weighScalar(value: unknown): Weighed {
  return { value, size: String(value).length + 3, height: 0 };
}

function resolve(node: Node & { source: string }, pointer: string, conversion: Conversion): Weighed {
  conversion.firstAlias ??= offsetOf(node);
  const target = conversion.anchors.get(node.source);
  if (target === undefined) {
    const message = `Alias '*${node.source}' has no finished anchor '&${node.source}' before it`;
    fail({ message, suggestion: 'Write the value out' }, { node, pointer, conversion });
  } else if (levelOf(pointer) + target.height > maxDepth) {
    fail(tooDeep(offsetOf(node)), { node, pointer, conversion });
  }
  return target ?? weighScalar(null);
}

function convertCollection(node: Node, pointer: string, conversion: Conversion): Weighed {
  if (levelOf(pointer) + 1 > maxDepth) fail(tooDeep(offsetOf(node)), { node, pointer, conversion });
  if (conversion.yaml.isMap(node)) return convertMap(node.items, pointer, conversion);
  const items = conversion.yaml.isSeq(node) ? node.items : [];
  const members = items.map((item, index) => convert(item, `${pointer}/${index}`, conversion));
  return weighCollection(
    members.map(({ value }) => value),
    members,
  );
}

function convertMap(pairs: readonly Pair[], pointer: string, conversion: Conversion): Weighed {
  const members = new Map<string, { readonly offset: number; readonly weighed: Weighed }>();
  let size = 0;
  for (const { key, value } of pairs) {
    const offset = offsetOf(key);
    const name = nameOf(key, pointer, conversion);
    const place = `${pointer}/${escapePointer(name)}`;
    const first = members.get(name)?.offset;
    if (first !== undefined) {
      const firstLine = positionsIn(conversion.text)(first).line;
      conversion.found.push(duplicateKey(name, place, { offset, firstLine }));
    }
    members.set(name, { offset, weighed: convert(value, place, conversion) });
    size += name.length + 3;
  }
  // A Map first: `__proto__` then becomes an own key as JSON.parse makes it.
  const entries = [...members].map(([name, { weighed }]) => [name, weighed.value] as const);
  const { height, size: inner } = weighCollection(
    undefined,
    [...members.values()].map(({ weighed }) => weighed),
  );
  return { value: Object.fromEntries(entries), size: size + inner, height };
}

function weighCollection(value: unknown, members: readonly Weighed[]): Weighed {
  return {
    value,
    size: members.reduce((sum, member) => sum + member.size, 2),
    height: members.reduce((most, member) => Math.max(most, member.height), 0) + 1,
  };
}

/** The name a key stands for; a key that is not text is recorded. */
function nameOf(key: unknown, pointer: string, conversion: Conversion): string {
  const { yaml } = conversion;
  if (!yaml.isScalar(key)) {
    const node = yaml.isNode(key) ? key : undefined;
    fail(
      { message: 'A key that is not text', suggestion: 'Write keys as plain text' },
      { node, pointer, conversion },
    );
    return '';
  }
  convert(key, pointer, conversion);
  const name = String(key.value);
  if (name === '<<' && key.type === 'PLAIN') {
    const message = "Merge keys ('<<') are not supported";
    fail({ message, suggestion: 'Write the keys out' }, { node: key, pointer, conversion });
  } else if (typeof key.value !== 'string') {
    const message = `Key ${name} is not text`;
    fail({ message, suggestion: `Put it in quotes: "${name}"` }, { node: key, pointer, conversion });
  }
  return name;
}

interface Place {
  readonly node: Node | undefined;
  readonly pointer: string;
  readonly conversion: Conversion;
}

function fail(
  what: Pick<Found, 'message' | 'suggestion'> & Partial<Pick<Found, 'code'>>,
  { node, pointer, conversion }: Place,
): void {
  conversion.found.push({
    code: 'unsupported-syntax',
    ...what,
    severity: 'error',
    pointer,
    offset: offsetOf(node),
  });
}

/** Where a node starts in its text. */
export function offsetOf(node: unknown): number {
  return spanOf(node).start;
}

/** Where a node stands in its text, without the comments behind it. */
export function spanOf(node: unknown): Span {
  if (typeof node !== 'object' || node === null || !('range' in node) || !Array.isArray(node.range)) {
    return { start: 0 };
  }
  return { start: Number(node.range[0]), end: Number(node.range[1]) };
}

function levelOf(pointer: string): number {
  return pointer.split('/').length - 1;
}
