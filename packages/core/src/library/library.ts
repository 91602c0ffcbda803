import type { ActivityWorkflow } from '@workflowlookup/schema';

/** Activity workflows by id: those a call needs, loaded before ({@link neededWorkflows}). */
export type Library = ReadonlyMap<string, ActivityWorkflow>;

/** Id of the workflow whose skills and resources are shared by all. */
export const sharedWorkflowId = 'meta';

/** From where something is looked up. */
export interface Scope {
  readonly library: Library;
  /** The session's workflow; without one only what is shared is seen. */
  readonly workflowId?: string | undefined;
  /** The workflow that the session's activity is borrowed from; it comes first. */
  readonly lender?: string | undefined;
}

/** Ids of the workflows of a scope, each once, in the order in which they are searched. */
export function searchOrder({ lender, workflowId }: Scope): readonly string[] {
  const ids = [lender, workflowId, sharedWorkflowId].filter((id) => id !== undefined);
  return [...new Set(ids)];
}
