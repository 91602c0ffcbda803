/** A text, or of one that is longer than so many characters the beginning. */
export function shortText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
