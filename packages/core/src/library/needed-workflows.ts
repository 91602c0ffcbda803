import type { ActivityPart, ActivityWorkflow } from '@workflowlookup/schema';
import {
  parseOperationReference,
  parseResourceReference,
  parseSkillReference,
  walkActivitySteps,
} from '@workflowlookup/schema';
import { sharedWorkflowId } from './library.ts';

/**
 * Ids of the other workflows that a bundle or a lookup may touch: `meta`, lenders, and the prefixes of references to
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
