import type {
  ActivityPart,
  ActivityStep,
  ActivityWorkflow,
  BrokenPart,
  ResourcePart,
  ResourceReference,
  SkillPart,
  SkillReference,
} from '@workflowlookup/schema';
import {
  WorkflowError,
  didYouMean,
  findResource as findResourceIn,
  isSharedResource,
  parseOperationReference,
  parseResourceReference,
  parseSkillReference,
  trustCommand,
  walkActivitySteps,
  findSkill as findSkillIn,
} from '@workflowlookup/schema';
import type { UntrustedDefinition, WorkflowStore } from '@workflowlookup/storage';
import { partMessages, workflowMessages, partOwners } from '../messages/lookup.ts';
import { parseInstanceId } from '../navigation/next-step.ts';

/** Activity workflows by id: those a call needs, loaded before ({@link neededWorkflows}). */
export type Library = ReadonlyMap<string, ActivityWorkflow>;

/** Id of the workflow whose skills and resources all workflows share. */
export const sharedWorkflowId = 'meta';

/** The starting point of a lookup. */
export interface Scope {
  readonly library: Library;
  /** The session's workflow; without one only shared parts are found. */
  readonly workflowId?: string | undefined;
  /** The workflow that the session's activity is borrowed from; it comes first. */
  readonly lender?: string | undefined;
}

/** Ids of the workflows of a scope, each once, in the order in which they are searched. */
function searchOrder({ lender, workflowId }: Scope): readonly string[] {
  const ids = [lender, workflowId, sharedWorkflowId].filter((id) => id !== undefined);
  return [...new Set(ids)];
}

/** Returns the error for an id that can't be served: its file is broken, or there is none. */
export async function explainAbsence(store: WorkflowStore, id: string): Promise<WorkflowError> {
  const problem = (await store.problems()).find(
    (candidate) => candidate.id === id && candidate.severity === 'error',
  );
  if (problem !== undefined) {
    const message = workflowMessages.notServed(id, problem.file, problem.issues[0]?.message);
    return new WorkflowError(problem.code, message, {
      data: { workflowId: id, issues: problem.issues },
    });
  }
  const held = (await store.untrusted?.())?.find((candidate) => candidate.id === id);
  if (held !== undefined) return notTrusted(id, held);
  const nearest = didYouMean(
    id,
    (await store.list()).map((summary) => summary.id).filter((listed) => listed !== sharedWorkflowId),
  );
  return new WorkflowError('WORKFLOW_NOT_FOUND', workflowMessages.notFound(id, nearest), {
    data: { workflowId: id },
  });
}

function notTrusted(
  id: string,
  { source, trustWith: command = trustCommand }: UntrustedDefinition,
): WorkflowError {
  return new WorkflowError('UNTRUSTED', workflowMessages.notTrusted(id, command), {
    data: { workflowId: id, ...(source !== undefined && { source }), command },
  });
}

/** A broken part in a sentence: its file, the first place that is wrong, and how many more there are. */
export function describeProblem(part: BrokenPart): string {
  const [first, ...more] = part.issues.filter(({ severity }) => severity === 'error');
  return partMessages.broken(part, first, more.length);
}

/**
 * Finds a resource by number (`03` or `3`), id or name: in the named workflow alone, else in the workflow that refers
 * to it and in the session's. An id or a name is then looked up in `meta`; a number is not, because it would be another
 * document.
 *
 * @throws WorkflowError RESOURCE_NOT_FOUND with the workflows that were searched, or with the problem of a broken file
 * @see docs/authoring.md#resources
 */
export function findResource(scope: Scope, resourceId: string): ResourcePart {
  const parsed = parseResourceReference(resourceId);
  if (parsed === undefined) {
    throw notFound(resourceId, partMessages.notAResource(resourceId));
  }
  const order = orderFor(scope, parsed);
  for (const id of order) {
    const workflow = scope.library.get(id);
    if (workflow === undefined) continue;
    const resource = findResourceIn(workflow.resources, parsed.resource);
    if (resource !== undefined) return resource;
    const problem = workflow.problems.find((part) => isMeant(part, parsed.resource));
    if (problem !== undefined) throw notFound(resourceId, describeProblem(problem));
  }
  const workflows = order.map((id) => scope.library.get(id)).filter((workflow) => workflow !== undefined);
  throw notFound(resourceId, absence(parsed, workflows));
}

function orderFor(scope: Scope, reference: ResourceReference): readonly string[] {
  if (reference.workflow !== undefined) return [reference.workflow];
  const order = searchOrder(scope);
  if (isSharedResource(reference)) return order;
  return order.filter((id) => id !== sharedWorkflowId || id === scope.workflowId || id === scope.lender);
}

