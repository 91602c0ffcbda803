import type { JsonObject, Workflow } from '@workflowlookup/schema';
import { digestOfWorkflow, WorkflowError } from '@workflowlookup/schema';
import type { SessionRow, SessionStore } from '@workflowlookup/storage';
import { sessionDefinition } from '@workflowlookup/storage/journal';
import { driftOf } from '../session/drift.ts';
import type { SessionParts } from './parts.ts';
import type { Runnable } from './runnable.ts';
import { runnableOf } from './runnable.ts';

/** The definition a session runs on, and how the one served now differs from it. */
export interface Pinned {
  readonly runnable: Runnable;
  readonly drift?: string;
}

/** Keeps the definition of sessions to come. */
export async function pin(store: SessionStore, workflow: Workflow): Promise<void> {
  // A digest does not cover every field: what is served takes the place of what anybody kept under it.
  await store.putDefinition(workflow.digest, workflow as unknown as JsonObject, { isServed: true });
  kept.delete(workflow.digest);
}

/** The definition a session was started on: the one served while that is the same, else the one that was kept. */
export async function pinnedDefinition(
  { workflows }: Pick<SessionParts, 'workflows'>,
  store: SessionStore,
  session: Pick<SessionRow, 'workflowId' | 'version' | 'digest' | 'unauthentic' | 'imported' | 'sealed'>,
): Promise<Pinned> {
  const served = await workflows.get(session.workflowId);
  const current = served && runnableOf(served);
  const drift = driftOf(session, current?.navigator.workflow);
  const runnable = served?.digest === session.digest ? current : undefined;
  return {
    runnable: runnable ?? (await keptDefinition(store, session)),
    ...(drift === undefined ? {} : { drift }),
  };
}

/** Definitions read from stores, newest last. They are what their digest says, whichever store they came from. */
const kept = new Map<string, Runnable>();
const maxKept = 64;

/**
 * The definition that was kept when a session was started on it, hashed again.
 *
 * @throws WorkflowError STORAGE where it is gone, or is not what its digest says
 */
export async function keptDefinition(
  store: SessionStore,
  session: Pick<SessionRow, 'digest' | 'unauthentic' | 'imported' | 'sealed'>,
): Promise<Runnable> {
  const { digest } = session;
  const known = kept.get(digest);
  if (known !== undefined) return known;
  const found = await sessionDefinition(store, session);
  if (found === undefined) {
    throw new WorkflowError('STORAGE', 'The definition this session runs on is not kept here any more.');
  }
  const { body, isSealed } = found;
  if (!isDefinitionOf(digest, body)) {
    throw new WorkflowError(
      'STORAGE',
      'The definition that is kept for this session is not the one it was started on. Verify the session with "workflowlookup sessions verify", then restore the database from a backup.',
      { data: { reason: 'unauthentic', digest, retryable: false } },
    );
  }
  const runnable = runnableOf(body as unknown as Workflow);
  // A digest does not cover every field: one without a seal must not serve other sessions.
  if (!isSealed) return runnable;
  const [oldest] = kept.keys();
  if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
  kept.set(digest, runnable);
  return runnable;
}

/** Whether a definition is the one with this digest. */
export function isDefinitionOf(digest: string, body: JsonObject): boolean {
  try {
    const workflow = body as unknown as Workflow;
    return workflow.digest === digest && digestOfWorkflow(workflow) === digest && hasItsIds(workflow);
  } catch {
    // It does not even have the shape of a workflow.
    return false;
  }
}

/** Whether the ids beside the texts, which no digest covers, are the ones in the texts. */
function hasItsIds(workflow: Workflow): boolean {
  const parts = workflow.kind === 'steps' ? [] : [...workflow.activities, ...workflow.skills];
  return [workflow, ...parts].every(({ id, definition }) => id === definition.id);
}
