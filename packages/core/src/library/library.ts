import type {
  ActivityPart,
  ActivityWorkflow,
  BrokenPart,
  ResourcePart,
  ResourceReference,
} from '@workflowlookup/schema';
import {
  WorkflowError,
  didYouMean,
  findResource as findIn,
  isSharedResource,
  parseOperationReference,
  parseResourceReference,
  parseSkillReference,
  trustCommand,
  walkActivitySteps,
} from '@workflowlookup/schema';
import type { UntrustedDefinition, WorkflowStore } from '@workflowlookup/storage';
import { partMessages, workflowMessages } from '../messages/lookup.ts';

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
export function searchOrder({ lender, workflowId }: Scope): readonly string[] {
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
 * @throws WorkflowError RESOURCE_NOT_FOUND that says if was looked, or what is wrong with a broken one
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
    const resource = findIn(workflow.resources, parsed.resource);
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
  return id === wanted || name === wanted || (isNumber(wanted) && Number(index) === Number(wanted));
}

function isNumber(resource: string): boolean {
  return /^\d+$/.test(resource);
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
    ...(operationsFor.orchestrator ?? []),
    ...(operationsFor.worker ?? []),
    ...(operationsFor.solo ?? []),
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
