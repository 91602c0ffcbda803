import type { Context } from '@workflowlookup/conditions';
import type { Field, JsonObject, Meter } from '@workflowlookup/schema';
import { judgeFields, readJson, unfenced } from './fields.ts';
import { Exhausted, isNestedDeeper, outOf, spend, WorkflowError } from '@workflowlookup/schema';
import type { Check, Failure, Instance, Problem } from './read-criteria.ts';
import { maxCompilationSteps, maxSteps, readCriteria } from './read-criteria.ts';
import { messages } from './messages.ts';

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
  if (isNestedDeeper(output, maxDepth)) throw outOf(meter, 'Nested too deeply.');
  const read = readJson(unfenced(output));
  return 'json' in read ? read : undefined;
}

/** The largest output that is validated, in bytes of UTF-8. */
export const maxOutputBytes = 5_000_000;

/**
 * Validates an output against compiled criteria; the context decides which rules apply. A rule that takes too many
 * steps fails and says so. Throws `INVALID_INPUT` for an output over `maxOutputBytes`, or `TooLongHere` if a
 * short `allowance` runs out. With `fields`, the output must have them too, and rules may check one of them.
 */
export function judge(
  compiled: CompiledCriteria,
  output: string,
  context: Context = {},
  allowance: Meter = { left: maxSteps },
  fields?: readonly Field[],
): Verdict {
  refuseTooLarge(output);
  if (fields === undefined) return judgeCriteria(compiled, output, context, allowance);
  const { values, issues, suggestions } = judgeFields(fields, output);
  const rest = judgeCriteria(compiled, output, context, allowance, values);
  if (issues.length === 0) return rest;
  return {
    valid: false,
    issues: [...issues, ...rest.issues],
    suggestions: [...new Set([...suggestions, ...rest.suggestions])],
  };
}

function judgeCriteria(
  compiled: CompiledCriteria,
  output: string,
  context: Context,
  allowance: Meter,
  fields?: JsonObject,
): Verdict {
  const { check, meter } = contentsOf(compiled);
  if (check === undefined) return output.trim() === '' ? verdictOf([blankOutput]) : verdictOf([]);
  const { isShort = false } = allowance;
  const most = isShort ? Math.min(allowance.left, maxSteps) : maxSteps;
  Object.assign(meter, { left: most, isShort });
  let read: { readonly instance: Instance } | undefined;
  const instance = (): Instance => {
    read ??= { instance: readInstance(output, meter) };
    return read.instance;
  };
  try {
    const outcome = check({ output, context, meter, instance, fields });
    return verdictOf(outcome === 'left out' ? [] : outcome);
  } finally {
    allowance.left -= most - meter.left;
  }
}

const blankOutput: Failure = { issue: messages.emptyOutput, remedies: [messages.writeSomething] };

function verdictOf(failures: readonly Failure[]): Verdict {
  if (failures.length === 0) return { valid: true, issues: [], suggestions: [] };
  const suggestions = new Set([messages.reviewCriteria, ...failures.flatMap(({ remedies }) => remedies)]);
  return { valid: false, issues: failures.map(({ issue }) => issue), suggestions: [...suggestions] };
}

function refuseTooLarge(output: string): void {
  // A UTF-16 unit takes at most three bytes, so most outputs need no exact count.
  if (output.length * 3 <= maxOutputBytes) return;
  const bytes = output.length > maxOutputBytes ? output.length : new TextEncoder().encode(output).byteLength;
  if (bytes <= maxOutputBytes) return;
  const data = { field: 'output', maxBytes: maxOutputBytes };
  throw new WorkflowError('INVALID_INPUT', messages.outputTooLarge(maxOutputBytes), { data });
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
      if (key !== undefined) {
        // The criteria that were used last are deleted last.
        kept.delete(key);
        kept.set(key, compiled);
      }
      if (kept.size > maxKept) kept.delete(kept.keys().next().value ?? '');
      return judge(compiled, output, context);
    },
  };
}

function keyOf(criteria: unknown): string | undefined {
  try {
    return JSON.stringify(criteria);
  } catch {
    // A value that can't be written as JSON has no key. Compiling it reports the problem.
    return undefined;
  }
}

declare const kind: unique symbol;

/** Compiled criteria. They validate one output at a time. */
export interface CompiledCriteria {
  readonly [kind]: 'criteria';
}

/** The content of compiled criteria. */
interface Contents {
  /** Absent if there are no criteria. */
  readonly check: Check | undefined;
  readonly meter: Meter;
}

/** Returns the contents as an opaque value for callers. */
function seal(contents: Contents): CompiledCriteria {
  return contents as unknown as CompiledCriteria;
}

/** Returns the contents of an opaque value made by {@link seal}. */
function contentsOf(compiled: CompiledCriteria): Contents {
  return compiled as unknown as Contents;
}

/**
 * Compiles criteria of any shape: none (`undefined` or an empty list), a rule, a pattern, a list, a composition. Throws
 * `INVALID_CRITERIA` for criteria that can't be used and `INVALID_WORKFLOW` for a malformed JSON Schema, with its location in
 * `data.pointer` (docs/authoring.md#criteria). Throws `TOO_COSTLY` if compilation takes more than 200 million steps, or
 * `TooLongHere` if a short `allowance` runs out.
 */
export async function compileCriteria(
  criteria: unknown,
  allowance: Meter = { left: maxCompilationSteps },
): Promise<CompiledCriteria> {
  const { compiled, problems } = await inspectCriteria(criteria, allowance).catch(tooCostly);
  const [problem] = problems;
  if (problem !== undefined) throw errorOf(problem);
  return compiled;
}

/** Does the same as {@link compileCriteria}, but returns the problems. A part with a problem accepts every output. */
export async function inspectCriteria(
  criteria: unknown,
  compile: Meter,
): Promise<{ readonly compiled: CompiledCriteria; readonly problems: readonly Problem[] }> {
  const run: Meter = { left: 0 };
  const problems: Problem[] = [];
  if (criteria === undefined || (Array.isArray(criteria) && criteria.length === 0)) {
    return { compiled: seal({ check: undefined, meter: run }), problems };
  }
  const check = await readCriteria(criteria, { pointer: '', depth: 0, problems }, { compile, run });
  return { compiled: seal({ check, meter: run }), problems };
}

function tooCostly(error: unknown): never {
  if (!(error instanceof Exhausted)) throw error;
  throw new WorkflowError('TOO_COSTLY', messages.criteriaTooCostly(maxCompilationSteps), {
    data: { max_steps: maxCompilationSteps },
  });
}

function errorOf(problem: Problem): WorkflowError {
  const { pointer, fault } = problem;
  const code = fault === 'schema' ? 'INVALID_WORKFLOW' : 'INVALID_CRITERIA';
  return new WorkflowError(code, messages.criteriaUnusable(pointer, problem), { data: { pointer } });
}
