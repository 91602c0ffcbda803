import type { Workflow } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { JsonObject } from '@workflowlookup/schema';
import { assertWritable, emptyJournal, sealEvents } from '@workflowlookup/storage/journal';
import { explainAbsence } from '../explain-absence.ts';
import { describeProblem } from '../library/describe-problem.ts';
import { sharedWorkflowId } from '../library/library.ts';
import { begin } from '../session/evolve.ts';
import { policyFor } from '../session/policy.ts';
import type { SessionState } from '../session/session-state.ts';
import { parentLink, startSession } from '../session/start-session.ts';
import { newSessionId } from '../tokens/session-id.ts';
import { nowOf } from './clock.ts';
import { pin } from './definitions.ts';
import { handedOn } from './handed-on.ts';
import { openSession } from './open-session.ts';
import type { OpenSession } from './open-session.ts';
import type { SessionParts } from './parts.ts';
import { runnableOf } from './runnable.ts';
import type { StartRequest } from './sessions.ts';

/** Starts a session, as the child of another where the request names one. */
export async function startFresh(parts: SessionParts, request: StartRequest): Promise<SessionState> {
  const { workflowId = sharedWorkflowId, parentToken } = request;
  const parent = parentToken === undefined ? undefined : await openParent(parts, parentToken);
  if (parent !== undefined) assertWritable(parent.session);
  const workflow = await servedWorkflow(parts, workflowId);
  refuseBroken(workflow);
  const { navigator } = runnableOf(workflow);
  const { policy, caller } = parts;
  const { enforcement, ...sealed } = parent === undefined ? policy : policyFor(parent.state, policy);
  const { gates, trustElicitation, minResponseMs } = sealed;
  const event = startSession(navigator, {
    enforcement,
    policy: { gates, trustElicitation, minResponseMs },
    source: (await parts.workflows.provenance?.(workflowId))?.source,
    ...(caller.credential === undefined ? {} : { credential: caller.credential }),
    ...(parent === undefined
      ? {}
      : {
          parent: parentLink(parent.state),
          drivers: parent.state.drivers,
          ...handedOn(parent, navigator, gates),
        }),
  });
  return create(parts, { workflow, event, agent: request.agentId });
}

/** A parent must be genuine: a child without its parent would look like a session of its own. */
async function openParent(parts: SessionParts, token: string): Promise<OpenSession> {
  try {
    return await openSession(parts, token);
  } catch (error) {
    if (!(error instanceof WorkflowError) || error.code !== 'TOKEN_INVALID') throw error;
    throw new WorkflowError(
      'TOKEN_INVALID',
      `No child was started: for parent_session_token: ${error.message}`,
    );
  }
}

async function servedWorkflow({ workflows }: SessionParts, id: string): Promise<Workflow> {
  const workflow = await workflows.get(id);
  if (workflow === undefined) throw await explainAbsence(workflows, id);
  return workflow;
}

/**
 * Without one of its activities a workflow is another one: the checkpoint, the transitions or the `required` of that
 * activity would be missing.
 */
function refuseBroken(workflow: Workflow): void {
  if (workflow.kind === 'steps') return;
  const { id: workflowId, problems } = workflow;
  const [first, ...more] = problems.filter(({ kind }) => kind === 'activity');
  if (first === undefined) return;
  const { id, file, issues } = first;
  const problem = describeProblem(first).replace(/\.?$/, '.');
  const others = more.length === 0 ? '' : ` ${more.length} more of its activities are broken.`;
  throw new WorkflowError(
    'INVALID_WORKFLOW',
    `Workflow '${workflowId}' can't be started. ${problem}${others} Ask the user to correct it, then call start_session again.`,
    { data: { workflowId, activity_id: id, file, issues } },
  );
}

interface Beginning {
  readonly workflow: Workflow;
  readonly event: ReturnType<typeof startSession>;
  readonly agent: string;
}

async function create(parts: SessionParts, { workflow, event, agent }: Beginning): Promise<SessionState> {
  const { store } = await parts.vault();
  await parts.beforeStart?.(parts.caller);
  const { principal, project } = parts.caller;
  const sid = newSessionId(parts.random);
  const at = new Date(nowOf(parts)).toISOString();
  const state = begin(sid, { at, event });
  const { workflowId, version, digest, parent } = event;
  await pin(store, workflow);
  const events = sealEvents(sid, emptyJournal, [
    { at, type: event.type, data: event as unknown as JsonObject },
  ]);
  const isNew = await store.create(
    {
      sid,
      workflowId,
      version,
      digest,
      principal,
      agent,
      ...(parent === undefined ? {} : { parentSid: parent.sid }),
      ...(project === undefined ? {} : { project }),
    },
    {
      events,
      snapshot: { revision: state.revision, state: state as unknown as JsonObject },
    },
  );
  if (!isNew) throw new WorkflowError('INTERNAL', 'A new session got the id of another.');
  parts.onWrite?.({ sid, type: event.type });
  parts.onHead?.({ sid, revision: 1, hash: events[0]?.hash ?? '', at, status: 'active' });
  return state;
}
