import { fileMessages } from '../messages/files.ts';
import { describePlace, inPlace } from '../findings/finding.ts';
import { toPointer } from '../json.ts';
import type { TextFinding } from './parsed-text.ts';

/**
 * Visits every value of a document once. Freezes it, so that a served definition can't change, and finds numbers that
 * JSON can't represent and hidden characters.
 */
export function freezeAndInspect(document: unknown): readonly TextFinding[] {
  const found: TextFinding[] = [];
  const path: (string | number)[] = [];
  const report = (what: Omit<TextFinding, 'pointer'>): void => {
    const pointer = toPointer(path);
    const place = writeOutHidden(inPlace(describePlace(document, pointer)));
    found.push({ ...what, pointer, message: what.message + place });
  };
  const checkText = (text: string, isKey: boolean): void => {
    for (const { name, char, isEmpty } of hiddenCharactersIn(text)) {
      report({
        ...fileMessages.hiddenCharacter(name),
        ...(isEmpty && { repair: { kind: 'swap', from: char, to: '' } }),
        ...(isKey && { atKey: true }),
      });
    }
  };
  const visitChild = (key: string | number, child: unknown): void => {
    path.push(key);
    if (typeof key === 'string') checkText(key, true);
    visit(child);
    path.pop();
  };
  const visit = (value: unknown): void => {
    if (typeof value === 'string') checkText(value, false);
    if (typeof value === 'number' && !Number.isFinite(value)) {
      report(fileMessages.numberOutOfRange());
    }
    if (typeof value !== 'object' || value === null) return;
    // `Object.entries` would make an array for every entry, which is much garbage in many definitions.
    if (Array.isArray(value)) value.forEach((child, at) => visitChild(at, child));
    else for (const key of Object.keys(value)) visitChild(key, (value as Record<string, unknown>)[key]);
    Object.freeze(value);
  };
  visit(document);
  return found;
}

/**
 * Finds the hidden characters of a text that occur in none of its values: in comments, in Markdown, and in text that
 * the notation ignores. Reports each once. They matter because agents may receive the text of a file unchanged. With
 * `layout`, CR counts as a line end of the notation, not as a character of a text.
 */
export function inspectText(
  text: string,
  inValues: readonly TextFinding[],
  layout: boolean = true,
): readonly TextFinding[] {
  const found = new Map<string, TextFinding>();
  const reported = inValues.filter(({ code }) => code === 'hidden-character');
  for (const { name, index, char } of hiddenPlaces(text)) {
    if (layout && char === '\r') continue;
    const finding = fileMessages.hiddenCharacter(name);
    const isReported = reported.some(({ message }) => message.startsWith(finding.message));
    if (!isReported && !found.has(name)) found.set(name, { ...finding, pointer: '', offset: index });
  }
  return [...found.values()];
}

/** Blank signs: a braille cell, hieroglyphs, a note head, and the object replacement character. */
const blanks = '\\u2800\\u{13441}\\u{13442}\\u{1D159}\\uFFFC';

/** Marks that change how their neighbours look and have no shape of their own, although Unicode does not ignore them. */
const shapeless = '\\u2D7F\\u{1107F}\\u{13440}\\u{16FE4}\\u{1BC9D}';

/**
 * Marks of the same kind that place the next letter below the previous one (Invisible_Stacker in Unicode's data, which
 * a regular expression can't name). Some scripts, such as Burmese and Khmer, are written with them.
 */
const stackers =
  '\\u1039\\u17D2\\u1A60\\u1BAB\\uAAF6\\u{10A3F}\\u{11133}\\u{1193E}\\u{11A47}\\u{11A99}\\u{11D45}\\u{11D97}\\u{11F42}';

/**
 * Matches characters that take no space, change the direction of text, have no shape, or have no meaning in Unicode. The
 * classes use the Unicode data of the JavaScript engine. Default-ignorable includes reserved code points, so an older
 * Node.js also finds characters that later versions of Unicode assign.
 */
const suspect = new RegExp(
  `[\\p{Default_Ignorable_Code_Point}\\p{Bidi_Control}\\p{Cc}\\p{Cf}\\p{Co}\\p{Cs}\\p{Zl}\\p{Zp}\\p{Noncharacter_Code_Point}${blanks}${shapeless}${stackers}]`,
  'gu',
);

const isStacker = new RegExp(`[${stackers}]`, 'u');

/** Matches text that ends in a letter or vowel sign of a script that may have stacked letters. */
const stackable = new RegExp(
  `(?![${stackers}\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}\\p{Script=Inherited}])[\\p{L}\\p{M}]$`,
  'u',
);

/** Text of only these characters needs no closer look. Most texts are like that. */
const plain = /^[\t\n\x20-\x7E]*$/;

/** Characters without meaning in any script: removing them doesn't change a text. */
const empty = /[\u00AD\u200B\u2060\uFEFF]/gu;

/** The largest number of places reported per text, so that a text full of them doesn't keep a server busy. */
const maxFound = 1_000;

/** A character that can't be seen. */
export interface HiddenCharacter {
  readonly char: string;
  /** The code point and a description. */
  readonly name: string;
  /** Set if the text means the same without it. Not set if the text consists only of such characters. */
  readonly isEmpty: boolean;
}

