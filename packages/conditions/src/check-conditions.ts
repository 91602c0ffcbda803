import * as messages from './messages.ts';
import type {
  ActivityWorkflow,
  FileFinding,
  Finding,
  FolderCheck,
  Meter,
  PlacedCondition,
  Step,
  StepWorkflowDefinition,
  WalkedCondition,
} from '@workflowlookup/schema';
import { conditionsOfOutcomes, conditionsOfStep, walkConditions, walkSteps } from '@workflowlookup/schema';
import { neverHolds } from './never-holds.ts';
import { parseCondition } from './parse-condition.ts';

/**
 * Finds every condition of a step workflow that can't be used (errors) and every `runCondition` that no variables can
 * satisfy (warnings). Pointers are relative to the document.
 */
export function checkConditions(definition: StepWorkflowDefinition, meter?: Meter): readonly Finding[] {
  const ofOutcomes = [...conditionsOfOutcomes(definition)].flatMap((one) => unusable(one, '', meter));
  const ofSteps = [...walkSteps(definition.steps)].flatMap(({ step, pointer }) => [
    ...[...conditionsOfStep(step)].flatMap((condition) => unusable(condition, pointer, meter)),
    ...neverRuns(step, `${pointer}/runCondition`, meter),
  ]);
  return [...ofSteps, ...ofOutcomes];
}

function unusable(
  { source, pointer }: PlacedCondition,
  place: string,
  meter: Meter | undefined,
): readonly Finding[] {
  const parsed = parseCondition(source, meter);
  if (parsed.ok) return [];
  return parsed.issues.map((issue) => ({
    ...issue,
    severity: 'error',
    code: 'broken-condition',
    pointer: place + pointer + issue.pointer,
  }));
}

function neverRuns({ runCondition }: Step, pointer: string, meter: Meter | undefined): readonly Finding[] {
  const parsed = runCondition === undefined ? undefined : parseCondition(runCondition, meter);
  if (!parsed?.ok || !neverHolds(parsed.condition)) return [];
  return [
    {
      severity: 'warning',
      code: 'never-holds',
      pointer,
      ...messages.neverRuns,
    },
  ];
}

/**
 * Finds every condition of an activity workflow that can't be used (errors) and every one that no variables can satisfy
 * (warnings).
 */
export const checkActivityConditions: FolderCheck = (workflow, meter) =>
  [...walkConditions(workflow), ...outcomesOf(workflow)].flatMap((condition) => findingsOn(condition, meter));

/** Returns the conditions of the outcomes, for each name that the workflow file can have. */
function outcomesOf({ definition, format }: ActivityWorkflow): readonly WalkedCondition[] {
  const files = format === 'yaml' ? ['workflow.yaml', 'workflow.yml'] : [`workflow.${format}`];
  return [...conditionsOfOutcomes(definition)].flatMap((one) => files.map((file) => ({ ...one, file })));
}

function findingsOn(
  { source, file, pointer }: WalkedCondition,
  meter: Meter | undefined,
): readonly FileFinding[] {
  const parsed = parseCondition(source, meter);
  if (!parsed.ok) {
    return parsed.issues.map((issue) => ({
      ...issue,
      severity: 'error',
      code: 'broken-condition',
      file,
      pointer: pointer + issue.pointer,
    }));
  }
  if (!neverHolds(parsed.condition)) return [];
  return [
    {
      severity: 'warning',
      code: 'never-holds',
      file,
      pointer,
      ...messages.neverTrue,
    },
  ];
}
