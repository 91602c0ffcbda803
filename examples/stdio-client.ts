// A client of the server on standard input and output, with the official MCP SDK: it starts the server, takes one step
// after the other, and hands each output in for a verdict. Arguments, if any, are the command of the server.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [command = 'npx', ...given] = process.argv.slice(2);
const args = given.length > 0 ? given : ['--yes', 'workflowlookup', 'serve', 'stdio'];
const client = new Client({ name: 'release-bot', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({ command, args: [...args, '--workflows', './workflow-ci/workflows'] }),
);

/** What `workflow_next` answers; docs/tools.md has all of it. */
interface Next {
  readonly step: { readonly id: string } | null;
  readonly guidance: { readonly prompt: string };
}

/** Calls a tool and gives what it answered; an error of the tool is thrown. */
async function call<Answer>(name: string, input: Readonly<Record<string, unknown>>): Promise<Answer> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: input });
  assert(isError !== true, JSON.stringify(content));
  return structuredContent as Answer;
}

/** Stands in for a model. */
function answer(prompt: string): string {
  if (prompt.includes('List the merged changes')) return '- The old import command is gone';
  if (prompt.includes('before updating')) return 'Call the new import command.';
  return 'Breaking: the old import command is gone. Call the new one.';
}

const workflowId = 'release-note';
const context = { breaking: true };
const completedSteps: string[] = [];
for (;;) {
  const { step, guidance } = await call<Next>('workflow_next', { workflowId, completedSteps, context });
  if (step === null) break;
  const output = answer(guidance.prompt);
  const judged = { workflowId, stepId: step.id, output, context };
  const verdict = await call<{ valid: boolean; issues: readonly string[] }>('workflow_validate', judged);
  assert(verdict.valid, verdict.issues.join('\n'));
  completedSteps.push(step.id);
}
await client.close();

assert.deepEqual(completedSteps, ['collect', 'migration', 'write']);
console.log(`Walked ${workflowId}: ${completedSteps.join(', ')}`);
