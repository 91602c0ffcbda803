import { fromPointer } from './json-pointer.ts';
import { isJsonObject } from './json.ts';

/** What the items of a list are called, by the key of the list. */
const nouns: Readonly<Record<string, string>> = {
  steps: 'step',
  body: 'step',
  activities: 'activity',
  artifacts: 'artifact',
  branches: 'branch',
  checkpoints: 'checkpoint',
  decisions: 'decision',
  loops: 'loop',
  modes: 'mode',
  options: 'option',
};
const names = Object.keys(nouns).join('|');
const listPath = new RegExp(`^(?:(?:${names})\\[\\d+\\]\\.)*(${names})$`);

/**
 * A place of a document in words: `'prompt' of step 'plan'`, `loop 'again'`, `'tags[1]'`; empty for the whole
 * document. A step without an id goes by its path.
 */
export function describePlace(document: unknown, pointer: string): string {
  let owner = '';
  let path = '';
  let value = document;
  for (const part of fromPointer(pointer)) {
    const list = Array.isArray(value) ? listPath.exec(path)?.[1] : undefined;
    path += Array.isArray(value) ? `[${part}]` : `${path === '' ? '' : '.'}${shorten(part)}`;
    value = childOf(value, part);
    if (list !== undefined && isJsonObject(value) && typeof value['id'] === 'string') {
      owner = nameItem(list, { ...value, id: value['id'] }, owner);
      path = '';
    }
  }
  if (path === '') return owner;
  return owner === '' ? `'${path}'` : `'${path}' of ${owner}`;
}

/** An item in words; options and branches are only told apart by what they belong to. */
function nameItem(
  list: string,
  item: { readonly id: string; readonly type?: unknown },
  owner: string,
): string {
  const noun = item.type === 'loop' ? 'loop' : (nouns[list] ?? '');
  const name = `${noun} '${shorten(item.id)}'`;
  return (list === 'options' || list === 'branches') && owner !== '' ? `${name} of ${owner}` : name;
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
