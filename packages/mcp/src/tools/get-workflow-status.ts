import type { Reply, SessionStatus } from '@workflowlookup/core';
import { input } from './fragments.ts';
import { jsonAnswer } from './session-answer.ts';
import { sessionToken } from './session-fragments.ts';
import { statusOnWire } from './status-on-wire.ts';
import type { ToolAnswer } from './tool.ts';
import { defineTool, lookupAnnotations } from './tool.ts';

/** The longest text of a status, in characters. */
const maxChars = 4000;

/** `get_workflow_status`: where a session stands, and what can be done. */
export const getWorkflowStatus = defineTool<{ readonly session_token: string }>({
  name: 'get_workflow_status',
  title: 'Status of a session',
  description:
    'Tells where the session stands and which calls are legal now. Call it after lost context or when unsure.',
  inputSchema: input({ session_token: sessionToken }, ['session_token']),
  annotations: lookupAnnotations,
  examples: {
    request: { method: 'get_workflow_status', params: { session_token: 'wl_…' } },
    response: {
      status: 'active',
      current_activity: 'read',
      completed_activities: [],
      workflow: { id: 'review', version: '1.0.0', title: 'Review' },
      next: [{ tool: 'get_activity', arguments: {} }],
      session_token: 'wl_…',
    },
  },
  run: async ({ sessions }, { session_token: token }) => withinLimit(await sessions.status(token)),
});

/** As many next calls as there is room for, at least one. */
function withinLimit(reply: Reply<SessionStatus>, calls = reply.value.next.length): ToolAnswer {
  const answer = jsonAnswer(reply, statusOnWire(reply.value, calls));
  return calls > 1 && JSON.stringify(answer.json).length > maxChars ? withinLimit(reply, calls - 1) : answer;
}
