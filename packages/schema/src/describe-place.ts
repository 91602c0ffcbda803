import { fromPointer } from './json-pointer.ts';
import { isJsonObject } from './json.ts';

const stepPath = /^(\/steps\/\d+)(\/body\/\d+)*$/;

/**
 * A place of a document in words: `'prompt' of step 'plan'`, `loop 'again'`, `'tags[1]'`; empty for the whole
 * document. A step without an id goes by its path.
 */
export function describePlace(document: unknown, pointer: string): string {
  let owner = '';
  let path = '';
  let walked = '';
  let value = document;
  for (const part of fromPointer(pointer)) {
    const isItem = Array.isArray(value);
    value = childOf(value, part);
    walked += `/${part}`;
    path += isItem ? `[${part}]` : `${path === '' ? '' : '.'}${shorten(part)}`;
    if (stepPath.test(walked) && isJsonObject(value) && typeof value['id'] === 'string') {
      owner = `${value['type'] === 'loop' ? 'loop' : 'step'} '${shorten(value['id'])}'`;
      path = '';
    }
  }
  if (path === '') return owner;
  return owner === '' ? `'${path}'` : `'${path}' of ${owner}`;
}

/** A place as the end of a sentence, nothing for the whole document. */
export function within(place: string): string {
  return place === '' ? '' : ` in ${place}`;
}

/** A text short enough for a message. */
export function shorten(text: string): string {
  return text.length > 64 ? `${text.slice(0, 64)}…` : text;
}

function childOf(value: unknown, part: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[part];
}
