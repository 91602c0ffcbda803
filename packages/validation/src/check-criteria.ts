import type {
  Criteria,
  DefinitionCheck,
  Finding,
  Meter,
  StepWorkflowDefinition,
} from '@workflowlookup/schema';
import { Exhausted, maxReadingSteps, walkSteps } from '@workflowlookup/schema';
import { inspectCriteria } from './compile-criteria.ts';
import { doubtsOf } from './doubts.ts';
import { impossibleIn } from './impossible-criteria.ts';
import { maxCompilationSteps } from './meter.ts';
import type { Problem } from './problem.ts';

/**
 * Finds criteria of a step workflow that can't be used: errors under which the workflow is served all the same.
 * Warns of what can be used but is hardly meant. Conditions of rules are left to `checkConditions`.
 */
export const checkCriteria: DefinitionCheck = async (
  definition: StepWorkflowDefinition,
  meter: Meter = { left: maxReadingSteps },
) => {
  const findings: Finding[] = [];
  for (const { step, pointer } of walkSteps(definition.steps)) {
    if (step.type !== 'loop') findings.push(...(await findingsOn(step, pointer, meter)));
  }
  return findings;
};

/** What is wrong with the criteria of a step that stands at this pointer. */
export async function findingsOn(
  { validationCriteria: criteria }: { readonly validationCriteria?: Criteria },
  pointer: string,
  meter: Meter,
): Promise<readonly Finding[]> {
  if (criteria === undefined) return [];
  const base = `${pointer}/validationCriteria`;
  try {
    return await findingsIn(criteria, base, meter);
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
    return [tooCostly(base)];
  }
}

/** Pays for the criteria of one step from what there is for the whole definition, and no more than it may have. */
async function findingsIn(criteria: Criteria, base: string, meter: Meter): Promise<readonly Finding[]> {
  const own: Meter = { ...meter, left: Math.min(meter.left, maxCompilationSteps) };
  const before = own.left;
  try {
    return await inspected(criteria, base, own);
  } finally {
    meter.left -= before - own.left;
  }
}

async function inspected(criteria: Criteria, base: string, meter: Meter): Promise<readonly Finding[]> {
  const { problems } = await inspectCriteria(criteria, meter);
  const unusable = problems
    .filter(({ fault }) => fault !== 'condition')
    .map((problem) => findingOf(problem, base));
  const impossible = problems.length === 0 ? impossibleIn(criteria, base, meter) : [];
  return [...unusable, ...doubtsOf(criteria, base), ...impossible];
}

function tooCostly(pointer: string): Finding {
  return {
    severity: 'error',
    code: 'beyond-limits',
    pointer,
    message: `These criteria take too many steps to compile: at most ${maxCompilationSteps} for a step, ${maxReadingSteps} for a workflow`,
    suggestion: 'Use fewer JSON Schemas and patterns, or smaller ones, or split the workflow',
  };
}

function findingOf({ pointer, message, suggestion }: Problem, base: string): Finding {
  const remedy = suggestion === undefined ? {} : { suggestion };
  return {
    severity: 'error',
    code: 'broken-criteria',
    served: true,
    pointer: base + pointer,
    message,
    ...remedy,
  };
}
