import type { DefinitionCheck, Finding, Step, StepWorkflowDefinition } from '@workflowlookup/schema';
import { walkSteps } from '@workflowlookup/schema';
import { inspectCriteria } from './compile-criteria.ts';
import { doubtsOf } from './doubts.ts';
import type { Problem } from './problem.ts';

/**
 * Finds criteria of a step workflow that can't be used: errors under which the workflow is served all the same.
 * Warns of what can be used but is hardly meant. Conditions of rules are left to `checkConditions`.
 */
export const checkCriteria: DefinitionCheck = async (definition: StepWorkflowDefinition) => {
  const findings: Finding[] = [];
  for (const { step, pointer } of walkSteps(definition.steps)) {
    findings.push(...(await findingsOf(step, `${pointer}/validationCriteria`)));
  }
  return findings;
};

async function findingsOf(step: Step, pointer: string): Promise<readonly Finding[]> {
  if (step.type === 'loop' || step.validationCriteria === undefined) return [];
  const { problems } = await inspectCriteria(step.validationCriteria);
  const unusable = problems
    .filter(({ fault }) => fault !== 'condition')
    .map((problem) => findingOf(problem, pointer));
  return [...unusable, ...doubtsOf(step.validationCriteria, pointer)];
}

function findingOf({ pointer, message, suggestion }: Problem, base: string): Finding {
  const remedy = suggestion === undefined ? {} : { suggestion };
  return { severity: 'error', served: true, pointer: base + pointer, message, ...remedy };
}
