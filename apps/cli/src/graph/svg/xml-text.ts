import { plainLine, withoutUnsafe } from '../../plain-text.ts';

/** Characters that no XML document may hold, half of a surrogate pair among them. */
const forbidden = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes a text for an element or a quoted attribute, and makes control characters visible. */
export function xmlText(text: string): string {
  const escaped = text
    .replaceAll(forbidden, '\uFFFD')
    .replaceAll(/[&<>"']/g, (char) => entities[char] ?? char);
  return withoutUnsafe(escaped, (char) => (/[\t\n]/.test(char) ? char : plainLine(char)));
}
