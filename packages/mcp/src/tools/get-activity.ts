import { input } from './fragments.ts';
import { headerOf, textAnswer } from './session-answer.ts';
import { fullBundle, sessionToken } from './session-fragments.ts';
import { defineTool, lookupAnnotations } from './tool.ts';

interface Args {
  readonly session_token: string;
  readonly full?: boolean;
}

/** `get_activity`: the current activity as a worker reads it. */
export const getActivity = defineTool<Args>({
  name: 'get_activity',
  title: 'Read the activity',
  description:
    "The worker's view: operations, everything the current activity asks for, and the steps left. Call it after next_activity.",
  inputSchema: input({ session_token: sessionToken, full: fullBundle }, ['session_token']),
  annotations: lookupAnnotations,
  examples: {
    request: { method: 'get_activity', params: { session_token: 'wl_…' } },
    response: {
      content: [{ type: 'text', text: 'operations[1]:\n  …\n---\nsession_token: wl_…\nid: read\n…' }],
    },
  },
  async run({ sessions }, { session_token: token, full = false }) {
    const reply = await sessions.activity(token, { full });
    const { bundle, body } = reply.value;
    return textAnswer(reply, bundle, `${await headerOf(reply)}\n${body}`);
  },
});
