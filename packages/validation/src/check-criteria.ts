import type { Criteria, DefinitionCheck, Finding, StepWorkflowDefinition } from '@workflowlookup/schema';
import { walkSteps } from '@workflowlookup/schema';
import { inspectCriteria } from './compile-criteria.ts';
import { doubtsOf } from './doubts.ts';
import { impossibleIn } from './impossible-criteria.ts';
import type { Problem } from './problem.ts';

/**
 * Finds criteria of a step workflow that can't be used: errors under which the workflow is served all the same.
 * Warns of what can be used but is hardly meant. Conditions of rules are left to `checkConditions`.
 */
export const checkCriteria: DefinitionCheck = async (definition: StepWorkflowDefinition) => {
  const findings: Finding[] = [];
  for (const { step, pointer } of walkSteps(definition.steps)) {
    if (step.type !== 'loop') findings.push(...(await findingsOn(step, pointer)));
  }
  return findings;
};

/** What is wrong with the criteria of a step that stands at this pointer. */
export async function findingsOn(
  { validationCriteria: criteria }: { readonly validationCriteria?: Criteria },
  pointer: string,
): Promise<readonly Finding[]> {
  if (criteria === undefined) return [];
  const base = `${pointer}/validationCriteria`;
  const { problems } = await inspectCriteria(criteria);
  const unusable = problems
    .filter(({ fault }) => fault !== 'condition')
    .map((problem) => findingOf(problem, base));
  const impossible = problems.length === 0 ? impossibleIn(criteria, base) : [];
  return [...unusable, ...doubtsOf(criteria, base), ...impossible];
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
