// Shows the server as an agent sees it. An MCP client follows a bundled workflow, then the server refuses calls in a
// session. Build the server first.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '../packages/mcp/dist/client.js';
import { showSession } from './support/demo-session.mjs';

const server = {
  command: process.execPath,
  args: [fileURLToPath(new URL('../apps/stdio/dist/main.js', import.meta.url))],
};
const workflowId = 'bug-investigation';

/** The variables that the agent sets in each step. They decide which steps come next. */
const learned = {
  'size-up': { size: 'small', mandate: 'diagnose', lastGood: 'unknown', startCommit: '4f2c9aa' },
  reproduce: { reproducible: 'always' },
  'find-causes': { explained: false },
  'form-hypotheses': {
    hypotheses: [
      { id: 'H1', mechanism: 'two writers share one file' },
      { id: 'H2', mechanism: 'the clock is behind' },
    ],
  },
  'prove-causes': { explained: true },
};

// The demo deletes its sessions at the end.
const state = await mkdtemp(join(tmpdir(), 'workflowlookup-demo-'));
const connection = await connect({ ...server, args: [...server.args, '--state', state] });
try {
  await showCatalogue();
  await walk();
  await showSession(connection, print);
} finally {
  await connection.close();
  await rm(state, { recursive: true, force: true });
}

async function showCatalogue() {
  const { workflows } = await call('workflow_list', {});
  print(
    `Connected to '${connection.serverName}' with a real MCP client over stdio. It serves ${workflows.length} workflows:`,
  );
  for (const { id, name } of workflows) print(`  ${id.padEnd(24)} ${name}`);
}

async function walk() {
  print(`\nWalking '${workflowId}' step by step:`);
  const completedSteps = [];
  let context = {};
  for (;;) {
    const next = await call('workflow_next', { workflowId, completedSteps, context });
    if (next.isComplete) break;
    await showStep(next, context);
    completedSteps.push(next.step.id);
    context = { ...context, ...learned[next.step.id.split('::').at(-1)] };
  }
  print(`\nComplete after ${completedSteps.length} steps.`);
}

async function showStep({ step, guidance, loop }, context) {
  print(`\n  ${step.id}: ${step.title}`);
  print(`    ${firstSentence(step.prompt)}`);
  if (loop !== undefined)
    print(
      `    In loop '${loop.id}', iteration ${loop.iteration}${loop.total === undefined ? '' : ` of ${loop.total}`}.`,
    );
  if (guidance.requiresConfirmation) print('    The agent must ask for confirmation before it continues.');
  if (guidance.outputSchema === undefined) return;
  const verdict = await call('workflow_validate', { workflowId, stepId: step.id, output: 'Done.', context });
  print(`    An agent that only says "Done." is refused: ${verdict.issues[0]}`);
}

async function call(name, args) {
  const answer = await connection.call(name, args);
  if (answer.isError) throw new Error(`${name}: ${answer.text}`);
  return answer.structured;
}

function firstSentence(text) {
  const [first = ''] = text.replaceAll(/\s+/g, ' ').split(/(?<=[.:?]) /);
  return first;
}

function print(line) {
  process.stdout.write(`${line}\n`);
}
