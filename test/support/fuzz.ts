import fc from 'fast-check';
import { expect } from 'vitest';
import { isLong } from './is-long.ts';
import { printFigures } from './print-figures.ts';

/** How long the long form tests each of the seven kinds of input. */
const fuzzMs = isLong ? 520_000 : 0;

/** The least number of generated inputs. */
const leastInputs = 200;

/** The options of a test for one kind of input. */
export const fuzzOptions = { timeout: 2 * fuzzMs + 60_000 };

/** The processor time that one input may take. Unlike elapsed time, it doesn't depend on other load. */
const limitMs = 1000;

/** The surrogates, which are code points of Unicode but not characters. */
const surrogates = { from: 0xd800, count: 0x800 };

/**
 * Any character, as the `unit` of `fc.string`. The unit `binary` has the same characters, but it first creates a table of
 * all of them. This takes a second and 100 MB in each process.
 */
export const anyCharacter = fc.nat(0x10_ffff - surrogates.count).map(
  (at) => String.fromCodePoint(at < surrogates.from ? at : at + surrogates.count),
  (text) => {
    const point = typeof text === 'string' ? text.codePointAt(0) : undefined;
    if (point === undefined || text !== String.fromCodePoint(point)) throw new Error('Not one character');
    return point < surrogates.from ? point : point - surrogates.count;
  },
);

/** The parts from which texts are generated. */
export interface Corpus {
  /** Complete texts. */
  readonly seeds: readonly string[];
  /** Parts with a meaning in these texts, such as keywords. */
  readonly tokens: readonly string[];
}

/**
 * Calls a function with the empty text, with each seed, and with generated texts. It must neither throw nor hang. Returns
 * how often it returned each outcome.
 */
export async function fuzz(
  kind: string,
  corpus: Corpus,
  take: (text: string) => string | Promise<string>,
): Promise<Readonly<Record<string, number>>> {
  const outcomes: Record<string, number> = {};
  let inputs = 0;
  let slowestMs = 0;
  const property = fc.asyncProperty(textsOf(corpus), async (text) => {
    const before = process.cpuUsage();
    const outcome = await take(text);
    const { user, system } = process.cpuUsage(before);
    inputs += 1;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    slowestMs = Math.max(slowestMs, (user + system) / 1000);
    expect((user + system) / 1000, 'milliseconds of processor time').toBeLessThan(limitMs);
  });
  // Without these examples, it would be left to chance that each outcome occurs.
  const examples = ['', ...corpus.seeds].map((text): [string] => [text]);
  await fc.assert(property, { numRuns: examples.length, examples });
  const until = performance.now() + fuzzMs;
  for (let tried = 0; performance.now() < until || tried < leastInputs; tried += 100)
    await fc.assert(property, { numRuns: 100 });
  printFigures(`fuzz, ${kind}`, { inputs, ...outcomes, 'slowest (ms of processor time)': slowestMs });
  return outcomes;
}

type Edit = (text: string, from: number, to: number) => string;
const cut: Edit = (text, from, to) => text.slice(0, from) + text.slice(to);
const doubled: Edit = (text, from, to) => text.slice(0, to) + text.slice(from);
const inserted =
  (part: string): Edit =>
  (text, from) =>
    text.slice(0, from) + part + text.slice(from);
const replaced =
  (part: string): Edit =>
  (text, from, to) =>
    text.slice(0, from) + part + text.slice(to);
const spliced =
  (other: string): Edit =>
  (text, from, to) =>
    text.slice(0, from) + other.slice(to);

/** Generates seeds with a few edits, sequences of tokens, and random texts. */
function textsOf({ seeds, tokens }: Corpus): fc.Arbitrary<string> {
  const put = fc.oneof(fc.constantFrom(...tokens), fc.string({ unit: anyCharacter, maxLength: 4 }));
  const edit = fc.oneof(
    put.map(inserted),
    put.map(replaced),
    fc.constantFrom<Edit[]>(cut, doubled),
    fc.constantFrom(...seeds).map(spliced),
  );
  const place = fc.double({ min: 0, max: 1, noNaN: true });
  const edited = fc
    .tuple(fc.constantFrom(...seeds), fc.array(fc.tuple(edit, place, place), { minLength: 1, maxLength: 6 }))
    .map(([seed, edits]) =>
      edits.reduce((text, [change, one, other]) => {
        const [from = 0, to = 0] = [one, other]
          .map((at) => Math.floor(at * text.length))
          .toSorted((a, b) => a - b);
        return change(text, from, to);
      }, seed),
    );
  return fc.oneof(
    { weight: 6, arbitrary: edited },
    { weight: 3, arbitrary: fc.array(put, { maxLength: 40 }).map((parts) => parts.join('')) },
    { weight: 1, arbitrary: fc.string({ unit: anyCharacter, maxLength: 200 }) },
  );
}
