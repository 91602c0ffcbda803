import type {
  ActivityPart,
  ActivityStep,
  ActivityWorkflow,
  SkillPart,
  SkillReference,
} from '@workflowlookup/schema';
import {
  WorkflowError,
  didYouMean,
  findSkill as findIn,
  parseSkillReference,
  walkActivitySteps,
} from '@workflowlookup/schema';
import { parseInstanceId } from '../steps/progress.ts';
import type { Library, Scope } from './library.ts';
import { describeProblem, searchOrder, sharedWorkflowId } from './library.ts';
import { partMessages, partOwners } from '../messages/lookup.ts';

/** A skill and the workflow it was found in. */
export interface FoundSkill {
  readonly found: true;
  readonly skill: SkillPart;
  readonly workflow: string;
}

/** The result of searching for a skill. */
export type SkillSearch = FoundSkill | { readonly found: false; readonly reason: string };

/**
 * Finds the skill that `[workflow/]skill` names: in the named workflow, else in the workflow that refers to it and in
 * the session's, and then in `meta`.
 *
 * @see docs/authoring.md#skills
 */
export function findSkill(scope: Scope, reference: string): SkillSearch {
  const parsed = parseSkillReference(reference);
  const { skills, obstacle } = searchSkills(scope, parsed);
  return skills[0] ?? { found: false, reason: obstacle ?? absence(scope, parsed) };
}

/**
 * Returns all skills of a name, in the order of {@link findSkill}. A broken skill ends the search, because a later one
 * is not what was meant; it is returned as the obstacle.
 */
export function searchSkills(
  scope: Scope,
  reference: SkillReference,
): { readonly skills: readonly FoundSkill[]; readonly obstacle?: string } {
  const skills: FoundSkill[] = [];
  for (const id of orderFor(scope, reference)) {
    const workflow = scope.library.get(id);
    const skill = workflow && findIn(workflow.skills, reference.skill);
    const problem = workflow?.problems.find((part) => part.kind === 'skill' && part.id === reference.skill);
    if (skill !== undefined) skills.push({ found: true, skill, workflow: id });
    else if (problem !== undefined) return { skills, obstacle: describeProblem(problem) };
  }
  return { skills };
}

function orderFor(scope: Scope, { workflow }: SkillReference): readonly string[] {
  return workflow === undefined ? searchOrder(scope) : [...new Set([workflow, sharedWorkflowId])];
}

function absence(scope: Scope, reference: SkillReference): string {
  const order = orderFor(scope, reference);
  const known = order.flatMap((id) => scope.library.get(id)?.skills ?? []).map(({ id }) => id);
  const nearest = didYouMean(reference.skill, known);
  return partMessages.noSkill(reference.skill, order, nearest);
}

/** An activity of a workflow, with the loaded parts. */
export interface LoadedActivity {
  readonly library: Library;
  readonly workflow: ActivityWorkflow;
  readonly activity: ActivityPart;
}

/** Searches for a workflow's primary skill. Returns `undefined` if it names none. */
export function primarySkill(
  library: Library,
  { id, definition }: ActivityWorkflow,
): SkillSearch | undefined {
  const name = definition.skills?.primary;
  return name === undefined ? undefined : findSkill({ library, workflowId: id }, name);
}

/** A workflow's primary skill. @throws WorkflowError SKILL_NOT_FOUND */
export function skillForWorkflow(library: Library, workflow: ActivityWorkflow): SkillPart {
  return skillOf(primarySkill(library, workflow), 'primary skill', partOwners.workflow(workflow.id));
}

/** An activity's primary skill. @throws WorkflowError SKILL_NOT_FOUND */
export function skillForActivity(place: LoadedActivity): SkillPart {
  const { id, definition } = place.activity;
  return skillOf(search(place, definition.skills?.primary), 'primary skill', partOwners.activity(id));
}

/**
 * The skill that a step names; steps of loops count, as `step` or `loop@0::step`.
 *
 * @throws WorkflowError STEP_NOT_FOUND with the steps there are; SKILL_NOT_FOUND for a step without a skill, or with
 *   one that is missing or broken
 */
export function skillForStep(place: LoadedActivity, stepId: string): SkillPart {
  const { skill } = findStep(place.activity, stepId);
  return skillOf(search(place, skill), 'skill', partOwners.step(stepId, place.activity.id));
}

function search(place: LoadedActivity, name: string | undefined): SkillSearch | undefined {
  const { library, workflow, activity } = place;
  return name === undefined
    ? undefined
    : findSkill({ library, workflowId: workflow.id, lender: activity.lender }, name);
}

function skillOf(found: SkillSearch | undefined, kind: 'primary skill' | 'skill', owner: string): SkillPart {
  if (found?.found === true) return found.skill;
  const message =
    found === undefined
      ? partMessages.noSkillNamed(kind, owner)
      : partMessages.skillUnusable(kind, owner, found.reason);
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
  throw new WorkflowError('STEP_NOT_FOUND', partMessages.noStepInActivity(id, stepId, known), {
    data: { activityId: id, stepId, steps: known },
  });
}
