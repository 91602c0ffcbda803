import { input } from './fragments.ts';
import { headerOf, textAnswer } from './session-answer.ts';
import { idText, sessionToken } from './session-fragments.ts';
import { defineTool, lookupAnnotations } from './tool.ts';

interface Args {
  readonly session_token: string;
  readonly step_id?: string;
}

/** `get_skill`: the skill of a step, of the activity or of the workflow. */
export const getSkill = defineTool<Args>({
  name: 'get_skill',
  title: 'Read a skill',
  description: 'Loads the skill a step names; call it before you do that step.',
  inputSchema: input(
    {
      session_token: sessionToken,
      step_id: idText("Default: the activity's skill; before the first activity the workflow's"),
    },
    ['session_token'],
  ),
  annotations: lookupAnnotations,
  examples: {
    request: { method: 'get_skill', params: { session_token: 'wl_…', step_id: 'read-it' } },
    response: { content: [{ type: 'text', text: 'session_token: wl_…\n---\nid: reader\n…' }] },
  },
  async run({ sessions }, { session_token: token, step_id: stepId }) {
    const reply = await sessions.skill(token, stepId);
    return textAnswer(reply, await headerOf(reply), reply.value);
  },
});
