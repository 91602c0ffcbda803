import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildApp, removeApp } from '../support/built-app.ts';
import type { AgentProcess } from './agent-process.ts';
import { startAgent } from './agent-process.ts';
import { relayFiles } from '../support/relay-workflow.ts';
import type { StateFolder } from '../support/state-folder.ts';
import { stateFolder } from '../support/state-folder.ts';
import { outputsOf, wholeJournal } from '../support/whole-journal.ts';

let entry: string;
let folder: StateFolder;
const started: AgentProcess[] = [];

beforeAll(async () => {
  [entry, folder] = await Promise.all([buildApp(), stateFolder(relayFiles)]);
}, 60_000);

afterAll(async () => {
  await Promise.all(started.map((server) => server.kill()));
  await folder.dispose();
  await removeApp(entry);
});

function start(tokens: string): AgentProcess {
  const server = startAgent({ entry, flags: [...folder.flags, '--tokens', tokens] });
  started.push(server);
  return server;
}

interface Call {
  readonly name: string;
  readonly aid: string;
  readonly s: string;
}

describe.each(['reference', 'self-contained'])(
  'two servers with one state directory, %s tokens',
  (tokens) => {
    test('share a session of two agents, even if one server restarts', async () => {
      const [first, other] = [start(tokens), start(tokens)];
      const begun = await first.call('start_session', { agent_id: 'lead', workflow_id: 'relay' });
      const sid = String(begun.json['session_id']);
      const entered = await first.call('next_activity', { session_token: begun.token });

      const joined = await other.call('start_session', { agent_id: 'worker', session_token: entered.token });
      expect(joined.json).toMatchObject({ session_id: sid, inherited: true });
      expect(joined.json).not.toHaveProperty('adopted');
      const yielded = await other.call('yield_checkpoint', {
        session_token: joined.token,
        checkpoint_id: 'hand-over',
      });

      const handle = { checkpoint_handle: yielded.token };
      expect((await first.call('present_checkpoint', handle)).text).toContain('message: Over?');
      const held = await first.call('next_activity', { session_token: entered.token });
      expect(held.error).toBe('CHECKPOINT_OPEN');
      const waiting = other.call('resume_checkpoint', { session_token: yielded.token, wait_ms: 50_000 });
      const answered = await first.call('respond_checkpoint', { ...handle, option_id: 'over' });
      expect(answered.json).toMatchObject({ resolved_option: 'over' });
      const resumed = await waiting;
      expect(resumed.json, resumed.raw).toMatchObject({ status: 'resumed' });

      expect(await first.end()).toBe(0);
      const again = start(tokens);
      const moved = await again.call('next_activity', {
        session_token: answered.token,
        activity_id: 'back',
        step_manifest: [{ step_id: 'run-there', output: 'by the lead' }],
      });
      expect(moved.json, moved.raw).toMatchObject({ activity_id: 'back' });

      const late = await other.call('next_activity', {
        session_token: resumed.token,
        activity_id: 'back',
        step_manifest: [{ step_id: 'run-there', output: 'by the worker' }],
      });
      expect(late.error, late.raw).toBe('SESSION_CONFLICT');
      const completed = await other.call('next_activity', {
        session_token: late.token,
        activity_id: 'end',
        step_manifest: [{ step_id: 'run-back', output: 'by the worker' }],
        variables: { done: true },
      });
      expect(completed.json).toMatchObject({
        status: 'completed',
        completed_activities: ['there', 'back'],
      });

      const events = await wholeJournal(folder.state, sid);
      expect(events.map(({ type }) => type)).toEqual([
        'session-started',
        'activity-entered',
        'checkpoint-yielded',
        'checkpoint-answered',
        'activity-entered',
        'session-completed',
      ]);
      expect(events.flatMap(outputsOf)).toEqual(['by the lead', 'by the worker']);

      const token = completed.token;
      expect(await Promise.all([other.end(), again.end()])).toEqual([0, 0]);
      const trace = await start(tokens).call('get_trace', { session_token: token });
      // A call with a handle counts as a call of the agent that yielded the checkpoint.
      const calls = (trace.json['events'] as readonly Call[]).map(
        ({ name, aid, s }) => `${aid} ${name} ${s}`,
      );
      expect(calls.toSorted()).toEqual([
        'lead next_activity error',
        'lead next_activity ok',
        'lead start_session ok',
        'worker next_activity error',
        'worker next_activity ok',
        'worker next_activity ok',
        'worker present_checkpoint ok',
        'worker respond_checkpoint ok',
        'worker resume_checkpoint ok',
        'worker start_session ok',
        'worker yield_checkpoint ok',
      ]);
    });
  },
);
