import type { Workflow } from '@workflowlookup/schema';
import { summarize } from '@workflowlookup/schema';

/** What a model is told that is to follow a workflow: how to walk it with the tools, and what is known so far. */
export function howToFollow(workflow: Workflow, context: Readonly<Record<string, string>>): string {
  const { id, name, description } = summarize(workflow);
  const known = Object.keys(context).length === 0 ? '{}' : JSON.stringify(context);
  return [
    `Follow the workflow '${name}' to its end${description === '' ? '.' : `: ${description}`}`,
    `Start with workflow_next {"workflowId": "${id}", "completedSteps": [], "context": ${known}} and do the step it gives.`,
    'Judge the output of each step with workflow_validate before you count it as completed; then call workflow_next again',
    'with every completed id as it was given, and with what you learned in context. Stop where a step asks for confirmation.',
  ].join('\n');
}
