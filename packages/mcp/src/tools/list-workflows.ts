import type { DefinitionProblem } from '@workflowlookup/core';
import type { JsonObject } from '@workflowlookup/schema';
import { input } from './fragments.ts';
import { defineTool, lookupAnnotations } from './tool.ts';
import { late } from './late.ts';

/** `list_workflows`: what a session can be started on. */
export const listWorkflows = defineTool<object>({
  name: 'list_workflows',
  title: 'List workflows to start',
  description: "Lists what a session can be started on. Use it to match the user's goal to a workflow.",
  inputSchema: input({}, []),
  annotations: lookupAnnotations,
  examples: {
    request: { method: 'list_workflows', params: {} },
    response: { workflows: [{ id: 'review', title: 'Review', version: '1.0.0', tags: ['code'] }] },
  },
  async run({ sessions }) {
    const { workflows, problems, untrusted } = await sessions.list();
    const listed = workflows.map(({ id, name, version, tags }) => ({ id, title: name, version, tags }));
    const held = (await late()).untrustedInShort(untrusted.length);
    if (problems.length === 0) return { json: { workflows: listed, ...held } };
    return {
      // A model takes what it reads here for something it can start: broken files are counted, and named beside the text.
      json: { workflows: listed, problem_count: problems.length, ...held },
      meta: { 'workflowlookup/problems': problems.map(problemInShort) },
    };
  },
});

function problemInShort({ file, issues }: DefinitionProblem): JsonObject {
  return { file, message: issues.map(({ message }) => message).join('; ') };
}
