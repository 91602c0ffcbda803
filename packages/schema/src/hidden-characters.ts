/**
 * Everything that takes no room, changes the direction of text, or has no meaning that Unicode gives it. The classes
 * are those of the engine's Unicode data. Default-ignorable includes code points reserved for such characters, so an
 * older Node.js misses none that a later version of Unicode assigns.
 */
const suspect =
  /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}\u2800]/gu;

/** Texts of nothing else, which most are, need no closer look. */
const plain = /^[\t\n\x20-\x7E]*$/;

/** Characters that mean nothing in any script: a text without them says the same. */
const empty = /[\u00AD\u200B\u2060\uFEFF]/gu;

/** How many places of one text are reported: a text full of them must not keep a server busy. */
const maxFound = 1_000;

/** A character nobody can see. */
export interface HiddenCharacter {
  readonly char: string;
  /** By code point, with what it is. */
  readonly name: string;
  /** Whether the text without it says the same; one of nothing else would be no text. */
  readonly isEmpty: boolean;
}

/** A character nobody can see, where it stands in a text. */
export interface HiddenPlace extends Pick<HiddenCharacter, 'char' | 'name'> {
  /** In UTF-16 units. */
  readonly index: number;
}

/**
 * The characters of a text that nobody can see, at most 1,000 of them. Left out are those of a sequence that Unicode
 * defines: in emoji, and joiners in the scripts that are written with them.
 */
export function* hiddenPlaces(text: string): Generator<HiddenPlace> {
  if (plain.test(text)) return;
  let found = 0;
  for (const { 0: char, index } of text.matchAll(suspect)) {
    if (isDefined(text, index, char)) continue;
    yield { char, index, name: nameOf(char.codePointAt(0) ?? 0) };
    found += 1;
    if (found === maxFound) return;
  }
}

/** The characters of a text nobody can see, each once. */
export function hiddenCharactersIn(text: string): readonly HiddenCharacter[] {
  const found = new Map(Array.from(hiddenPlaces(text), ({ char, name }) => [char, name]));
  if (found.size === 0) return [];
  const isAll = withoutEmpty(text).trim() === '';
  return Array.from(found, ([char, name]) => ({
    char,
    name,
    isEmpty: !isAll && withoutEmpty(char) === '',
  }));
}

