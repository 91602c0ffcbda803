import type { Document } from 'yaml';
import { fromPointer } from './json-pointer.ts';
import type { Locate } from './parsed-text.ts';
import { offsetOf, spanOf } from './yaml-values.ts';

/** Finds places in a composed document; what lies behind an alias goes by the alias. */
export function locateInYaml(
  { contents }: Document.Parsed,
  yaml: typeof import('./yaml-library.ts'),
): Locate {
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
