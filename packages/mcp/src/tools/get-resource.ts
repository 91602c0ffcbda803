import { input } from './fragments.ts';
import { headerOf, textAnswer } from './session-answer.ts';
import { idText, sessionToken } from './session-fragments.ts';
import { defineTool, lookupAnnotations } from './tool.ts';

interface Args {
  readonly session_token: string;
  readonly resource_id: string;
}

/** `get_resource`: a resource in full. */
export const getResource = defineTool<Args>({
  name: 'get_resource',
  title: 'Read a resource',
  description: 'Loads a resource in full. Call it when an operation, a skill or an activity names one.',
  inputSchema: input(
    { session_token: sessionToken, resource_id: idText('Number or id, of another workflow: meta/01') },
    ['session_token', 'resource_id'],
  ),
  annotations: lookupAnnotations,
  examples: {
    request: { method: 'get_resource', params: { session_token: 'wl_…', resource_id: '01' } },
    response: {
      content: [{ type: 'text', text: 'session_token: wl_…\nid: map\nversion: 1.0.0\n---\n# Map' }],
    },
  },
  async run({ sessions }, { session_token: token, resource_id: resourceId }) {
    const reply = await sessions.resource(token, resourceId);
    const { id, version, body } = reply.value;
    const header = await headerOf(reply, { id, ...(version !== undefined && { version }) });
    return textAnswer(reply, header, body);
  },
});
