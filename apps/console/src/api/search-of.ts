import { readText } from './read-text.ts';

/** Parameters as they stand in an address: behind a `?`, or nothing where none has a text. */
export function searchOf(parameters: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams(readText(parameters) as Record<string, string>).toString();
  return search === '' ? '' : `?${search}`;
}
