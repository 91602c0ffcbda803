import { messages } from './messages.ts';
import type { Meter } from '@workflowlookup/schema';
import { spend } from '@workflowlookup/schema';
import { RE2JS } from 're2js';

/** A compiled pattern. */
export interface Pattern {
  /** Number of instructions in the program. A search takes at most about `size` steps per character. */
  readonly size: number;
  /** Tells whether the pattern occurs anywhere in the text. */
  readonly test: (text: string) => boolean;
}

/** A compiled pattern, or the reason why it can't be used. */
export type CompiledPattern =
  | ({ readonly ok: true } & Pattern)
  | { readonly ok: false; readonly message: string };

const maxLength = 4096;
const maxSize = 10_000;
// Repetition multiplies the program during compilation. The sum of all counts times the length limits that work.
const maxRepetition = 200_000;

const flagValues: Readonly<Record<string, number>> = {
  i: RE2JS.CASE_INSENSITIVE,
  m: RE2JS.MULTILINE,
  s: RE2JS.DOTALL,
  u: 0,
  g: 0,
};

/**
 * Compiles a pattern in RE2 syntax, which runs in linear time. `\uXXXX`, `\u{X}` and `\/` mean the same as in
 * JavaScript; look-around and back references are not part of RE2. Without the flag `m`, `^` and `$` match the ends of
 * the text; without `s`, `.` doesn't match `\n`. The flags `u` and `g` are accepted and have no effect. The meter pays
 * for the compilation; the function throws only if the meter runs out.
 */
export function compilePattern(pattern: string, flags = '', meter?: Meter): CompiledPattern {
  const stray = flags.split('').find((flag) => !Object.hasOwn(flagValues, flag));
  if (stray !== undefined) return refused(messages.unknownFlag(stray));
  if (pattern.length > maxLength) {
    return refused(messages.longPattern(pattern.length, maxLength));
  }
  if (repetition(pattern) > maxRepetition) return refused(messages.repetitivePattern);
  if (meter !== undefined) spend(meter, compilationSteps(pattern));
  return compile(pattern, flags);
}

/**
 * Returns the largest number of steps that compilation can take, as measured. Unicode classes are merged with each
 * other, and repeated parts are copied.
 */
function compilationSteps(pattern: string): number {
  const classes = pattern.match(/\\[pP]|\[\[:/g)?.length ?? 0;
  const sets = pattern.match(/\\[wWdDsS]|\[/g)?.length ?? 0;
  return 5_000 + 300 * pattern.length + 20_000 * classes + 5_000 * sets + 20 * repetition(pattern);
}

function compile(pattern: string, flags: string): CompiledPattern {
  try {
    const program = RE2JS.compile(translate(pattern), flagBits(flags));
    const size = program.programSize();
    if (size > maxSize) return refused(messages.largePattern);
    return { ok: true, size, test: (text) => program.test(text) };
  } catch (error) {
    return refused(explain(error instanceof Error ? error.message : String(error)));
  }
}

function flagBits(flags: string): number {
  return flags.split('').reduce((bits, flag) => bits | (flagValues[flag] ?? 0), 0);
}

function repetition(pattern: string): number {
  const counts = [...pattern.matchAll(/\{(\d+)(?:,(\d*))?\}/g)].map(([, least, most]) =>
    Number(most || least),
  );
  return counts.reduce((sum, count) => sum + count, 0) * pattern.length;
}

const escapes =
  /\\Q[^]*?(?:\\E|$)|\\ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|\\u[0-9a-f]{4}|\\u\{[0-9a-f]+\}|\\[^]/gi;

// RE2 writes code points as \\x{…}. All other escapes stay the same.
function translate(pattern: string): string {
  return pattern.replace(escapes, (escape) => {
    if (!/^\\u./.test(escape)) return escape;
    const units = [...escape.matchAll(/[0-9a-f]{4}/gi)].map(([hex]) => parseInt(hex, 16));
    return escape[2] === '{' ? `\\x${escape.slice(2)}` : `\\x{${codePoint(units).toString(16)}}`;
  });
}

function codePoint(units: readonly number[]): number {
  return String.fromCharCode(...units).codePointAt(0) ?? 0;
}

function explain(error: string): string {
  const [, reason = error, fragment = ''] =
    /^(?:error parsing regexp: )?(.*?)(?:: `(.*)`)?$/s.exec(error) ?? [];
  const [opening] = /^\(\?<?[=!]/.exec(fragment) ?? [];
  if (opening !== undefined) return messages.lookAround(opening);
  if (/^\\[1-9k]/.test(fragment)) {
    return messages.backReference(fragment);
  }
  return messages.invalidPattern(reason, fragment);
}

function refused(message: string): CompiledPattern {
  return { ok: false, message };
}
