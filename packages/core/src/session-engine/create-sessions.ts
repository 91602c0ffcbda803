import type { CallKind } from './call-kind.ts';
import { beginSession } from './begin-session.ts';
import type { Outcome } from './call-session.ts';
import { callSession } from './call-session.ts';
import { steadyMs } from './clock.ts';
import { checkHealth, discover, listWorkflows } from './discover.ts';
import type { OpenSession } from './open-session.ts';
import type { Caller, SessionParts } from './parts.ts';
import { present } from './present.ts';
import { readActivity } from './read-activity.ts';
import { readOperations, readPrimarySkills, readResource, readSkill } from './read-skills.ts';
import { readStatus } from './read-status.ts';
import { brokenParts, readWorkflow } from './read-workflow.ts';
import { resume } from './resume.ts';
import type { Reply, Sessions } from './sessions.ts';
import { readTrace } from './trace.ts';
import { answer, move, yieldAt } from './write-calls.ts';

/** How long a server has been there, and whether it needed its database. */
interface Standing {
  readonly uptimeMs: number;
  readonly isNeeded: boolean;
}

/** Makes the sessions of one caller: load, decide by pure functions, append, answer. */
export function createSessions({ caller, ...shared }: SessionParts): Sessions {
  return createSessionsOf(shared)(caller);
}

/** Makes the sessions of each caller of a server: what one needed is known to all. */
export function createSessionsOf(shared: Omit<SessionParts, 'caller'>): (caller: Caller) => Sessions {
  const startedMs = steadyMs(shared);
  let isNeeded = false;
  const vault: SessionParts['vault'] = () => {
    isNeeded = true;
    return shared.vault();
  };
  const standing = (): Standing => ({ isNeeded, uptimeMs: steadyMs(shared) - startedMs });
  return (caller) => sessionsOver({ ...shared, vault, caller }, standing);
}

function sessionsOver(parts: SessionParts, standing: () => Standing): Sessions {
  function call<Value>(
    kind: CallKind,
    token: string,
    work: (session: OpenSession) => Promise<Outcome<Value>>,
  ): Promise<Reply<Value>> {
    return callSession(parts, { kind, token }, work);
  }

  return {
    discover: () => discover(parts),
    list: () => listWorkflows(parts),
    health: () => checkHealth(parts, standing()),
    start: (request) => beginSession(parts, request),
    status: (token) =>
      call('status', token, async (session) => ({ value: await readStatus(parts, session) })),
    workflow: (token, options) =>
      call('read-workflow', token, async (session) => ({
        value: await readWorkflow(parts, session, options),
        warnings: brokenParts(session.runnable),
      })),
    activity: (token, { full }) =>
      call('read-activity', token, async (session) => ({ value: await readActivity(parts, session, full) })),
    move: (token, request) => call('move', token, (session) => move(parts, session, request)),
    yield: (token, checkpointId, variables = {}) =>
      call('yield', token, (session) => yieldAt(parts, session, { checkpointId, variables })),
    resume: (token, wait = { waitMs: 0 }) => call('resume', token, (session) => resume(parts, session, wait)),
    present: (token) =>
      call('present', token, (session) => Promise.resolve({ value: present(parts, session) })),
    answer: (token, request) => call('answer', token, (session) => answer(parts, session, request)),
    skills: (token) =>
      call('read-skills', token, async (session) => ({ value: await readPrimarySkills(parts, session) })),
    skill: (token, stepId) => call('read-skill', token, (session) => readSkill(parts, session, stepId)),
    resource: (token, resourceId) =>
      call('read-resource', token, async (session) => ({
        value: await readResource(parts, session, resourceId),
      })),
    async operations(refs, token) {
      if (token === undefined) return readOperations(parts, refs);
      const { value } = await call('resolve-operations', token, async (session) => ({
        value: await readOperations(parts, refs, session),
      }));
      return value;
    },
    trace: (token, traceTokens) =>
      call('read-trace', token, async (session) => ({ value: await readTrace(session, traceTokens) })),
  };
}
