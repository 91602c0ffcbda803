import type { ActivityPart, ActivityWorkflow } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { Library, Scope } from '../library/library.ts';
import { sharedWorkflowId, neededWorkflows } from '../library/library.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionParts } from './parts.ts';

/** Loads activity workflows. Ids that no source serves are left out. */
export async function loadLibrary(
  { workflows }: Pick<SessionParts, 'workflows'>,
  ids: Iterable<string>,
): Promise<Map<string, ActivityWorkflow>> {
  const library = new Map<string, ActivityWorkflow>();
  for (const id of new Set(ids)) {
    const workflow = await workflows.get(id);
    if (workflow?.kind === 'activities') library.set(id, workflow);
  }
  return library;
}

/**
 * Loads the workflows a session can refer to: its own as pinned, `meta`, the ones these name, and those a call names.
 */
export async function sessionLibrary(
  parts: SessionParts,
  { runnable }: OpenSession,
  more: readonly string[] = [],
): Promise<Library> {
  const own = runnable.kind === 'activities' ? runnable.workflow : undefined;
  const library = await loadLibrary(parts, [
    sharedWorkflowId,
    ...(own === undefined ? [] : neededWorkflows(own)),
    ...more,
  ]);
  const shared = library.get(sharedWorkflowId);
  const further = shared === undefined ? [] : neededWorkflows(shared).filter((id) => !library.has(id));
  for (const [id, workflow] of await loadLibrary(parts, further)) library.set(id, workflow);
  return own === undefined ? library : library.set(own.id, own);
}

/** Returns the scope in which a session looks up skills and resources. */
export function scopeOf({ runnable, state }: OpenSession, library: Library): Scope {
  if (runnable.kind === 'steps') return { library };
  const part = runnable.workflow.activities.find(({ id }) => id === state.current);
  return { library, workflowId: runnable.workflow.id, lender: part?.lender };
}

/** An activity of a workflow. @throws WorkflowError ACTIVITY_NOT_FOUND */
export function activityPart(workflow: ActivityWorkflow, id: string): ActivityPart {
  const part = workflow.activities.find((candidate) => candidate.id === id);
  if (part !== undefined) return part;
  throw new WorkflowError('ACTIVITY_NOT_FOUND', `Activity '${id}' was not found in '${workflow.id}'.`, {
    data: { activity_id: id },
  });
}
