import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { HookClient } from '../../src/hooks/hook/events.ts';
import type { HookPolicy } from '../../src/hooks/hook/policy.ts';
import { maxBlocks } from '../../src/hooks/hook/rules.ts';
import type { SessionView } from '../../src/hooks/hook/sessions.ts';
import { addSession, before, openMachine, resultOf, sidA, sidB, stop } from './agent.ts';
import type { Machine } from './agent.ts';

const sids = [sidA, sidB];
const sid = fc.constantFrom(...sids);
const agent = fc.constantFrom({}, { agent_id: 'helper' }, { session_id: 'c2' });
/** The hooks that a client runs for an event. Some clients also run the hooks of another client. */
const names = fc.constantFrom<readonly HookClient[]>(
  ['claude-code'],
  ['gemini'],
  ['cursor', 'claude-code'],
  ['claude-code', 'cursor'],
);
const turn = fc.option(fc.constantFrom('a', 'b'), { nil: undefined });

type Act = (machine: Machine) => Promise<unknown>;

/** Returns an act in which the server changes a session. */
const change = (which: string, more: Partial<SessionView>): Act => {
  return async (machine) => addSession(machine, which, { ...machine.sessions.get(which), ...more });
};

const acts: fc.Arbitrary<Act> = fc.oneof(
  fc.tuple(sid, agent, fc.constantFrom('start_session', 'next_activity', 'get_activity')).map(
    ([which, who, tool]): Act =>
      (machine) =>
        machine.send({ ...resultOf(tool, which, machine.sessions.get(which)?.revision), ...who }),
  ),
  fc.tuple(agent, turn, fc.boolean()).map(
    ([who, transcript, isActive]): Act =>
      (machine) =>
        machine.send({
          ...stop,
          stop_hook_active: isActive,
          ...who,
          ...(transcript && { transcript_path: transcript }),
        }),
  ),
  agent.map(
    (who): Act =>
      (machine) =>
        machine.send({ ...before('Bash', { command: 'rm a' }), ...who }),
  ),
  agent.map(
    (who): Act =>
      (machine) =>
        machine.send({ hook_event_name: 'SessionStart', source: 'compact', ...who }),
  ),
  fc.tuple(agent, fc.constantFrom('startup', 'clear', 'resume'), fc.constantFrom('codex', 'gemini')).map(
    ([who, source, client]): Act =>
      (machine) =>
        machine.send({ hook_event_name: 'SessionStart', source, ...who }, client, { process: '1' }),
  ),
  fc.tuple(agent, fc.nat(6000)).map(([who, passedMs]): Act => async (machine) => {
    machine.nowMs += passedMs;
    await machine.send({ hook_event_name: 'SessionEnd', reason: 'clear', ...who }, 'gemini', {
      process: '1',
    });
  }),
  agent.map(
    (who): Act =>
      (machine) =>
        machine.send({ hook_event_name: 'UserPromptSubmit', ...who }),
  ),
  fc
    .tuple(sid, fc.constantFrom<SessionView['status']>('active', 'blocked', 'parked', 'completed'))
    .map(([which, status]) => change(which, { status })),
  fc.tuple(sid, fc.nat(9)).map(
    ([which, since]): Act =>
      (machine) =>
        change(which, { since, revision: (machine.sessions.get(which)?.revision ?? 0) + 1 })(machine),
  ),
  sid.map(
    (which): Act =>
      async (machine) =>
        machine.sessions.delete(which),
  ),
  fc.record({ view: fc.boolean(), engine: fc.boolean(), park: fc.boolean() }).map(
    (fails): Act =>
      async (machine) =>
        (machine.fails = fails),
  ),
);

const policies: fc.Arbitrary<Partial<HookPolicy>> = fc.record({
  stop: fc.constantFrom('finish', 'free'),
  after_blocks: fc.constantFrom('park', 'free'),
  failure: fc.constantFrom('open', 'block'),
});

test('An agent that makes no progress can stop after at most two blocks, whatever happened before', async () => {
  await fc.assert(
    fc.asyncProperty(
      policies,
      fc.array(acts, { maxLength: 40 }),
      agent,
      names,
      async (policy, past, who, hooks) => {
        const machine = openMachine(policy);
        for (const one of sids) addSession(machine, one);
        for (const act of past) await act(machine);
        let blocked = 0;
        for (let at = 0; at < 20; at += 1) {
          // The transcript of a real client grows with each turn.
          const event = { ...stop, ...who, transcript_path: `turn ${at}` };
          const replies = [];
          for (const client of hooks) replies.push(await machine.send(event, client));
          if (replies.every(({ kind }) => kind !== 'block-stop')) break;
          blocked += 1;
        }
        // The limit is for all sessions together.
        expect(blocked).toBeLessThanOrEqual(maxBlocks);
      },
    ),
  );
});
