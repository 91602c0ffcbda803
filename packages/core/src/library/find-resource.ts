import type { ActivityWorkflow, BrokenPart, ResourcePart, ResourceReference } from '@workflowlookup/schema';
import {
  didYouMean,
  findResource as findIn,
  isSharedResource,
  parseResourceReference,
  WorkflowError,
} from '@workflowlookup/schema';
import { describeProblem } from './describe-problem.ts';
import type { Scope } from './library.ts';
import { searchOrder, sharedWorkflowId } from './library.ts';

/**
 * Looks a resource up by number (`03` or `3`), id or name: in the named workflow alone, else in the lender and the
 * session's workflow. An id or a name is then looked for in `meta`; numbers there are other documents.
 *
 * @throws WorkflowError RESOURCE_NOT_FOUND that says where was looked, or what is wrong with a broken one
 * @see docs/authoring.md#resources
 */
export function findResource(scope: Scope, resourceId: string): ResourcePart {
  const parsed = parseResourceReference(resourceId);
  if (parsed === undefined) {
    throw notFound(resourceId, `'${resourceId}' is not a resource id. Give a number, an id or a name.`);
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
  if (searched.length === 0 && workflow !== undefined) return `There is no workflow '${workflow}'.`;
  const known = searched.flatMap(({ resources }) => resources);
  const nearest = didYouMean(
    resource,
    known.map(({ id }) => id),
  );
  const hint = nearest === undefined ? listed(known) : `Did you mean '${nearest}'?`;
  return `There is no resource '${resource}' in ${searched.map(({ id }) => `'${id}'`).join(' or ')}. ${hint}`;
}

/** As many as a message holds. */
const maxListed = 20;

function listed(known: readonly ResourcePart[]): string {
  if (known.length === 0) return 'There are none.';
  const ids = known.slice(0, maxListed).map(({ id }) => id);
  return `There are: ${ids.join(', ')}${known.length > maxListed ? ', …' : ''}.`;
}

function notFound(resourceId: string, message: string): WorkflowError {
  return new WorkflowError('RESOURCE_NOT_FOUND', message, { data: { resourceId } });
}
