import type { Agent } from './agent.ts';

/** Starts a session of `shop` and continues to its checkpoint. */
export async function reachCheckpoint(agent: Agent): Promise<void> {
  await agent.call('start_session', { agent_id: 'shipper', workflow_id: 'shop' });
  await agent.call('next_activity');
  const stopped = await agent.call('yield_checkpoint', { checkpoint_id: 'approve' });
  if (stopped.isError) throw new Error(stopped.text);
}

/** Starts a session of `review`, submits an output with a variable, and continues to the step that must be confirmed. */
export async function reachConfirmation(agent: Agent): Promise<void> {
  await agent.call('start_session', { agent_id: 'reviewer', workflow_id: 'review' });
  await agent.call('next_activity');
  await agent.call('next_activity', {
    step_manifest: [{ step_id: 'read-it', output: 'Three lines of it are odd.' }],
    variables: { depth: 'quick' },
  });
  const stopped = await agent.call('yield_checkpoint', { checkpoint_id: 'confirm' });
  if (stopped.isError) throw new Error(stopped.text);
}

/** Completes a session of `shop`, with a refused attempt to skip its checkpoint and a refused output. */
export async function walkThrough(agent: Agent): Promise<void> {
  await reachCheckpoint(agent);
  await agent.call('next_activity', { activity_id: 'report' });
  await agent.call('respond_checkpoint', { option_id: 'go' });
  await agent.call('resume_checkpoint');
  await agent.call('next_activity', {
    step_manifest: plan.step_manifest.map((entry) => ({ ...entry, output: 'Short.' })),
  });
  await agent.call('next_activity', plan);
  await agent.call('next_activity', { step_manifest: [{ step_id: 'edit', output: wideTable }] });
  await agent.call('next_activity', {
    step_manifest: [{ step_id: 'tell', output: 'It is done.' }],
    variables: { risk: 'high' },
  });
}

/** A list of flat objects, which pages show as a table that is wider than a phone. */
const wideTable = JSON.stringify(
  ['cart', 'mail'].map((name) => ({
    file: `src/${name}.ts`,
    changedBehaviour: 'Nothing that a user sees.',
    reliesOnIt: `src/checkout/${name}-of-an-order.ts`,
    shownBy: `test/${name}.test.ts`,
  })),
);

const plan = {
  step_manifest: [
    { step_id: 'write-plan', output: 'A plan with all that it takes.' },
    { step_id: 'ask', output: 'Asked.' },
  ],
};
