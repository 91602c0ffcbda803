import type { Agent } from './agent.ts';

/** Starts a session of `shop` and stops at its checkpoint. */
export async function reachGate(agent: Agent): Promise<void> {
  await agent.call('start_session', { agent_id: 'shipper', workflow_id: 'shop' });
  await agent.call('next_activity');
  const stopped = await agent.call('yield_checkpoint', { checkpoint_id: 'approve' });
  if (stopped.isError) throw new Error(stopped.text);
}

/** Takes a session of `shop` to its end, past an attempt to skip that is refused. */
export async function walkThrough(agent: Agent): Promise<void> {
  await reachGate(agent);
  await agent.call('next_activity', { activity_id: 'report' });
  await agent.call('respond_checkpoint', { option_id: 'go' });
  await agent.call('resume_checkpoint');
  await agent.call('next_activity', { ...plan, variables: { risk: 'high' } });
  await agent.call('next_activity', { step_manifest: [{ step_id: 'edit', output: 'Three files.' }] });
  await agent.call('next_activity', { step_manifest: [{ step_id: 'tell', output: 'It is done.' }] });
}

const plan = {
  step_manifest: [
    { step_id: 'write-plan', output: 'A plan with all that it takes.' },
    { step_id: 'ask', output: 'Asked.' },
  ],
};
