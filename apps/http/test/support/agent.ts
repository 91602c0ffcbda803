import type { Answer, Headers, TestService } from './service.ts';
import { answerOf, rpc } from './service.ts';

/** An agent with its own session. */
export interface Agent {
  readonly sid: string;
  /** Calls a tool with its latest token. */
  call(tool: string, args?: object): Promise<Answer>;
  /** Continues until the session waits at the confirmation of `report`. */
  stopAtCheckpoint(): Promise<void>;
}

/** Starts a session of `review-flow` as an agent with this name. */
export async function startAgent(
  service: Pick<TestService, 'open' | 'post'>,
  { headers = {}, name = 'agent-1' }: { readonly headers?: Headers; readonly name?: string } = {},
): Promise<Agent> {
  const session = await service.open(headers);
  let token = '';

  async function send(tool: string, args: object): Promise<Answer> {
    const answer = await answerOf(await service.post(rpc(tool, args), session));
    const latest = answer.result?.['session_token'] ?? answer.result?.['checkpoint_handle'];
    if (typeof latest === 'string') token = latest;
    return answer;
  }

  const agent: Agent = {
    sid: '',
    call: (tool, args = {}) => send(tool, { session_token: token, ...args }),
    async stopAtCheckpoint() {
      await agent.call('next_activity', { activity_id: 'read-it' });
      const step_manifest = [{ step_id: 'read-it', output: 'I read <b>all</b> of it.' }];
      await agent.call('next_activity', { activity_id: 'report', step_manifest });
      const { error } = await agent.call('yield_checkpoint', { checkpoint_id: 'confirm' });
      if (error !== undefined) throw new Error(JSON.stringify(error));
    },
  };
  const { result } = await send('start_session', { agent_id: name, workflow_id: 'review-flow' });
  return { ...agent, sid: String(result?.['session_id']) };
}
