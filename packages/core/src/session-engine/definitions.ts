import type {
  ActivityPart,
  ActivityWorkflow,
  JsonObject,
  StepWorkflow,
  Workflow,
} from '@workflowlookup/schema';
import { WorkflowError, digestOfWorkflow } from '@workflowlookup/schema';
import type { SessionRow, SessionStore } from '@workflowlookup/storage';
import { sessionDefinition } from '@workflowlookup/storage/journal';
import type { Library, Scope } from '../library/library.ts';
import { sharedWorkflowId, neededWorkflows } from '../library/library.ts';
import { graphNavigator } from '../navigation/graph-navigator.ts';
import type { Navigator } from '../navigation/navigator.ts';
import { sequenceNavigator } from '../navigation/sequence-navigator.ts';
import { driftOf } from '../session/session-state.ts';
import type { CompiledWorkflow } from '../steps/compile-workflow.ts';
import { compileWorkflow } from '../steps/compile-workflow.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionParts } from './parts.ts';

/** The definition a session runs on, and how the one served now differs from it. */
interface Pinned {
  readonly runnable: Runnable;
  readonly drift?: string;
}

/** Keeps the definition of sessions to come. */
export async function pin(store: SessionStore, workflow: Workflow): Promise<void> {
  // A digest does not cover every field, so the served definition replaces whatever was stored under it.
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

/**
 * Definitions read from stores, the newest last. Their digest was checked, so it does not matter which store they came
 * from.
 */
const kept = new Map<string, Runnable>();
const maxKept = 64;

/**
 * Returns the definition that was stored when a session was started on it, after checking its hash.
 *
 * @throws WorkflowError STORE_DAMAGED if it is gone, or is not what its digest says
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
    throw new WorkflowError(
      'STORE_DAMAGED',
      'The definition that this session runs on is no longer stored. Restore the database from a backup.',
    );
  }
  const { body, isSealed } = found;
  if (!isDefinitionOf(digest, body)) {
    throw new WorkflowError(
      'STORE_DAMAGED',
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

export function isDefinitionOf(digest: string, body: JsonObject): boolean {
  try {
    const workflow = body as unknown as Workflow;
    return workflow.digest === digest && digestOfWorkflow(workflow) === digest && hasItsIds(workflow);
  } catch {
    // It does not even have the shape of a workflow.
    return false;
  }
}

/** Returns whether the ids stored beside the texts, which no digest covers, equal the ids in the texts. */
function hasItsIds(workflow: Workflow): boolean {
  const parts = workflow.kind === 'steps' ? [] : [...workflow.activities, ...workflow.skills];
  return [workflow, ...parts].every(({ id, definition }) => id === definition.id);
}

/** An activity workflow made ready. */
export interface RunnableActivities {
  readonly kind: 'activities';
  readonly workflow: ActivityWorkflow;
  readonly navigator: Navigator;
}

/** A step workflow made ready. */
export interface RunnableSteps {
  readonly kind: 'steps';
  readonly workflow: StepWorkflow;
  readonly compiled: CompiledWorkflow;
  readonly navigator: Navigator;
}

/** A definition made ready to run sessions on. */
export type Runnable = RunnableActivities | RunnableSteps;

const made = new WeakMap<Workflow, Runnable>();

/** A definition made ready; once for each object. */
export function runnableOf(workflow: Workflow): Runnable {
  const known = made.get(workflow);
  if (known !== undefined) return known;
  const runnable = makeReady(workflow);
  made.set(workflow, runnable);
  return runnable;
}

function makeReady(workflow: Workflow): Runnable {
  if (workflow.kind === 'activities') {
    return { kind: 'activities', workflow, navigator: graphNavigator(workflow) };
  }
  const compiled = compileWorkflow(workflow);
  return { kind: 'steps', workflow, compiled, navigator: sequenceNavigator(compiled) };
}

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
