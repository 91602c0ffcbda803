import type { Meter } from '@workflowlookup/schema';
import { Exhausted, WorkflowError } from '@workflowlookup/schema';
import { seal } from './compiled-criteria.ts';
import type { CompiledCriteria } from './compiled-criteria.ts';
import { maxCompilationSteps } from './meter.ts';
import type { Problem } from './problem.ts';
import { readCriteria } from './read-criteria.ts';

/**
 * Compiles criteria of any shape: none (`undefined` or an empty list), a rule, a pattern, a list, a composition.
 * Throws `VALIDATION` for what can't be used and `INVALID_WORKFLOW` for a malformed JSON Schema, with
 * `data.pointer` leading to it (docs/authoring.md#criteria); `TOO_COSTLY` where they take more than 200 million steps. They
 * are paid from `allowance`; where that is short, what runs out is `TooLongHere`.
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

/** {@link compileCriteria} that gives every problem back; what has one passes every output. */
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
  const code = fault === 'schema' ? 'INVALID_WORKFLOW' : 'VALIDATION';
  return new WorkflowError(code, `${place} unusable: ${message}${remedy}`, { data: { pointer } });
}
