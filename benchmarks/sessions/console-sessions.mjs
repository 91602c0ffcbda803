import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withHost } from '../servers/with-host.mjs';

/** A workflow with a checkpoint, as a folder of definitions. */
export async function writeShop(folder) {
  await mkdir(join(folder, 'shop/activities'), { recursive: true });
  const options = ['Build it', 'Change the plan', 'Stop here'].map((label, at) => ({
    id: ['build', 'change', 'stop'][at],
    label,
    effect: { setVariable: { decision: ['build', 'change', 'stop'][at] } },
  }));
  const files = {
    'workflow.json': {
      id: 'shop',
      version: '1.0.0',
      title: 'Ship a change',
      description: 'From a plan that a person approves to a release.',
      enforcement: 'strict',
      session_title: '{goal}',
      variables: [
        { name: 'goal', type: 'string' },
        { name: 'decision', type: 'string' },
      ],
      session_outcomes: [
        { name: 'released', when: 'decision == "build"', result: 'success' },
        { name: 'stopped', when: 'decision == "stop"', result: 'stopped' },
      ],
    },
    'activities/01-plan.json': {
      ...activity('plan', 'Plan the change', ['read', 'write']),
      transitions: [{ to: 'approve', isDefault: true }],
    },
    'activities/02-approve.json': {
      ...activity('approve', 'Show the plan', []),
      steps: [{ id: 'ask', name: 'Ask for approval', checkpoint: 'approval' }],
      checkpoints: [{ id: 'approval', name: 'Approve the plan', message: 'Shall {goal} be built?', options }],
      transitions: [
        { to: 'plan', condition: 'decision == "change"' },
        { to: 'end', condition: 'decision == "stop"' },
        { to: 'build', isDefault: true },
      ],
    },
    'activities/03-build.json': {
      ...activity('build', 'Build it', ['edit', 'test']),
      transitions: [{ to: 'release', isDefault: true }],
    },
    'activities/04-release.json': activity('release', 'Release it', ['tag', 'publish']),
  };
  for (const [path, content] of Object.entries(files))
    await writeFile(join(folder, 'shop', path), JSON.stringify(content));
  return folder;
}

function activity(id, name, steps) {
  const validationCriteria = [{ type: 'length', min: 20, message: 'Say what was done and what was seen.' }];
  return {
    id,
    version: '1.0.0',
    name,
    steps: steps.map((step) => ({ id: step, name: `The step ${step}`, validationCriteria })),
  };
}

const output = 'The command ended with exit code 0, and its last line says that 214 tests passed. '.repeat(4);

/**
 * Simulates agents. Of ten sessions, about one waits at a checkpoint, six are completed, and the rest are at an
 * activity.
 */
export async function fillShop({ definitions, stateDirectory, sessions: count, waiting }) {
  const every = Math.max(1, Math.round(count / waiting));
  const options = { minResponseMs: 0, trustElicitation: true, workingDirectory: definitions };
  await withHost({ definitions, stateDirectory, ...options }, async ({ sessions }) => {
    for (let number = 0; number < count; number += 1) {
      const kind = number % every === 0 ? 'waits' : number % 10 < 7 ? 'ends' : 'works';
      await followShop(sessions, { number, kind });
    }
  });
}

async function followShop(calls, { number, kind }) {
  const started = { agentId: `agent-${number % 7}`, workflowId: 'shop' };
  let { token } = await calls.start(started);
  const keep = async (call) => ({ token } = await call);
  const manifest = (...steps) => steps.map((step_id) => ({ step_id, output }));
  await keep(calls.move(token, {}));
  // Some agents ignore the criteria on the first attempt.
  if (number % 5 === 0)
    await calls.move(token, { manifest: [{ step_id: 'read', output: 'Done.' }] }).catch(() => undefined);
  if (kind === 'works' && number % 2 === 0) return;
  const variables = { goal: `Issue ${number}: orders can be exported` };
  await keep(calls.move(token, { manifest: manifest('read', 'write'), variables }));
  await keep(calls.yield(token, 'approval'));
  if (kind === 'waits') return;
  const option = number % 11 === 0 ? 'stop' : 'build';
  await keep(
    calls.answer(token, { mode: { kind: 'option', option }, through: 'elicitation', note: 'Fine.' }),
  );
  await keep(calls.resume(token));
  await keep(calls.move(token, { manifest: manifest('ask') }));
  if (kind === 'works' || option === 'stop') return;
  await keep(calls.move(token, { manifest: manifest('edit', 'test') }));
  await keep(calls.move(token, { manifest: manifest('tag', 'publish') }));
}
