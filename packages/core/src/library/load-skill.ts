import type { ActivityPart, ActivityStep, ActivityWorkflow, SkillPart } from '@workflowlookup/schema';
import { walkActivitySteps, WorkflowError } from '@workflowlookup/schema';
import { parseInstanceId } from '../instance-id.ts';
import { findSkill } from './find-skill.ts';
import type { SkillSearch } from './find-skill.ts';
import type { Library } from './library.ts';

/** An activity of a workflow, with what is loaded. */
export interface ActivityPlace {
  readonly library: Library;
  readonly workflow: ActivityWorkflow;
  readonly activity: ActivityPart;
}

/** The search for a workflow's primary skill; `undefined` when it names none. */
export function primarySkill(
  library: Library,
  { id, definition }: ActivityWorkflow,
): SkillSearch | undefined {
  const name = definition.skills?.primary;
  return name === undefined ? undefined : findSkill({ library, workflowId: id }, name);
}

/** A workflow's primary skill. @throws WorkflowError SKILL_NOT_FOUND */
export function skillForWorkflow(library: Library, workflow: ActivityWorkflow): SkillPart {
  return skillOf(primarySkill(library, workflow), 'primary skill', `workflow '${workflow.id}'`);
}

/** An activity's primary skill. @throws WorkflowError SKILL_NOT_FOUND */
export function skillForActivity(place: ActivityPlace): SkillPart {
  const { id, definition } = place.activity;
  return skillOf(search(place, definition.skills?.primary), 'primary skill', `activity '${id}'`);
}

/**
 * The skill that a step names; steps of loops count, as `step` or `loop@0::step`.
 *
 * @throws WorkflowError STEP_NOT_FOUND with the steps there are; SKILL_NOT_FOUND for a step without a skill, or with
 *   one that is missing or broken
 */
export function skillForStep(place: ActivityPlace, stepId: string): SkillPart {
  const { skill } = findStep(place.activity, stepId);
  return skillOf(search(place, skill), 'skill', `step '${stepId}' of activity '${place.activity.id}'`);
}

function search(place: ActivityPlace, name: string | undefined): SkillSearch | undefined {
  const { library, workflow, activity } = place;
  return name === undefined
    ? undefined
    : findSkill({ library, workflowId: workflow.id, lender: activity.lender }, name);
}

function skillOf(found: SkillSearch | undefined, kind: string, owner: string): SkillPart {
  if (found?.found === true) return found.skill;
  const message =
    found === undefined
      ? `No ${kind} is named by ${owner}.`
      : `The ${kind} of ${owner} can't be used. ${found.reason}`;
  throw new WorkflowError('SKILL_NOT_FOUND', message);
}

function findStep({ id, definition }: ActivityPart, stepId: string): ActivityStep {
  const walked = [...walkActivitySteps(definition)];
  const parsed = parseInstanceId(stepId);
  const [round] = parsed?.rounds ?? [];
  const found = walked.find(
    ({ step, loop }) => step.id === parsed?.stepId && (round === undefined || round.loopId === loop?.id),
  );
  if (found !== undefined) return found.step;
  const known = walked.map(({ step }) => step.id);
  const hint = known.length === 0 ? 'It has no steps.' : `Its steps: ${known.join(', ')}.`;
  throw new WorkflowError('STEP_NOT_FOUND', `Activity '${id}' has no step '${stepId}'. ${hint}`, {
    data: { activityId: id, stepId, steps: known },
  });
}
