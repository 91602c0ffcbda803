import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { isLong } from '../../../../test/support/is-long.ts';
import { toPointer } from '../../src/json.ts';
import { maxIssues } from '../../src/limits.ts';
import { hiddenCharactersIn, writeOutHidden } from '../../src/text/hidden-characters.ts';
import { definition, read, readYaml, step } from '../support/definitions.ts';
import { activity, flow, readFolder, skill, workflow } from '../support/folders.ts';

/** The characters that must be reported, by the Unicode data of the JavaScript engine. */
const asked =
  /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Co}\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Noncharacter_Code_Point}]/u;

/** Unassigned characters and those for private use. */
const meaningless = /[\p{Cn}\p{Co}]/u;

/** Whitespace that is allowed in texts. */
const blanks = new Set(['\t', '\n']);

function* everyHidden(): Generator<string> {
  for (let codePoint = 0; codePoint <= 0x10_ffff; codePoint += 1) {
    const char = String.fromCodePoint(codePoint);
    if (asked.test(char) && !blanks.has(char)) yield char;
  }
}

test(
  'Every hidden character of Unicode is found inside a word, at both ends and twice',
  { timeout: 60_000 },
  () => {
    const missed: string[] = [];
    let count = 0;
    for (const char of everyHidden()) {
      count += 1;
      const texts = [`a${char}b`, `${char}Do it.`, `Do it.${char}`, `1${char} 2`, `é${char}${char}é`];
      // Nearly all characters have no meaning and are alike, so `npm test` takes one text for each of them.
      const isOne = !isLong && meaningless.test(char);
      for (const text of isOne ? [texts[count % texts.length] ?? ''] : texts)
        if (hiddenCharactersIn(text).length === 0) missed.push(JSON.stringify(text));
    }
    expect(missed).toEqual([]);
    expect(count).toBeGreaterThan(140_000);
  },
);

test.each([
  ['emoji', 'ok ⚠️ 👩‍💻 🏳️‍🌈 👩🏽‍🚀 ✅ 1️⃣ #️⃣ ❤️‍🔥 🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F} 🏴‍☠️ 👨‍👩‍👧‍👦 ☁︎ 🇩🇪'],
  ['Persian', 'می‌خواهم کتاب‌ها و PDF‌ها و (GPU)‌ها را ببینم؛ خبر‌نگار ۳‌تایی، ۱۴۰۰ ه‍.ق'],
  ['Arabic', 'مرحبا بالعالم، راجِع التغييرَ ثم اكتب تقريرًا'],
  ['Urdu', 'یہ تبدیلی دیکھیں اور رپورٹ لکھیں'],
  ['Hindi', 'हिन्दी में पढ़ें, क्‌ष और र्‍या भी'],
  ['Bengali', 'শ্রী র‌্যাব র‍্য'],
  ['Malayalam', 'ശ്രീ ന്‍ന'],
  ['Kannada', 'ಕ್ಷ ರ್‍ಕ'],
  ['Sinhala', 'ක්‍රමය ශ්‍රී'],
  ['Hebrew', 'שָׁלוֹם עולם, בדקו את הקוד (PR #12) לפני המיזוג'],
  ['Thai', 'ทดสอบระบบก่อนเผยแพร่'],
  ['Khmer', 'ពិនិត្យកូដមុនពេលចេញផ្សាយ'],
  ['Burmese', 'မြန်မာ သတ္တဝါ ကို ဖတ်ပါ'],
  ['Tai Tham', 'ᨲ᩠ᩅᩫᨾᩮᩬᩥᨦ'],
  ['Mongolian', 'ᠮᠣᠩᠭᠣᠯ ᠤ᠋'],
  ['Chinese, Japanese and Korean', '检查代码。コードを確認する。코드를 검토한다.'],
  ['Vietnamese, decomposed', 'kie\u0302\u0309m tra'],
  ['braille', '⠓⠑⠇⠇⠕⠀⠺⠕⠗⠇⠙'],
  ['lines of Windows', 'one\r\n\ttwo\r\n'],
])('No hidden character is found in %s', (_, text) => {
  expect(hiddenCharactersIn(text)).toEqual([]);
});