/** A text with its hidden characters written out as `\u{…}`, for people who decide about it. */
export function writeOutHidden(text: string): string {
  if (plain.test(text)) return text;
  return text.replaceAll(suspect, (char, index: number) =>
    isDefined(text, index, char) ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** A text without the characters that mean nothing in it. */
export function withoutEmpty(text: string): string {
  return text.replaceAll(empty, '');
}

/** Whether a suspect character is part of a sequence that Unicode defines, or can be seen after all. */
function isDefined(text: string, index: number, char: string): boolean {
  const before = text.slice(Math.max(0, index - 8), index);
  const after = text.slice(index + char.length, index + char.length + 4);
  if (char === '\t' || char === '\n') return true;
  if (char === '\r') return after.startsWith('\n');
  if (char === '\u200C' || char === '\u200D') return isJoiner(before, char, after);
  if (char === '\uFE0E' || char === '\uFE0F') return isEmojiStyle(before, after);
  if (/[\u{E0020}-\u{E007F}]/u.test(char)) return isInFlag(text, index);
  // Braille without a dot is a blank, and as such part of a text in braille.
  if (char === '\u2800') return /[\u2801-\u28FF]$/.test(before) || /^[\u2801-\u28FF]/.test(after);
  // A selector after a Mongolian letter chooses its form.
  if (/[\u180B-\u180F]/.test(char)) return /(?=\p{L})\p{Script=Mongolian}$/u.test(before);
  // These mark Arabic, Syriac and Kaithi numbers, and can be seen.
  return /[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]/u.test(char);
}

/** A style is chosen for the emoji before it; a digit is one only as a keycap (UTS #51). */
function isEmojiStyle(before: string, after: string): boolean {
  if (/[0-9#*]$/.test(before)) return after.startsWith('\u20E3');
  return /\p{Emoji}$/u.test(before);
}

/** Scripts whose letters join, and change their form when they do. */
const joining =
  '\\p{Script=Arab}\\p{Script=Syrc}\\p{Script=Mand}\\p{Script=Mong}\\p{Script=Nkoo}\\p{Script=Phag}\\p{Script=Adlm}\\p{Script=Rohg}\\p{Script=Mani}\\p{Script=Sogd}';

/** Scripts in which a sign that kills the vowel makes conjuncts (UAX #31, contexts A2 and B). */
const conjoining = [
  'Beng',
  'Bali',
  'Brah',
  'Cakm',
  'Deva',
  'Gran',
  'Gujr',
  'Guru',
  'Java',
  'Kthi',
  'Khmr',
  'Knda',
  'Lepc',
  'Limb',
  'Mlym',
  'Mtei',
  'Mymr',
  'Newa',
  'Orya',
  'Saur',
  'Sinh',
  'Sund',
  'Taml',
  'Telu',
  'Tibt',
  'Tirh',
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');

const joiners = {
  /** The one before and the one after in an emoji of several (UTS #51). */
  emojiBefore: /(?:\p{Extended_Pictographic}\uFE0F?|\p{Emoji_Modifier})$/u,
  emojiAfter: /^\p{Extended_Pictographic}/u,
  doubledBefore: /[\u200C\u200D]$/,
  doubledAfter: /^[\u200C\u200D]/,
  killerBefore: new RegExp(`(?=\\p{M})(?=\\p{Diacritic})[${conjoining}]$`, 'u'),
  killerAfter: new RegExp(`^(?=\\p{M})(?=\\p{Diacritic})[${conjoining}]`, 'u'),
  letterBefore: new RegExp(`(?:(?=\\p{L})[${joining}]\\p{M}*)$`, 'u'),
  letterAfter: new RegExp(`^(?=\\p{L})[${joining}]`, 'u'),
  wordBefore: /[\p{L}\p{M}\p{N}\p{P}]$/u,
};

/** Whether a joiner does what Unicode has it for. Two of them next to each other do not. */
function isJoiner(before: string, char: string, after: string): boolean {
  const has = (pattern: keyof typeof joiners, text: string): boolean => joiners[pattern].test(text);
  if (has('doubledBefore', before) || has('doubledAfter', after)) return false;
  if (has('killerBefore', before) || has('killerAfter', after)) return true;
  if (char === '\u200C') return has('letterAfter', after) && has('wordBefore', before);
  if (has('emojiBefore', before) && has('emojiAfter', after)) return true;
  // The form a letter has inside a word, at the end or the beginning of one; between two letters it would change nothing.
  if (has('letterBefore', before)) return !has('letterAfter', after);
  return has('letterAfter', after) && !/\p{L}$/u.test(before);
}

/** Tags are defined in three flags alone; behind any other character, and in any other order, they are a hidden text. */
const flags = new Set(['gbeng', 'gbsct', 'gbwls'].map((region) => `\u{1F3F4}${tagsOf(region)}\u{E007F}`));

function tagsOf(letters: string): string {
  return String.fromCodePoint(...Array.from(letters, (letter) => 0xe0000 + (letter.codePointAt(0) ?? 0)));
}

function isInFlag(text: string, index: number): boolean {
  const start = text.lastIndexOf('\u{1F3F4}', index);
  const length = 14;
  return (
    start >= 0 &&
    index < start + length &&
    flags.has(text.slice(start, start + length)) &&
    !isTag(text, start + length)
  );
}

function isTag(text: string, index: number): boolean {
  const codePoint = text.codePointAt(index) ?? 0;
  return codePoint >= 0xe0000 && codePoint <= 0xe007f;
}

const names: readonly (readonly [pattern: RegExp, name: string])[] = [
  [/\u00AD/u, 'soft hyphen'],
  [/\p{Bidi_Control}/u, 'bidirectional control'],
  [/\p{Cc}/u, 'control character'],
  [/\p{Co}/u, 'private-use character'],
  [/\p{Cs}/u, 'half of a character'],
  [/\p{Noncharacter_Code_Point}/u, 'code point without a character'],
  [/[\u{E0000}-\u{E007F}]/u, 'tag character'],
  [/\p{Variation_Selector}/u, 'variation selector'],
  [/[\p{Zl}\p{Zp}]/u, 'line separator'],
];

function nameOf(codePoint: number): string {
  const char = String.fromCodePoint(codePoint);
  const kind = names.find(([pattern]) => pattern.test(char))?.[1] ?? 'zero-width character';
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')} (${kind})`;
}
