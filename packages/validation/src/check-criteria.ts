import type {
  Criteria,
  DefinitionCheck,
  FileFinding,
  Finding,
  FolderCheck,
  Meter,
  StepWorkflowDefinition,
} from '@workflowlookup/schema';
import { Exhausted, maxReadingSteps, walkActivitySteps, walkSteps } from '@workflowlookup/schema';
import type { Problem } from './check.ts';
import { maxCompilationSteps } from './check.ts';
import { inspectCriteria } from './validation-engine.ts';
import { probableMistakes, impossibleIn } from './impossible-criteria.ts';
import { definitionTooCostly } from './messages.ts';

/**
 * Finds criteria of a step workflow that can't be used; the workflow is served despite these errors. Also warns about
 * usable criteria that are probably mistakes. `checkConditions` checks the conditions of rules.
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

async function findingsOn(
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

/** Pays for the criteria of one step out of the budget of the whole definition, up to the limit for one step. */
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
  return [...unusable, ...probableMistakes(criteria, base), ...impossible];
}

function tooCostly(pointer: string): Finding {
  return {
    severity: 'error',
    code: 'beyond-limits',
    pointer,
    ...definitionTooCostly(maxCompilationSteps, maxReadingSteps),
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

/**
 * Does the same as {@link checkCriteria} for the steps of an activity workflow. The activities are served despite
 * errors.
 */
export const checkActivityCriteria: FolderCheck = async (
  { activities },
  meter = { left: maxReadingSteps },
) => {
  const findings: FileFinding[] = [];
  for (const { definition, file, pointer: place } of activities) {
    for (const { step, pointer } of walkActivitySteps(definition)) {
      const found = await findingsOn(step, place + pointer, meter);
      findings.push(...found.map((finding) => ({ ...finding, file })));
    }
  }
  return findings;
};
