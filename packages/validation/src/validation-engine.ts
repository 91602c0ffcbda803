import type { Context } from '@workflowlookup/conditions';
import type { Meter } from '@workflowlookup/schema';
import { WorkflowError, outOf, spend } from '@workflowlookup/schema';
import type { Failure, Instance, Subject } from './check.ts';
import { maxSteps } from './check.ts';
import type { CompiledCriteria } from './compile-criteria.ts';
import { compileCriteria, contentsOf } from './compile-criteria.ts';

/** The result of validating an output. */
export interface Verdict {
  readonly valid: boolean;
  /** The problems, in the order of the criteria; empty if the output is valid. */
  readonly issues: readonly string[];
  /** Ways to fix the problems, without duplicates; empty if the output is valid. */
  readonly suggestions: readonly string[];
}

/** The maximum nesting of JSON in an output. */
const maxDepth = 500;

// Parsing a list of empty lists takes this many additional steps per character.
const parsingSteps = 5;

/**
 * Returns the JSON of an output, which is either the whole output or exactly one fenced block. Throws {@link Exhausted}
 * if it is nested too deeply to check.
 */
function readInstance(output: string, meter: Meter): Instance {
  spend(meter, output.length * (meter.isShort === true ? parsingSteps : 1));
  const text = output.trim();
  if (isTooDeep(text)) throw outOf(meter, 'Nested too deeply.');
  return parse(text) ?? parse(fenced(text));
}

function parse(text: string | undefined): Instance {
  if (text === undefined) return undefined;
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

// JSON can't contain a second fence.
function fenced(text: string): string | undefined {
  const [opening = ''] = /^```(?:json)?[ \t]*\r?\n/i.exec(text) ?? [];
  if (opening === '' || !text.endsWith('\n```')) return undefined;
  return text.slice(opening.length, -4);
}

// Brackets are counted before parsing, because parsing and walking millions of levels would take seconds and overflow the stack.
function isTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length && depth <= maxDepth; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '[' || char === '{') depth += 1;
    else if (char === ']' || char === '}') depth -= 1;
  }
  return depth > maxDepth;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

/** The largest output that is validated, in bytes of UTF-8. */
export const maxOutputBytes = 5_000_000;

const review = 'Review validation criteria and adjust output accordingly.';

/**
 * Validates an output against compiled criteria; the context decides which rules apply. A rule that takes too many
 * steps fails and says so. Throws `INVALID_INPUT` for an output over `maxOutputBytes`, or `TooLongHere` if a
 * short `allowance` runs out.
 */
export function judge(
  compiled: CompiledCriteria,
  output: string,
  context: Context = {},
  allowance: Meter = { left: maxSteps },
): Verdict {
  refuseTooLarge(output);
  const { check, meter } = contentsOf(compiled);
  if (check === undefined) return output.trim() === '' ? verdictOf([emptyOutput]) : verdictOf([]);
  const { isShort = false } = allowance;
  const most = isShort ? Math.min(allowance.left, maxSteps) : maxSteps;
  Object.assign(meter, { left: most, isShort });
  try {
    const outcome = check(subjectOf(output, context, meter));
    return verdictOf(outcome === 'left out' ? [] : outcome);
  } finally {
    allowance.left -= most - meter.left;
  }
}

const emptyOutput: Failure = {
  issue: 'Output is empty or invalid.',
  remedies: ['Write an output that is not blank.'],
};

function verdictOf(failures: readonly Failure[]): Verdict {
  if (failures.length === 0) return { valid: true, issues: [], suggestions: [] };
  const suggestions = new Set([review, ...failures.flatMap(({ remedies }) => remedies)]);
  return { valid: false, issues: failures.map(({ issue }) => issue), suggestions: [...suggestions] };
}

function subjectOf(output: string, context: Context, meter: Subject['meter']): Subject {
  let read: { readonly instance: Instance } | undefined;
  const instance = (): Instance => {
    read ??= { instance: readInstance(output, meter) };
    return read.instance;
  };
  return { output, context, meter, instance };
}

function refuseTooLarge(output: string): void {
  // A UTF-16 unit takes at most three bytes, so most outputs need no exact count.
  if (output.length * 3 <= maxOutputBytes) return;
  const bytes = output.length > maxOutputBytes ? output.length : new TextEncoder().encode(output).byteLength;
  if (bytes <= maxOutputBytes) return;
  const message = `The output has over ${maxOutputBytes} bytes, the most that is judged. Shorten it.`;
  throw new WorkflowError('INVALID_INPUT', message, { data: { field: 'output', maxBytes: maxOutputBytes } });
}

/** Validates outputs and compiles repeated criteria only once. */
export interface ValidationEngine {
  /** Throws the errors of {@link compileCriteria} and {@link judge}. */
  readonly validate: (output: string, criteria: unknown, context?: Context) => Promise<Verdict>;
}

/**
 * Creates an engine that keeps the last `maxKept` compiled criteria.
 *
 * @example
 * ```ts
 * const engine = createValidationEngine();
 * const criteria = [{ type: 'contains', value: 'jwt', message: 'Must name the token.' }];
 * await engine.validate('Uses cookies.', criteria); // { valid: false, issues: ['Must name the token.'], … }
 * ```
 */
export function createValidationEngine(maxKept = 100): ValidationEngine {
  const kept = new Map<string, CompiledCriteria>();
  return {
    async validate(output, criteria, context = {}) {
      const key = keyOf(criteria);
      const compiled = (key === undefined ? undefined : kept.get(key)) ?? (await compileCriteria(criteria));
      if (key !== undefined) keep(kept, key, compiled);
      if (kept.size > maxKept) kept.delete(kept.keys().next().value ?? '');
      return judge(compiled, output, context);
    },
  };
}

function keep(kept: Map<string, CompiledCriteria>, key: string, compiled: CompiledCriteria): void {
  kept.delete(key);
  kept.set(key, compiled);
}

function keyOf(criteria: unknown): string | undefined {
  try {
    return JSON.stringify(criteria);
  } catch {
    // A value that can't be written as JSON has no key. Compiling it reports the problem.
    return undefined;
  }
}