test.each([
  ['a style of no emoji', 'a\uFE0F'],
  ['a style of a digit that is no keycap', '1\uFE0F'],
  ['two styles of one emoji', '😀\uFE0F\uFE0F'],
  ['other selectors behind an emoji', '😀\uFE01\u{E0101}'],
  ['an ideograph with a selector', '辻\u{E0100}'],
  ['two joiners in Persian', 'می\u200C\u200Cخ'],
  ['a joiner that joins nothing', 'می\u200Dخ'],
  ['joiners in English', 'x\u200Dy\u200Cz'],
  ['a flag with a text of its own', '🏴\u{E0069}\u{E0067}\u{E006E}\u{E006F}\u{E0072}\u{E0065}\u{E007F}'],
  ['a flag that goes on', '🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}\u{E0061}'],
  ['tags behind an emoji', '😀\u{E0061}'],
  ['a half of a character', 'a\uD83D'],
  ['a line that writes over the one before', 'all is well\rrm -rf'],
  ['a filler of a script that nobody uses', 'a\u{16FE4}b'],
  ['blank hieroglyphs', '\u{13441}a\u{13442}'],
  ['a mirror of a hieroglyph in English', 'a\u{13440}'],
  ['a note without a head', 'a\u{1D159}'],
  ['the place of an object', 'a\uFFFCb'],
  ['a selector of shorthand', 'a\u{1BC9D}'],
  ['joiners of numbers and consonants', '1\u{1107F}2 a\u2D7Fb'],
  ['marks that stack letters, in English', 'a\u17D2b \u1039c d\u{11F42}'],
  ['two marks that stack one letter', 'ក\u17D2\u17D2រ'],
])('A hidden character is found in %s', (_, text) => {
  expect(hiddenCharactersIn(text)).not.toEqual([]);
});

test('Hidden characters are written as escapes', () => {
  expect(writeOutHidden('a\u202Eb 👩‍💻 \u{E0041}')).toBe('a\\u{202e}b 👩‍💻 \\u{e0041}');
});

/** One character of each kind. The others of a kind differ only in their code point. */
const kinds = [
  '\u202E',
  '\u2066',
  '\u200B',
  '\u200D',
  '\uFEFF',
  '\u00AD',
  '\uFE00',
  '\uFE0F',
  '\u{E0101}',
  '\u{E0041}',
  '\u3164',
  '\u115F',
  '\uE000',
  '\u{10FFFD}',
  '\u001B',
  '\u0000',
  '\u0085',
  '\u2028',
  '\uFFFE',
  '\u180E',
  '\u2064',
  '\uD800',
];

type TextPosition = readonly [name: string, place: (text: string) => object];

/** The places of a step workflow that can contain a text. */
const stepPositions: readonly TextPosition[] = [
  ...['name', 'description', 'category', 'x-note'].map((key): TextPosition => [
    key,
    (text) => ({ [key]: text }),
  ]),
  ...['tags', 'preconditions', 'clarificationPrompts', 'metaGuidance'].map((key): TextPosition => [
    key,
    (text) => ({ [key]: [text] }),
  ]),
  ['a key', (text) => ({ [`x-${text}`]: 1 })],
  [
    'a variable',
    (text) => ({ variables: [{ name: 'a', type: 'string', description: text, default: text }] }),
  ],
  ...['title', 'prompt', 'agentRole', 'modelHint'].map((key): TextPosition => [
    key,
    (text) => ({ steps: [step('plan', { [key]: text })] }),
  ]),
  ['guidance', (text) => ({ steps: [step('plan', { guidance: [text] })] })],
  ['a condition', (text) => ({ steps: [step('plan', { runCondition: { var: 'a', equals: text } })] })],
  [
    'a message of a criterion',
    (text) => ({
      steps: [step('plan', { validationCriteria: [{ type: 'contains', value: text, message: text }] })],
    }),
  ],
];

describe.each(stepPositions)('a hidden character in %s', (_, place) => {
  test('prevents the definition from being served, whatever its kind', async () => {
    for (const char of kinds) {
      const { workflow: served, issues } = await read(definition(place(`Do it ${char} as told.`)));
      expect(served).toBeUndefined();
      expect(issues.map(({ code }) => code)).toContain('hidden-character');
    }
  });
});

type Path = readonly (string | number)[];

/** Returns the paths of all texts in a value. */
function* placesIn(value: unknown, at: Path = []): Generator<Path> {
  if (typeof value === 'string') yield at;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) yield* placesIn(child, [...at, key]);
}

