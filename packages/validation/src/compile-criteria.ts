import type { Meter } from '@workflowlookup/schema';
import { Exhausted, WorkflowError } from '@workflowlookup/schema';
import type { Check, Problem } from './check.ts';
import { maxCompilationSteps } from './check.ts';
import { readCriteria } from './read-criteria.ts';

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
export function contentsOf(compiled: CompiledCriteria): Contents {
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
  const message = `The validation criteria take more than ${maxCompilationSteps} steps to compile. Use fewer JSON Schemas and patterns, or smaller ones.`;
  throw new WorkflowError('TOO_COSTLY', message, { data: { maxSteps: maxCompilationSteps } });
}

function errorOf({ pointer, message, suggestion, fault }: Problem): WorkflowError {
  const place = pointer === '' ? 'The validation criteria are' : `The validation criteria at ${pointer} are`;
  const remedy = suggestion === undefined ? '' : ` ${suggestion}`;
  const code = fault === 'schema' ? 'INVALID_WORKFLOW' : 'INVALID_CRITERIA';
  return new WorkflowError(code, `${place} unusable: ${message}${remedy}`, { data: { pointer } });
}
