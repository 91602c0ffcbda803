import { input } from './fragments.ts';
import { headerOf, textAnswer } from './session-answer.ts';
import { sessionToken } from './session-fragments.ts';
import { defineTool, lookupAnnotations } from './tool.ts';
import { toToon } from './toon.ts';

/** `get_skills`: the primary skill of the workflow. */
export const getSkills = defineTool<{ readonly session_token: string }>({
  name: 'get_skills',
  title: "The workflow's skill",
  description: 'Loads the primary skill of the workflow, where it works by skills and not by operations.',
  inputSchema: input({ session_token: sessionToken }, ['session_token']),
  annotations: lookupAnnotations,
  examples: {
    request: { method: 'get_skills', params: { session_token: 'wl_…' } },
    response: { content: [{ type: 'text', text: 'session_token: wl_…\nscope: workflow\n---\nid: lead\n…' }] },
  },
  async run({ sessions }, { session_token: token }) {
    const reply = await sessions.skills(token);
    const skills = reply.value.length === 0 ? [await toToon({ skills: [] })] : reply.value;
    return textAnswer(reply, await headerOf(reply, { scope: 'workflow' }), ...skills);
  },
});