function withHidden(value: unknown, [key, ...rest]: Path): unknown {
  if (key === undefined) return `${String(value)}\u{E0041}`;
  if (Array.isArray(value))
    return value.map((child, at) => (String(at) === key ? withHidden(child, rest) : (child as unknown)));
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [key]: withHidden(fields[key], rest) };
}

/** Returns the pointers at which a reader finds hidden characters in a definition, or in a part of an activity workflow. */
async function foundIn(part: string, value: unknown): Promise<readonly string[]> {
  const file = {
    activities: 'activities/01-a.yaml',
    skills: 'skills/01-a.yaml',
    resources: 'resources/01-a.yaml',
  }[part];
  const issues =
    part === ''
      ? (await read(value)).issues
      : [...(await readFolder(flow({ [file ?? 'workflow.yaml']: value }))).issuesByFile.values()].flat();
  return issues.flatMap(({ code, pointer }) => (code === 'hidden-character' ? [pointer] : []));
}

/** The folders with the bundled definitions and the examples. */
const definitionFolders = ['../../../../workflows/definitions/', '../../../../examples/'].map(
  (path) => new URL(path, import.meta.url),
);

test(
  'A hidden character is found in every text of the bundled definitions and the examples',
  { timeout: 120_000 },
  async () => {
    const seen = new Set<string>();
    const missed: string[] = [];
    for (const root of definitionFolders) {
      for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
        if (!/\.ya?ml$/.test(file) || /\.test\.yaml$|node_modules|\.github|action\.yml$/.test(file)) continue;
        const [, part = ''] = /(activities|skills|resources|workflow\.yaml)/.exec(file) ?? [];
        const kindOf = (path: Path): string =>
          `${part} ${path.map((key) => (/^\d+$/.test(String(key)) ? '*' : key)).join('.')}`;
        const value: unknown = parse(readFileSync(new URL(file, root), 'utf8'));
        const paths: Path[] = [];
        for (const path of placesIn(value)) {
          if (!seen.has(kindOf(path))) paths.push(path);
          seen.add(kindOf(path));
        }
        // A reader reports only a limited number of issues, and here it may find two or more for a text.
        const most = maxIssues / 4;
        for (let at = 0; at < paths.length; at += most) {
          const some = paths.slice(at, at + most);
          const found = await foundIn(part, some.reduce(withHidden, value));
          missed.push(...some.filter((path) => !found.includes(toPointer(path))).map(kindOf));
        }
      }
    }
    expect(missed).toEqual([]);
    expect(seen.size).toBeGreaterThan(150);
  },
);

test('A hidden character in a YAML comment prevents the definition from being served', async () => {
  const text = `# a\u{E0041}\nid: a-flow\nname: A\ndescription: x\nversion: 1.0.0\nsteps:\n  - id: one-step\n    title: One\n    prompt: Do it.\n`;
  const { workflow: served, issues } = await readYaml(text);
  expect(served).toBeUndefined();
  expect(issues).toMatchObject([{ code: 'hidden-character', line: 1, column: 4 }]);
});

const text = 'a\u{E0041}b';

test.each([
  ['the workflow file', { 'workflow.yaml': workflow({ description: text }) }],
  ['an activity', { 'activities/01-start.yaml': activity('start', { description: text }) }],
  ['a skill', { 'skills/01-plan.yaml': skill('plan', { description: text }) }],
  ['a resource in Markdown', { 'resources/01-guide.md': `# Guide\n\n${text}\n` }],
  [
    'the front matter of a resource',
    { 'resources/01-guide.md': `---\nid: guide\nversion: 1.0.0\nnote: ${text}\n---\n# Guide\n` },
  ],
  ['a resource in YAML', { 'resources/01-guide.yaml': `id: guide\nversion: 1.0.0\nnote: ${text}\n` }],
  ['a comment in TOON', { 'skills/01-plan.toon': `# ${text}\nid: plan\nversion: 1.0.0\ncapability: Plan\n` }],
])('A hidden character in %s of an activity workflow prevents it from being served', async (_, files) => {
  const { workflow: served, issuesByFile } = await readFolder(flow(files));
  expect(JSON.stringify(served ?? {}).replaceAll(/"message":"[^"]*"/g, '')).not.toContain('\u{E0041}');
  const [file = ''] = Object.keys(files);
  expect(issuesByFile.get(file)?.map(({ code }) => code)).toContain('hidden-character');
});
