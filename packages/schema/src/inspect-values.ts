import { describePlace, within } from './describe-place.ts';
import { hiddenCharactersIn, hiddenPlaces, writeOutHidden } from './hidden-characters.ts';
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
    const place = writeOutHidden(within(describePlace(document, pointer)));
    found.push({ ...what, pointer, message: what.message + place });
  };
  const checkText = (text: string, key: { readonly atKey?: true } = {}): void => {
    for (const { name, char, isEmpty } of hiddenCharactersIn(text)) {
      report({
        ...hiddenFinding(name),
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

/**
 * The hidden characters of a text that no value of it has: in comments, in Markdown, and in what a notation leaves out.
 * Each is told once. What is served may show the text of a file as it is. Where `layout` is said, CR is a line end of the
 * notation and no character of a text.
 */
export function inspectText(
  text: string,
  { inValues = [], layout = false }: { readonly inValues?: readonly Found[]; readonly layout?: boolean } = {},
): readonly Found[] {
  const found = new Map<string, Found>();
  const told = new Set(
    inValues.flatMap(({ code, message }) => (code === 'hidden-character' ? [message] : [])),
  );
  for (const { name, index, char } of hiddenPlaces(text)) {
    if (layout && char === '\r') continue;
    const finding = hiddenFinding(name);
    const isTold = [...told].some((message) => message.startsWith(finding.message));
    if (!isTold && !found.has(name)) found.set(name, { ...finding, pointer: '', offset: index });
  }
  return [...found.values()];
}

/** An agent reads such a character and a person does not see it, so the definition is not served. */
function hiddenFinding(name: string): Omit<Found, 'pointer'> {
  return {
    severity: 'error',
    code: 'hidden-character',
    message: `Hidden character ${name}`,
    suggestion: 'Remove it, or write what is meant in letters',
  };
}

function entriesOf(value: object): Iterable<[key: string | number, child: unknown]> {
  return Array.isArray(value) ? value.entries() : Object.entries(value);
}
