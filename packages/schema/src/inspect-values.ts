import { describePlace, within } from './describe-place.ts';
import { hiddenCharactersIn } from './hidden-characters.ts';
import { toPointer } from './json-pointer.ts';
import type { Found } from './parsed-text.ts';

/**
 * Visits every value of a document once: freezes it, so that what is pinned can't be changed, and finds numbers JSON
 * can't hold and characters nobody can see.
 */
export function inspectValues(document: unknown): readonly Found[] {
  const found: Found[] = [];
  const path: (string | number)[] = [];
  const report = (what: Omit<Found, 'pointer'>): void => {
    const pointer = toPointer(path);
    found.push({ ...what, pointer, message: what.message + within(describePlace(document, pointer)) });
  };
  const checkText = (text: string, key: { readonly atKey?: true } = {}): void => {
    for (const { name, char, isEmpty } of hiddenCharactersIn(text)) {
      const message = `Hidden character ${name}`;
      report({
        severity: 'warning',
        code: 'hidden-character',
        message,
        suggestion: 'Remove it, or write what is meant in letters',
        ...(isEmpty && { repair: { kind: 'swap', from: char, to: '' } }),
        ...key,
      });
    }
  };
  const visit = (value: unknown): void => {
    if (typeof value === 'string') checkText(value);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      const suggestion = 'Write a number between -1.7e308 and 1.7e308';
      report({
        severity: 'error',
        code: 'wrong-value',
        message: 'A number that is out of range',
        suggestion,
      });
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [key, child] of entriesOf(value)) {
      path.push(key);
      if (typeof key === 'string') checkText(key, { atKey: true });
      visit(child);
      path.pop();
    }
    Object.freeze(value);
  };
  visit(document);
  return found;
}

function entriesOf(value: object): Iterable<[key: string | number, child: unknown]> {
  return Array.isArray(value) ? value.entries() : Object.entries(value);
}
