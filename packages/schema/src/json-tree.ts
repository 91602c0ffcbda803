import type { Node } from 'jsonc-parser';
import { escapePointer, fromPointer } from './json-pointer.ts';
import { duplicateKey } from './parsed-text.ts';
import type { Found, Locate, Span } from './parsed-text.ts';
import { positionsIn } from './text-position.ts';

/** A value in the tree of a JSON text, and the key it stands under. */
interface Entry {
  readonly name: string;
  readonly key?: Node;
  readonly value?: Node;
}

/** Finds places in a valid JSON text. */
export async function locateInJson(text: string): Promise<Locate> {
  const { parseTree } = await import('./jsonc-library.ts');
  const root = parseTree(text);
  const known = new Map<Node | undefined, ReadonlyMap<string, Entry>>();
  const childrenOf = (node: Node | undefined): ReadonlyMap<string, Entry> => {
    const children = known.get(node) ?? new Map(entriesOf(node).map((entry) => [entry.name, entry]));
    known.set(node, children);
    return children;
  };
  return (pointer, atKey) => {
    let entry: Entry = { name: '', ...(root && { value: root }) };
    for (const part of fromPointer(pointer)) {
      const next = childrenOf(entry.value).get(part);
      if (next?.value === undefined) return { start: entry.value?.offset ?? 0 };
      entry = next;
    }
    return spanOf(atKey ? (entry.key ?? entry.value) : entry.value);
  };
}

/** Finds every key that its object already has, in a valid JSON text. */
export async function findDuplicateKeys(text: string): Promise<readonly Found[]> {
  const { parseTree } = await import('./jsonc-library.ts');
  const positionOf = positionsIn(text);
  const found: Found[] = [];
  const visit = (node: Node | undefined, pointer: string): void => {
    const offsets = new Map<string, number>();
    for (const { name, key, value } of entriesOf(node)) {
      const place = `${pointer}/${escapePointer(name)}`;
      const first = offsets.get(name);
      if (key !== undefined && first !== undefined) {
        found.push(duplicateKey(name, place, { offset: key.offset, firstLine: positionOf(first).line }));
      } else if (key !== undefined) offsets.set(name, key.offset);
      visit(value, place);
    }
  };
  visit(parseTree(text), '');
  return found;
}

function spanOf(node: Node | undefined): Span {
  return node === undefined ? { start: 0 } : { start: node.offset, end: node.offset + node.length };
}

function entriesOf(node: Node | undefined): readonly Entry[] {
  return (node?.children ?? []).map((child, index) => {
    if (child.type !== 'property') return { name: String(index), value: child };
    const [key, value] = child.children ?? [];
    return { name: String(key?.value), ...(key && { key }), ...(value && { value }) };
  });
}
