import type { JsonStreamEvent } from '@toon-format/toon';
import { escapePointer, fromPointer } from './json-pointer.ts';
import type { Locate } from './parsed-text.ts';

/** Where a value stands in a text, and the key before it; offsets in UTF-16 units. */
interface Place {
  readonly value: number;
  readonly key?: number;
  readonly children?: Map<string, Place>;
}

/** An object or list that is being built. */
interface Frame {
  readonly place: Place;
  readonly list?: unknown[];
  readonly entries: [name: string, value: unknown][];
  key?: { readonly name: string; readonly offset: number };
}

/** Builds a value, and where its parts stand, from the events of a decoder. */
export interface TreeBuilder {
  /** Takes one event and where in the text it comes from. */
  readonly take: (event: JsonStreamEvent, offset: number) => void;
  readonly depth: () => number;
  /** The key whose value comes next. */
  readonly key: () => string | undefined;
  /** Whether an item of a list comes next. */
  readonly inList: () => boolean;
  /** Where the object that is being read has a key. */
  readonly placeOfKey: (name: string) => Place | undefined;
  /** JSON pointer of the value that comes next. */
  readonly pointer: () => string;
  readonly value: () => unknown;
  readonly locate: Locate;
}

/** Starts a tree. */
export function buildTree(): TreeBuilder {
  const stack: Frame[] = [];
  let value: unknown = {};
  let root: Place = { value: 0 };

  const placed = (offset: number, children?: Map<string, Place>): Place => {
    const key = stack.at(-1)?.key?.offset;
    return { value: offset, ...(key !== undefined && { key }), ...(children && { children }) };
  };
  const put = (member: unknown, place: Place): void => {
    const frame = stack.at(-1);
    if (frame === undefined) [value, root] = [member, place];
    else {
      const name = frame.key?.name ?? String(frame.list?.length ?? 0);
      frame.place.children?.set(name, place);
      if (frame.list === undefined) frame.entries.push([name, member]);
      else frame.list.push(member);
      delete frame.key;
    }
  };
  const open = (offset: number, list?: unknown[]): void => {
    // The decoder has read on when it opens what stands below a key.
    const at = stack.at(-1)?.key?.offset ?? offset;
    stack.push({ place: placed(at, new Map()), entries: [], ...(list && { list }) });
  };
  const close = (): void => {
    const frame = stack.pop();
    // From entries: `__proto__` then becomes an own key as JSON.parse makes it.
    if (frame !== undefined) put(frame.list ?? Object.fromEntries(frame.entries), frame.place);
  };

  return {
    take: (event, offset) => {
      const frame = stack.at(-1);
      if (event.type === 'startObject') open(offset);
      else if (event.type === 'startArray') open(offset, []);
      else if (event.type === 'primitive') put(event.value, placed(offset));
      else if (event.type !== 'key') close();
      else if (frame !== undefined) frame.key = { name: event.key, offset };
    },
    depth: () => stack.length,
    key: () => stack.at(-1)?.key?.name,
    inList: () => stack.at(-1)?.list !== undefined,
    placeOfKey: (name) => stack.at(-1)?.place.children?.get(name),
    pointer: () =>
      stack
        .map(({ key, list }) => key?.name ?? list?.length)
        .filter((part) => part !== undefined)
        .map((part) => `/${escapePointer(String(part))}`)
        .join(''),
    value: () => value,
    locate: (pointer, atKey) => {
      let place = root;
      for (const part of fromPointer(pointer)) {
        const next = place.children?.get(part);
        if (next === undefined) return { start: place.value };
        place = next;
      }
      return { start: atKey ? (place.key ?? place.value) : place.value };
    },
  };
}