/** A hidden character and its position in a text. */
export interface HiddenPlace extends Pick<HiddenCharacter, 'char' | 'name'> {
  /** In UTF-16 units. */
  readonly index: number;
}

/**
 * Returns the hidden characters of a text, at most 1,000. Skips those that are part of a sequence defined by Unicode:
 * in emoji, and joiners in scripts that use them.
 */
export function* hiddenPlaces(text: string): Generator<HiddenPlace> {
  if (plain.test(text)) return;
  let found = 0;
  for (const { 0: char, index } of text.matchAll(suspect)) {
    if (isIntended(text, index, char)) continue;
    yield { char, index, name: nameOf(char.codePointAt(0) ?? 0) };
    found += 1;
    if (found === maxFound) return;
  }
}

/** Returns the hidden characters of a text, each once. */
export function hiddenCharactersIn(text: string): readonly HiddenCharacter[] {
  if (plain.test(text)) return [];
  const found = new Map(Array.from(hiddenPlaces(text), ({ char, name }) => [char, name]));
  if (found.size === 0) return [];
  const isAll = withoutEmpty(text).trim() === '';
  return Array.from(found, ([char, name]) => ({
    char,
    name,
    isEmpty: !isAll && withoutEmpty(char) === '',
  }));
}

/** Returns a text with its hidden characters written as `\u{…}`, for a person who decides about it. */
export function writeOutHidden(text: string): string {
  if (plain.test(text)) return text;
  return text.replaceAll(suspect, (char, index: number) =>
    isIntended(text, index, char) ? char : `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Removes the characters that have no meaning. */
export function withoutEmpty(text: string): string {
  return text.replaceAll(empty, '');
}

/** Tells whether a character is part of a sequence that Unicode defines, or visible after all. */
function isIntended(text: string, index: number, char: string): boolean {
  const before = text.slice(Math.max(0, index - 8), index);
  const after = text.slice(index + char.length, index + char.length + 4);
  if (char === '\t' || char === '\n') return true;
  if (char === '\r') return after.startsWith('\n');
  if (char === '\u200C' || char === '\u200D') return isJoiner(before, char, after);
  if (char === '\uFE0E' || char === '\uFE0F') return isEmojiStyle(before, after);
  if (/[\u{E0020}-\u{E007F}]/u.test(char)) return isInFlag(text, index);
  // A blank braille cell is a space within a braille text.
  if (char === '\u2800') return /[\u2801-\u28FF]$/.test(before) || /^[\u2801-\u28FF]/.test(after);
  if (isStacker.test(char)) return stackable.test(before);
  // A variation selector after a Mongolian letter selects its form.
  if (/[\u180B-\u180F]/.test(char)) return /(?=\p{L})\p{Script=Mongolian}$/u.test(before);
  // These mark Arabic, Syriac and Kaithi numbers and are visible.
  return /[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}]/u.test(char);
}

/** Tells whether the character before a style selector is an emoji. A digit is only one as a keycap (UTS #51). */
function isEmojiStyle(before: string, after: string): boolean {
  if (/[0-9#*]$/.test(before)) return after.startsWith('\u20E3');
  return /\p{Emoji}$/u.test(before);
}

/** Scripts whose letters join and then change their form. */
const joining = classOf('Arab Syrc Mand Mong Nkoo Phag Adlm Rohg Mani Sogd');

/** Scripts in which a virama forms conjuncts (UAX #31, contexts A2 and B). */
const conjoining = classOf(
  'Beng Bali Brah Cakm Deva Gran Gujr Guru Java Kthi Khmr Knda Lepc Limb Mlym Mtei Mymr Newa Orya Saur Sinh Sund Taml Telu Tibt Tirh',
);

/** Returns a part of a regular expression that matches the characters of these scripts inside brackets. */
function classOf(scripts: string): string {
  return scripts
    .split(' ')
    .map((script) => `\\p{Script=${script}}`)
    .join('');
}

const joiners = {
  /** The characters before and after a joiner within a combined emoji (UTS #51). */
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

/** Tells whether a joiner is used as Unicode intends. Two adjacent joiners are not. */
function isJoiner(before: string, char: string, after: string): boolean {
  const has = (pattern: keyof typeof joiners, text: string): boolean => joiners[pattern].test(text);
  if (has('doubledBefore', before) || has('doubledAfter', after)) return false;
  if (has('killerBefore', before) || has('killerAfter', after)) return true;
  if (char === '\u200C') return has('letterAfter', after) && has('wordBefore', before);
  if (has('emojiBefore', before) && has('emojiAfter', after)) return true;
  // A joiner gives a letter its form inside, at the end or at the start of a word. Between two letters it would change nothing.
  if (has('letterBefore', before)) return !has('letterAfter', after);
  return has('letterAfter', after) && !/\p{L}$/u.test(before);
}

/**
 * Tag characters are only defined in three flags. After any other character, or in any other order, they are hidden
 * text.
 */
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
  [new RegExp(`[${blanks}]`, 'u'), 'blank sign'],
  [/[\p{Zl}\p{Zp}]/u, 'line separator'],
];

function nameOf(codePoint: number): string {
  const char = String.fromCodePoint(codePoint);
  const kind = names.find(([pattern]) => pattern.test(char))?.[1] ?? 'zero-width character';
  return `U+${codePoint.toString(16).toUpperCase().padStart(4, '0')} (${kind})`;
}
