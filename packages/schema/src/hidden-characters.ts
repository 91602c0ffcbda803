/**
 * Bidirectional controls, zero-width characters, tag characters and the like; but not the joiner after an emoji, which
 * makes one picture of several.
 */
const hidden =
  /[\u00AD\u061C\u180E\u200B\u200C\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E0FFF}]|(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\uFE0F])\u200D/gu;

const names: readonly (readonly [first: number, last: number, name: string])[] = [
  [0xad, 0xad, 'soft hyphen'],
  [0x61c, 0x61c, 'bidirectional control'],
  [0x200e, 0x200f, 'bidirectional control'],
  [0x202a, 0x202e, 'bidirectional control'],
  [0x2066, 0x2069, 'bidirectional control'],
  [0xe0000, 0xe007f, 'tag character'],
  [0xe0100, 0xe01ef, 'variation selector'],
];

/** Characters that mean nothing in any script: a text without them says the same. */
const empty = /[\u00AD\u200B\u2060\uFEFF]/gu;

/** A character nobody can see. */
export interface HiddenCharacter {
  readonly char: string;
  /** By code point, with what it is. */
  readonly name: string;
  /** Whether the text without it says the same; one of nothing else would be no text. */
  readonly isEmpty: boolean;
}

/** The characters of a text nobody can see, each once. */
export function hiddenCharactersIn(text: string): readonly HiddenCharacter[] {
  const found = text.match(hidden);
  if (found === null) return [];
  const isAll = withoutEmpty(text).trim() === '';
  return Array.from(new Set(found), (char) => ({
    char,
    name: nameOf(char.codePointAt(0) ?? 0),
    isEmpty: !isAll && withoutEmpty(char) === '',
  }));
}

/** A text without the characters that mean nothing in it. */
export function withoutEmpty(text: string): string {
  return text.replaceAll(empty, '');
}

function nameOf(codePoint: number): string {
  const kind =
    names.find(([first, last]) => first <= codePoint && codePoint <= last)?.[2] ?? 'zero-width character';
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')} (${kind})`;
}
