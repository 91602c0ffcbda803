import { messages } from '../messages.ts';
import type { DefinitionProblem } from '@workflowlookup/core';
import type { OpenSessionEntry, Started } from '@workflowlookup/core/sessions';
import type { JsonObject } from '@workflowlookup/schema';
import {
  answerHeader,
  joinSections,
  loadOnFirstCall,
  textAnswer,
  toToon,
  defineTool,
  offeredAtOnce,
  readAnnotations,
  writeAnnotations,
  flag,
  idText,
  argumentsSchema,
  text,
} from '../tool-support/tool.ts';
import { statusJson } from '../tool-support/session-json.ts';

/** `discover`: tells a new agent how to begin. */
export const discover = defineTool<object>({
  name: 'discover',
  title: 'How to begin',
  description:
    'Explains how to work here and lists the sessions you left open. Call it to resume, or after lost context.',
  inputSchema: argumentsSchema({}, []),
  annotations: readAnnotations,
  _meta: offeredAtOnce,
  async run({ sessions, identity }) {
    const { guide, openSessions, parkedSessions, untrusted } = await sessions.discover();
    const header = {
      server: identity.name,
      version: identity.version,
      ...(await loadOnFirstCall()).untrustedSummary(untrusted),
      ...(openSessions.length > 0 && openSessionsJson(openSessions)),
      ...(parkedSessions.length > 0 && { parked_sessions: parkedSessions.map(parkedSessionJson) }),
    };
    return { text: await joinSections(await toToon(header), guide ?? messages.defaultGuide()) };
  },
});

/** Returns the open sessions. If they all belong to one project, it is named once, because paths are long. */
function openSessionsJson(sessions: readonly OpenSessionEntry[]): object {
  const projects = new Set(sessions.map(({ project }) => project ?? null));
  const [project] = projects;
  const isShared = projects.size === 1;
  return {
    ...(isShared && project !== null && { project }),
    open_sessions: sessions.map((session) => ({
      session_id: session.sid,
      workflow_id: session.workflowId,
      current_activity: session.current ?? null,
      ...(!isShared && { project: session.project ?? null }),
      // Up to ten of these are read at each start, and nobody needs their milliseconds.
      updated_at: session.updatedAt.replace(/\.\d+Z$/, 'Z'),
    })),
  };
}

function parkedSessionJson({ sid, workflowId, current, parked }: OpenSessionEntry): JsonObject {
  return {
    session_id: sid,
    workflow_id: workflowId,
    current_activity: current ?? null,
    ...(parked !== undefined && { parked_by: parked.by, reason: parked.reason, until: parked.until ?? null }),
  };
}

/** `list_workflows`: lists the workflows that a session can be started on. */
export const listWorkflows = defineTool<object>({
  name: 'list_workflows',
  title: 'List workflows to start',
  description:
    "Lists the workflows you can start a session on. Use it to match the user's goal to a workflow.",
  inputSchema: argumentsSchema({}, []),
  annotations: readAnnotations,
  async run({ sessions }) {
    const { workflows, problems, untrusted } = await sessions.list();
    const listed = workflows.map(({ id, name, version, tags }) => ({ id, title: name, version, tags }));
    const held = (await loadOnFirstCall()).untrustedSummary(untrusted.length);
    if (problems.length === 0) return { json: { workflows: listed, ...held } };
    return {
      // A model might try to start whatever it reads here, so broken files are only counted in the text and named in `_meta`.
      json: { workflows: listed, problem_count: problems.length, ...held },
      meta: { 'workflowlookup/problems': problems.map(problemSummary) },
    };
  },
});

function problemSummary({ file, issues }: DefinitionProblem): JsonObject {
  return { file, message: issues.map(({ message }) => message).join('; ') };
}

interface StartSessionArgs {
  readonly agent_id: string;
  readonly workflow_id?: string;
  readonly parent_session_token?: string;
  readonly session_token?: string;
  readonly include_activity?: boolean;
  readonly title?: string;
}

/** `start_session`: starts a session or a child session, or resumes one. */
export const startSession = defineTool<StartSessionArgs>({
  name: 'start_session',
  title: 'Start a session',
  description:
    'Starts a session on a workflow, or resumes one. Returns the token that other calls need, and with include_activity what to do.',
  inputSchema: argumentsSchema(
    {
      agent_id: { type: 'string', description: 'Your name in the trace', minLength: 1, maxLength: 128 },
      workflow_id: idText('Default meta'),
      parent_session_token: text('Makes it a child of that session'),
      session_token: text('Token or id of the session to resume'),
      include_activity: flag('Enter the first activity, and return the current one'),
      title: { type: 'string', description: 'The subject, for people', minLength: 1, maxLength: 200 },
    },
    ['agent_id'],
  ),
  annotations: { ...writeAnnotations, idempotentHint: false },
  _meta: offeredAtOnce,
  async run({ sessions }, args) {
    const { agent_id: agentId, workflow_id: workflowId } = args;
    const { parent_session_token: parentToken, session_token: sessionToken } = args;
    const { include_activity: includesActivity = false, title } = args;
    const reply = await sessions.start({
      agentId,
      ...(workflowId !== undefined && { workflowId }),
      ...(parentToken !== undefined && { parentToken }),
      ...(sessionToken !== undefined && { sessionToken }),
      ...(title !== undefined && { title }),
      ...(includesActivity && { includeActivity: true }),
    });
    const { sid, warning, arrival, ...started } = reply.value;
    // The description helps to choose a workflow. An agent that resumes a session gets the activity, or the status.
    const { description: _description, ...about } = started.workflow;
    const workflow = started.inherited === true ? about : started.workflow;
    const session = { session_id: sid, ...started, workflow };
    if (arrival?.kind === 'activity') {
      const { activity, rules } = arrival;
      // An agent does the activity, and has no use for the digest and the source of the definition.
      const { digest: _digest, source: _source, ...shown } = workflow;
      const header = await answerHeader(reply, {
        ...session,
        workflow: shown,
        ...(rules.length > 0 && { rules }),
      });
      return textAnswer(reply, header, activity.bundle, activity.body);
    }
    return {
      reply,
      json: { ...session, ...arrivalJson(arrival, reply.token), ...(warning !== undefined && { warning }) },
      shownWarnings: reply.warnings.filter((said) => said !== warning),
    };
  },
});

/** Returns why a session that was started or resumed has no activity to do, and what can be done. */
function arrivalJson(arrival: Started['arrival'], token: string): JsonObject {
  if (arrival?.kind === 'choice')
    return { entry_points: arrival.entryPoints.map(({ id, name }) => ({ activity_id: id, name })) };
  if (arrival?.kind !== 'status') return {};
  const { workflow: _workflow, ...shownStatus } = statusJson(arrival.status, { token });
  return shownStatus;
}

/** `health_check`: reports the state of the server. */
export const healthCheck = defineTool<object>({
  name: 'health_check',
  title: 'Health of the server',
  description: 'Reports whether the server works and how many workflows it serves. Use it when calls fail.',
  inputSchema: argumentsSchema({}, []),
  annotations: readAnnotations,
  async run({ sessions, identity }) {
    const { workflows, problems, untrusted, uptimeSeconds, store } = await sessions.health();
    return {
      json: {
        status: store?.ok === false ? 'degraded' : 'healthy',
        version: identity.version,
        workflows_available: workflows,
        problems,
        ...(await loadOnFirstCall()).untrustedSummary(untrusted),
        uptime_seconds: uptimeSeconds,
        ...(store !== undefined && { store }),
      },
    };
  },
});