function isMeant({ kind, id, file }: BrokenPart, wanted: string): boolean {
  if (kind !== 'resource') return false;
  const [, index = '', name] = /(?:^|\/)(\d+)-(.+)\.[a-z]+$/.exec(file) ?? [];
  return id === wanted || name === wanted || (/^\d+$/.test(wanted) && Number(index) === Number(wanted));
}

function absence({ workflow, resource }: ResourceReference, searched: readonly ActivityWorkflow[]): string {
  if (searched.length === 0 && workflow !== undefined) return partMessages.noWorkflow(workflow);
  const known = searched.flatMap(({ resources }) => resources.map(({ id }) => id));
  const places = searched.map(({ id }) => id);
  return partMessages.noResource(resource, places, didYouMean(resource, known), known);
}

function notFound(resourceId: string, message: string): WorkflowError {
  return new WorkflowError('RESOURCE_NOT_FOUND', message, { data: { resourceId } });
}

/**
 * Ids of the other workflows that a bundle or a lookup may touch: `meta`, the workflows that refer to these, and the prefixes of references to
 * skills and operations. With an activity its own, without one those of all activities. Not all of them need to exist,
 * or to be ids at all.
 *
 * The core sets of `meta` may name more: ask again with `meta` once it is loaded.
 */
export function neededWorkflows(workflow: ActivityWorkflow, activity?: ActivityPart): readonly string[] {
  const { id, definition } = workflow;
  const { operationsFor = {} } = definition;
  const parts = activity === undefined ? workflow.activities : [activity];
  const sources = [definition, ...parts.map((part) => part.definition)];
  const operations = [
    ...sources.flatMap((source) => source.operations ?? []),
    ...Object.values(operationsFor).flatMap((list) => list ?? []),
  ];
  const skills = [
    ...sources.map((source) => source.skills?.primary),
    ...parts.flatMap((part) => [...walkActivitySteps(part.definition)].map(({ step }) => step.skill)),
  ];
  const ids = new Set([
    sharedWorkflowId,
    ...parts.map(({ lender }) => lender),
    ...namedByOperations(operations),
    ...skills.map((skill) => (skill === undefined ? undefined : parseSkillReference(skill).workflow)),
  ]);
  ids.delete(id);
  return [...ids].filter((needed) => needed !== undefined);
}

/** Ids of the workflows that operation references name, each once. */
export function namedByOperations(references: readonly string[]): readonly string[] {
  const named = references.map((ref) => parseOperationReference(ref)?.workflow);
  return [...new Set(named.filter((id) => id !== undefined))];
}

/** The workflow that a resource id names, if it names one. */
export function namedByResource(resourceId: string): string | undefined {
  return parseResourceReference(resourceId)?.workflow;
}

/** A skill and the workflow it was found in. */
interface FoundSkill {
  readonly found: true;
  readonly skill: SkillPart;
  readonly workflow: string;
}

/** The result of searching for a skill. */
type SkillSearch = FoundSkill | { readonly found: false; readonly reason: string };

/**
 * Finds the skill that `[workflow/]skill` names: in the named workflow, else in the workflow that refers to it and in
 * the session's, and then in `meta`.
 *
 * @see docs/authoring.md#skills
 */
export function findSkill(scope: Scope, reference: string): SkillSearch {
  const parsed = parseSkillReference(reference);
  const { skills, obstacle } = searchSkills(scope, parsed);
  return skills[0] ?? { found: false, reason: obstacle ?? skillAbsence(scope, parsed) };
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
  for (const id of skillOrder(scope, reference)) {
    const workflow = scope.library.get(id);
    const skill = workflow && findSkillIn(workflow.skills, reference.skill);
    const problem = workflow?.problems.find((part) => part.kind === 'skill' && part.id === reference.skill);
    if (skill !== undefined) skills.push({ found: true, skill, workflow: id });
    else if (problem !== undefined) return { skills, obstacle: describeProblem(problem) };
  }
  return { skills };
}

function skillOrder(scope: Scope, { workflow }: SkillReference): readonly string[] {
  return workflow === undefined ? searchOrder(scope) : [...new Set([workflow, sharedWorkflowId])];
}

function skillAbsence(scope: Scope, reference: SkillReference): string {
  const order = skillOrder(scope, reference);
  const known = order.flatMap((id) => scope.library.get(id)?.skills ?? []).map(({ id }) => id);
  const nearest = didYouMean(reference.skill, known);
  return partMessages.noSkill(reference.skill, order, nearest);
}

/** An activity of a workflow, with the loaded parts. */
interface LoadedActivity {
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
  const [inner] = parsed?.iterations ?? [];
  const found = walked.find(
    ({ step, loop }) => step.id === parsed?.stepId && (inner === undefined || inner.loopId === loop?.id),
  );
  if (found !== undefined) return found.step;
  const known = walked.map(({ step }) => step.id);
  throw new WorkflowError('STEP_NOT_FOUND', partMessages.noStepInActivity(id, stepId, known), {
    data: { activityId: id, stepId, steps: known },
  });
}
