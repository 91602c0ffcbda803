import { input } from './fragments.ts';
import { headerOf, textAnswer } from './session-answer.ts';
import { fullBundle, sessionToken } from './session-fragments.ts';
import { defineTool, lookupAnnotations } from './tool.ts';

interface Args {
  readonly session_token: string;
  readonly summary?: boolean;
  readonly full?: boolean;
}

/** `get_workflow`: the workflow as an orchestrator reads it. */
export const getWorkflow = defineTool<Args>({
  name: 'get_workflow',
  title: 'Read the workflow',
  description:
    "The orchestrator's view: primary skill, operations, rules, variables, activity stubs. Call it once after start_session.",
  inputSchema: input(
    {
      session_token: sessionToken,
      summary: { type: 'boolean', default: true, description: 'false: the whole definition' },
      full: fullBundle,
    },
    ['session_token'],
  ),
  annotations: lookupAnnotations,
  examples: {
    request: { method: 'get_workflow', params: { session_token: 'wl_…' } },
    response: {
      content: [{ type: 'text', text: 'operations[1]:\n  …\n---\nsession_token: wl_…\nid: review\n…' }],
    },
  },
  async run({ sessions }, { session_token: token, summary = true, full = false }) {
    const reply = await sessions.workflow(token, { summary, full });
    const { skill, bundle, body } = reply.value;
    const head = [skill, bundle].map((part) => part.trimEnd()).filter((part) => part !== '');
    return textAnswer(reply, head.join('\n\n'), `${await headerOf(reply)}\n${body}`);
  },
});
