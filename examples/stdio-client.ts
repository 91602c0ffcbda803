// A client that uses the official MCP SDK over stdio. It starts the server, does one step after the other, and lets the
// server validate each output. To start another server, give its command as arguments.
import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [command = 'npx', ...given] = process.argv.slice(2);
const args = given.length > 0 ? given : ['--yes', 'workflowlookup', 'serve', 'stdio'];
const client = new Client({ name: 'release-bot', version: '1.0.0' });
await client.connect(
  new StdioClientTransport({ command, args: [...args, '--workflows', './workflow-ci/workflows'] }),
);

/** The fields of the result of `workflow_next` that this program uses. docs/tools.md lists all of them. */
interface Next {
  readonly step: { readonly id: string } | null;
  readonly guidance: { readonly prompt: string };
}

/** Calls a tool and returns its result. @throws if the result is an error */
async function call<Answer>(name: string, input: Readonly<Record<string, unknown>>): Promise<Answer> {
  const { isError, content, structuredContent } = await client.callTool({ name, arguments: input });
  assert(isError !== true, JSON.stringify(content));
  return structuredContent as Answer;
}

/** Answers a prompt in place of a model. */
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
console.log(`Completed ${workflowId}: ${completedSteps.join(', ')}`);
