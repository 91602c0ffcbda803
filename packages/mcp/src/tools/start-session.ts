import { input } from './fragments.ts';
import { jsonAnswer } from './session-answer.ts';
import { idText, text } from './session-fragments.ts';
import { defineTool } from './tool.ts';

interface Args {
  readonly agent_id: string;
  readonly workflow_id?: string;
  readonly parent_session_token?: string;
  readonly session_token?: string;
}

/** `start_session`: a new session, a child of one, or one that is taken up again. */
export const startSession = defineTool<Args>({
  name: 'start_session',
  title: 'Start a session',
  description:
    'Starts a session on a workflow, or takes up one that exists. Its answer has the token that other calls need.',
  inputSchema: input(
    {
      agent_id: { type: 'string', description: 'Your name in the trace', minLength: 1, maxLength: 128 },
      workflow_id: idText('Default meta'),
      parent_session_token: text('Makes it a child of that session'),
      session_token: text('Token or id of the session to take up'),
    },
    ['agent_id'],
  ),
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
    openWorldHint: false,
  },
  examples: {
    request: { method: 'start_session', params: { agent_id: 'orchestrator', workflow_id: 'review' } },
    response: {
      session_id: '5d0c3a9e7f1b2c4d6e8f',
      workflow: { id: 'review', version: '1.0.0', title: 'Review' },
      session_token: 'wl_…',
    },
  },
  async run({ sessions }, args) {
    const { agent_id: agentId, workflow_id: workflowId } = args;
    const { parent_session_token: parentToken, session_token: sessionToken } = args;
    const reply = await sessions.start({
      agentId,
      ...(workflowId !== undefined && { workflowId }),
      ...(parentToken !== undefined && { parentToken }),
      ...(sessionToken !== undefined && { sessionToken }),
    });
    const { sid, warning, ...started } = reply.value;
    return jsonAnswer(
      reply,
      { session_id: sid, ...started, ...(warning !== undefined && { warning }) },
      reply.warnings.filter((said) => said !== warning),
    );
  },
});
