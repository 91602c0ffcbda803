import type { JsonObject, Workflow } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import { driftOf } from '../session/drift.ts';
import type { SessionState } from '../session/session-state.ts';
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
  await store.putDefinition(workflow.digest, workflow as unknown as JsonObject);
}

/** The definition a session was started on: the one served while that is the same, else the one that was kept. */
export async function pinnedDefinition(
  { workflows }: Pick<SessionParts, 'workflows'>,
  store: SessionStore,
  state: SessionState,
): Promise<Pinned> {
  const served = await workflows.get(state.workflowId);
  const current = served && runnableOf(served);
  const drift = driftOf(state, current?.navigator.workflow);
  const runnable = served?.digest === state.digest ? current : undefined;
  return {
    runnable: runnable ?? (await keptDefinition(store, state.digest)),
    ...(drift === undefined ? {} : { drift }),
  };
}

/** Definitions read from stores, newest last. They are what their digest says, whichever store they came from. */
const kept = new Map<string, Runnable>();
const maxKept = 64;

/** The definition that was kept when a session was started on it. @throws WorkflowError STORAGE where it is gone */
export async function keptDefinition(store: SessionStore, digest: string): Promise<Runnable> {
  const known = kept.get(digest);
  if (known !== undefined) return known;
  const body = await store.getDefinition(digest);
  if (body === undefined) {
    throw new WorkflowError('STORAGE', 'The definition this session runs on is not kept here any more.');
  }
  const runnable = runnableOf(body as unknown as Workflow);
  const [oldest] = kept.keys();
  if (kept.size >= maxKept && oldest !== undefined) kept.delete(oldest);
  kept.set(digest, runnable);
  return runnable;
}
