import type { OpenSessionEntry } from '@workflowlookup/core';
import { input } from './fragments.ts';
import { defineTool, lookupAnnotations } from './tool.ts';
import { late } from './late.ts';
import { joinSections, toToon } from './toon.ts';

/** `discover`: how to begin, for an agent that knows nothing. */
export const discover = defineTool<object>({
  name: 'discover',
  title: 'How to begin',
  description: 'Call it first, or after lost context: how to work here, and the sessions you left open.',
  inputSchema: input({}, []),
  annotations: lookupAnnotations,
  examples: {
    request: { method: 'discover', params: {} },
    response: {
      content: [{ type: 'text', text: 'server: workflowlookup\nversion: 1.0.0\n---\n# How to begin' }],
    },
  },
  async run({ sessions, identity }) {
    const { guide, openSessions, untrusted } = await sessions.discover();
    const header = {
      server: identity.name,
      version: identity.version,
      ...(await late()).untrustedInShort(untrusted),
      ...(openSessions.length > 0 && openOnWire(openSessions)),
    };
    return { text: await joinSections(await toToon(header), guide ?? beginning) };
  },
});

/** What stands for the guide where there is none. */
const beginning = [
  'Find a workflow that fits the goal with list_workflows and start on it with start_session; its answer has the token that every',
  'other call needs. An open session is taken up by start_session with its id as session_token.',
  'Read the workflow with get_workflow, enter its first activity with next_activity, and do what get_activity says.',
  'Where a step stops at a checkpoint, call yield_checkpoint, and go on once it is answered.',
  'get_workflow_status tells at any time where a session stands and which calls are legal.',
].join('\n');

/** A project that all are of is said once: ten paths would be a third of the answer. */
function openOnWire(sessions: readonly OpenSessionEntry[]): object {
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
      updated_at: session.updatedAt,
    })),
  };
}
