/** What can't be mistaken for syntax, inside quotes: letters, digits, spaces and a few signs. */
const harmless = /[\p{L}\p{M}\p{N} .,()'?!/=:+×–—-]/u;

/** What Mermaid takes for the beginning of a list, which it refuses to draw. */
const listMark = /^(\d+[.)]|[-+*>]|#{1,6}) /;

/** A text as it stands between the quotes of a label, which are never empty; all but harmless characters are numbers. */
export function mermaidText(text: string): string {
  const drawn = text.trim().replace(listMark, '$1\u00A0');
  if (drawn === '') return ' ';
  return [...drawn].map((char) => (harmless.test(char) ? char : `#${char.codePointAt(0) ?? 0};`)).join('');
}
