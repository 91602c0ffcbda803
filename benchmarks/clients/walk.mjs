const mostSteps = 60;

/**
 * Follows a workflow from its first step and sets every declared variable, so that conditions and loops have values. It
 * stops at the end of the workflow or after enough steps. The route does not matter as long as it visits many steps.
 *
 * @returns {Promise<{ reply: Record<string, any>, text: string, isFirst: boolean }[]>} `text` is the reply as a model reads it
 */
export async function walk(server, definition) {
  const visits = [];
  const completedSteps = [];
  const context = Object.fromEntries(
    (definition.variables ?? []).map(({ name, type }) => [name, samples[type]]),
  );
  while (visits.length < mostSteps) {
    const request = { workflowId: definition.id, completedSteps, context };
    const { result } = await server.tool('workflow_next', request);
    const reply = result.structuredContent;
    if (reply.isComplete) break;
    visits.push({ reply, text: result.content[0].text, isFirst: completedSteps.length === 0 });
    completedSteps.push(reply.step.id);
  }
  return visits;
}

const item = { name: 'one', id: 'one', title: 'One' };

const samples = { string: 'high', number: 2, boolean: true, array: [item, item], object: item };
