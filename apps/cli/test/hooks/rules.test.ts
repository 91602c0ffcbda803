import { describe, expect, it } from 'vitest';
import { addSession, before, openMachine, resultOf, sidA, sidB, stop, tokenOf } from './agent.ts';
import type { Machine } from './agent.ts';
import type { SessionView } from '../../src/hooks/hook/sessions.ts';

/** Returns a machine with a process of Codex that is bound to session A. */
async function boundInProcess() {
  const machine = openMachine();
  addSession(machine, sidA);
  const process = { process: '1' };
  const begin = { hook_event_name: 'SessionStart', source: 'startup' };
  await machine.send(begin, 'codex', process);
  await machine.send(resultOf('start_session', sidA), 'codex', process);
  return { machine, process, begin };
}

/** Returns a machine whose main agent is bound to session A. */
async function bound(
  session: Partial<SessionView> = {},
  policy: Parameters<typeof openMachine>[0] = {},
): Promise<Machine> {
  const machine = openMachine(policy);
  addSession(machine, sidA, session);
  await machine.send(resultOf('start_session', sidA));
  return machine;
}

describe('a stop', () => {
  it('is allowed without a session', async () => {
    expect(await openMachine().send(stop)).toEqual({ kind: 'none' });
  });

  it('is blocked in the middle with one next call, twice, and then the session is parked', async () => {
    const machine = await bound();
    for (const _ of [1, 2]) {
      const reply = await machine.send(stop);
      expect(reply).toMatchObject({ kind: 'block-stop' });
      expect(JSON.stringify(reply).match(/session_token/g)).toHaveLength(1);
    }
    expect(await machine.send(stop)).toEqual({ kind: 'none' });
    expect(machine.sessions.get(sidA)?.status).toBe('parked');
    expect(await machine.send(stop)).toEqual({ kind: 'none' });
    expect(machine.acts.map(({ act }) => act)).toEqual(['bound', 'blocked', 'blocked', 'parked']);
  });

  it('is counted again after an accepted transition, and not after other calls', async () => {
    const machine = await bound();
    await machine.send(stop);
    addSession(machine, sidA, { revision: 3 });
    await machine.send(resultOf('get_activity', sidA, 3));
    await machine.send(stop);
    addSession(machine, sidA, { revision: 4, since: 4, activity: 'write' });
    await machine.send(resultOf('next_activity', sidA, 4));
    expect(await machine.send(stop)).toMatchObject({ kind: 'block-stop' });
    expect(await machine.send(stop)).toMatchObject({ kind: 'block-stop' });
    expect(await machine.send(stop)).toEqual({ kind: 'none' });
  });

  it.each(['completed', 'parked', 'blocked'] as const)(
    'is allowed while the session is %s',
    async (status) => {
      const machine = await bound({ status });
      expect(await machine.send(stop)).toEqual({ kind: 'none' });
    },
  );

  it('is allowed while a task of the client runs in the background', async () => {
    const machine = await bound();
    const running = { ...stop, background_tasks: [{ id: 'b', status: 'running' }] };
    expect(await machine.send(running)).toEqual({ kind: 'none' });
    const ended = { ...stop, background_tasks: [{ id: 'b', status: 'completed' }] };
    expect(await machine.send(ended)).toMatchObject({ kind: 'block-stop' });
  });

  it('is allowed if the policy sets stop to free', async () => {
    const machine = await bound({}, { stop: 'free' });
    expect(await machine.send(stop)).toEqual({ kind: 'none' });
  });

  it('counts once if it reaches the hook twice', async () => {
    const machine = await bound();
    const first = { ...stop, transcript_path: 'turn 1' };
    expect(await machine.send(first)).toEqual(await machine.send(first));
    expect(await machine.send({ ...stop, transcript_path: 'turn 2' })).toMatchObject({ kind: 'block-stop' });
    expect(machine.sessions.get(sidA)?.status).toBe('active');
  });

  it('is allowed after two blocks even if parking fails or the policy does not park', async () => {
    for (const policy of [{}, { after_blocks: 'free' }] as const) {
      const machine = await bound({}, policy);
      machine.fails = { park: true };
      await machine.send(stop);
      await machine.send(stop);
      expect(await machine.send(stop)).toEqual({ kind: 'none' });
      expect(machine.acts.at(-1)?.act).toBe('released');
    }
  });

  it.each(['view', 'engine'] as const)('is allowed if the %s fails', async (what) => {
    const machine = await bound();
    machine.fails = { [what]: true };
    expect(await machine.send(stop)).toEqual({ kind: 'none' });
    expect(machine.errors).toHaveLength(1);
  });

  it('of a subagent without its own session is allowed', async () => {
    const machine = await bound();
    expect(await machine.send({ ...stop, hook_event_name: 'SubagentStop', agent_id: 'a1' })).toEqual({
      kind: 'none',
    });
  });

  it('after the end of a child session is blocked by the parent', async () => {
    const machine = await bound();
    addSession(machine, sidB);
    await machine.send(resultOf('start_session', sidB));
    addSession(machine, sidB, { status: 'completed' });
    expect(JSON.stringify(await machine.send(stop))).toContain(sidA);
  });
});

describe('the binding of a client to a session', () => {
  it('is separate for two windows on one folder', async () => {
    const machine = await bound();
    expect(await machine.send({ ...stop, session_id: 'c2' })).toEqual({ kind: 'none' });
    expect(await machine.send(stop)).toMatchObject({ kind: 'block-stop' });
  });

  it('uses the session of the recorded call, whatever the result says', async () => {
    const machine = openMachine();
    addSession(machine, sidA);
    addSession(machine, sidB, { workflow: 'other' });
    machine.calls.set('t-2', { id: 't-2', tool: 'start_session', token: tokenOf(sidA, 2) });
    await machine.send(resultOf('start_session', sidB, 2, { tool_response: 'The result is in a file.' }));
    expect(machine.acts).toMatchObject([{ act: 'bound', sid: sidA }]);
    const other = await bound();
    addSession(other, sidB);
    other.calls.set('t-3', { id: 't-3', tool: 'next_activity', token: tokenOf(sidA, 3) });
    await other.send(resultOf('next_activity', sidB, 3));
    expect(other.acts.map(({ sid }) => sid)).toEqual([sidA]);
    expect(await other.send(stop)).toMatchObject({ reason: expect.stringContaining(tokenOf(sidA, 3)) });
  });

  it('fails without the session id of the client, and blocks nothing', async () => {
    const machine = await bound();
    for (const event of [stop, resultOf('start_session', sidA), before('Write', {})])
      expect(await machine.send({ ...event, session_id: undefined })).toEqual({ kind: 'none' });
    expect(machine.errors).toHaveLength(3);
  });

  it('needs a result of start_session or next_activity with an existing session', async () => {
    const machine = openMachine();
    addSession(machine, sidA);
    await machine.send(resultOf('get_activity', sidA));
    await machine.send(resultOf('start_session', sidB));
    await machine.send({ ...resultOf('start_session', sidA), tool_name: 'Bash' });
    expect(await machine.send(stop)).toEqual({ kind: 'none' });
    await machine.send(resultOf('next_activity', sidA));
    expect(await machine.send(stop)).toMatchObject({ kind: 'block-stop' });
  });
});

describe('an edit', () => {
  const write = before('Write', { file_path: 'a' });
  const shell = before('Bash', { command: 'echo a > b' });

  it('is allowed if nothing restricts it', async () => {
    expect(await openMachine().send(write)).toEqual({ kind: 'none' });
    expect(await (await bound()).send(shell)).toEqual({ kind: 'none' });
  });

  it('is denied in an activity that does not allow it, through the tool and through the shell', async () => {
    const machine = await bound({ allows: ['shell'] });
    expect(await machine.send(write)).toMatchObject({ kind: 'deny' });
    expect(await machine.send(shell)).toMatchObject({ kind: 'deny' });
    expect(await machine.send(before('Bash', { command: 'ls' }))).toEqual({ kind: 'none' });
    expect(await machine.send(before('WebFetch', {}))).toMatchObject({ kind: 'deny' });
    expect(await machine.send(before('Read', {}))).toEqual({ kind: 'none' });
    expect(await machine.send({ ...write, agent_id: 'helper' })).toMatchObject({ kind: 'deny' });
  });

  it('needs an active session if the policy says so', async () => {
    const policy = { require_session: ['edit'] } as const;
    const without = openMachine(policy);
    expect(await without.send(write)).toMatchObject({ kind: 'deny' });
    expect(await without.send(shell)).toMatchObject({ kind: 'deny' });
    expect(await without.send(before('Bash', { command: 'ls' }))).toEqual({ kind: 'none' });
    for (const status of ['completed', 'parked'] as const)
      expect(await (await bound({ status }, policy)).send(write)).toMatchObject({ kind: 'deny' });
    expect(await (await bound({}, policy)).send(write)).toEqual({ kind: 'none' });
  });

  it('is denied and counted once if two files ask the hook', async () => {
    const machine = await bound({ allows: ['shell'] });
    for (const _ of [1, 2]) expect(await machine.send(write)).toMatchObject({ kind: 'deny' });
    expect(machine.acts.filter(({ act }) => act === 'denied')).toHaveLength(1);
    expect(await machine.send({ ...write, tool_use_id: 'v' })).toMatchObject({ kind: 'deny' });
    expect(machine.acts.filter(({ act }) => act === 'denied')).toHaveLength(2);
  });

  it('with an unknown command is allowed and recorded', async () => {
    const machine = await bound({ allows: ['shell'] });
    expect(await machine.send(before('Bash', { command: './generate' }))).toEqual({ kind: 'none' });
    expect(machine.acts.at(-1)).toMatchObject({ rule: 'edit', act: 'unknown-command', sid: sidA });
  });
});

describe('a lost context', () => {
  it.each(['compact', 'resume'])('is restored after %s', async (source) => {
    const machine = await bound();
    const begin = { hook_event_name: 'SessionStart', source };
    expect(await machine.send(begin)).toEqual({ kind: 'context', text: `packet of ${sidA}` });
    expect(await machine.send({ ...begin, session_id: 'c2' })).toEqual({ kind: 'none' });
  });

  it('is not restored at a new start, or after the end of the session', async () => {
    const machine = await bound();
    expect(await machine.send({ hook_event_name: 'SessionStart', source: 'startup' })).toEqual({
      kind: 'none',
    });
    addSession(machine, sidA, { status: 'completed' });
    expect(await machine.send({ hook_event_name: 'SessionStart', source: 'compact' })).toEqual({
      kind: 'none',
    });
  });

  it('is restored after clear in the same process, although the client has another session', async () => {
    const machine = await bound();
    const end = { hook_event_name: 'SessionEnd', reason: 'clear' };
    await machine.send(end, 'claude-code', { process: '1' });
    const begin = { hook_event_name: 'SessionStart', source: 'clear', session_id: 'c2' };
    expect(await machine.send(begin, 'claude-code', { process: '2' })).toEqual({ kind: 'none' });
    expect(await machine.send(begin, 'claude-code')).toEqual({ kind: 'none' });
    const reply = await machine.send(begin, 'claude-code', { process: '1' });
    expect(reply).toEqual({ kind: 'context', text: `packet of ${sidA}` });
    expect(await machine.send({ ...stop, session_id: 'c2' })).toMatchObject({ kind: 'block-stop' });
  });

  it('is not restored after clear if the client does not name the ended session, because windows can share a process', async () => {
    const { machine, process, begin } = await boundInProcess();
    const cleared = { ...begin, source: 'clear', session_id: 'c2', cwd: '/other' };
    expect(await machine.send(cleared, 'codex', process)).toEqual({ kind: 'none' });
    expect(await machine.send({ ...stop, session_id: 'c2' }, 'codex')).toEqual({ kind: 'none' });
  });

  it('is restored in only one conversation, the one that begins after the cleared one', async () => {
    const machine = await bound();
    const process = { process: '1' };
    await machine.send({ hook_event_name: 'SessionEnd', reason: 'clear' }, 'claude-code', process);
    const begin = { hook_event_name: 'SessionStart', source: 'clear' };
    const next = await machine.send({ ...begin, session_id: 'c2' }, 'claude-code', process);
    expect(next).toMatchObject({ kind: 'context' });
    const other = await machine.send({ ...begin, session_id: 'c3' }, 'claude-code', process);
    expect(other).toEqual({ kind: 'none' });
  });

  it('is restored with the next prompt if the client passes nothing on after clear', async () => {
    const machine = openMachine();
    addSession(machine, sidA);
    const process = { process: '1' };
    const started = { ...resultOf('start_session', sidA), hook_event_name: 'AfterTool' };
    await machine.send({ ...started, tool_name: 'mcp_workflowlookup_start_session' }, 'gemini', process);
    await machine.send({ hook_event_name: 'SessionEnd', reason: 'clear' }, 'gemini', process);
    const cleared = { hook_event_name: 'SessionStart', source: 'clear', session_id: 'c2' };
    expect(await machine.send(cleared, 'gemini', process)).toEqual({ kind: 'none' });
    const prompt = { hook_event_name: 'BeforeAgent', session_id: 'c2' };
    expect(await machine.send(prompt, 'gemini', process)).toMatchObject({ kind: 'context' });
    expect(await machine.send(prompt, 'gemini', process)).toEqual({ kind: 'none' });
  });

  it('is added to each request after a compaction until the conversation has it, and counts once', async () => {
    const machine = openMachine();
    addSession(machine, sidA);
    const transcript_path = '/chat';
    const started = { ...resultOf('start_session', sidA), hook_event_name: 'AfterTool', transcript_path };
    await machine.send({ ...started, tool_name: 'mcp_workflowlookup_start_session' }, 'gemini');
    const messages = [{ role: 'user', content: 'A summary' }];
    const request = { hook_event_name: 'BeforeModel', transcript_path, llm_request: { messages } };
    expect(await machine.send(request, 'gemini')).toEqual({ kind: 'none' });
    machine.transcript += 'compacted';
    for (const _ of [1, 2])
      expect(await machine.send(request, 'gemini')).toEqual({ kind: 'context', text: `packet of ${sidA}` });
    const tool = { ...request, hook_event_name: 'AfterTool', tool_name: 'run_shell_command' };
    expect(await machine.send(tool, 'gemini')).toMatchObject({ kind: 'context' });
    expect(await machine.send(request, 'gemini')).toEqual({ kind: 'none' });
    expect(machine.acts.map(({ act }) => act)).toEqual(['bound', 'packet']);
  });

  it('is restored at the next event if only the transcript shows a compaction', async () => {
    const machine = openMachine();
    addSession(machine, sidA);
    const transcript_path = '/chat';
    const result = { ...resultOf('start_session', sidA), hook_event_name: 'AfterTool', transcript_path };
    await machine.send({ ...result, tool_name: 'mcp_workflowlookup_start_session' }, 'gemini');
    const prompt = { hook_event_name: 'BeforeAgent', transcript_path };
    const tool = { ...prompt, hook_event_name: 'AfterTool', tool_name: 'run_shell_command' };
    for (const next of [prompt, tool]) {
      expect(await machine.send(next, 'gemini')).toEqual({ kind: 'none' });
      machine.transcript += 'compacted';
      expect(await machine.send(next, 'gemini')).toMatchObject({ kind: 'context' });
      expect(await machine.send(next, 'gemini')).toEqual({ kind: 'none' });
    }
  });
});

// Cursor and Copilot CLI run the hooks of Claude Code in addition to their own.
describe.each(['cursor', 'copilot'] as const)(
  '%s, whose hooks run under two names for one event',
  (client) => {
    const names = [client, 'claude-code'] as const;

    it.each([names, names.toReversed()])(
      'allows the stop after two blocks, in the order %s',
      async (...order) => {
        const machine = openMachine();
        addSession(machine, sidA);
        for (const name of order) await machine.send(resultOf('start_session', sidA), name);
        for (const _ of [1, 2]) {
          const replies = [];
          for (const name of order) replies.push(await machine.send(stop, name));
          expect(replies[0]).toMatchObject({ kind: 'block-stop' });
          expect(replies[1]).toEqual(replies[0]);
          machine.nowMs += 10_000;
        }
        for (const name of order) expect(await machine.send(stop, name)).toEqual({ kind: 'none' });
        expect(machine.acts.map(({ act }) => act)).toEqual(['bound', 'blocked', 'blocked', 'parked']);
      },
    );

    it('counts each call and each packet once', async () => {
      const machine = await bound({ allows: ['shell'] });
      const write = before('Write', { file_path: 'a' });
      const without = { ...write, tool_use_id: undefined };
      const unknown = before('Bash', { command: './generate' }, { tool_use_id: 'v' });
      for (const event of [write, without, unknown, { hook_event_name: 'SessionStart', source: 'compact' }]) {
        const replies = [];
        for (const name of names) replies.push(await machine.send(event, name));
        expect(replies[1]).toEqual(replies[0]);
        machine.nowMs += 10_000;
      }
      expect(machine.acts.map(({ act }) => act)).toEqual([
        'bound',
        'denied',
        'denied',
        'unknown-command',
        'packet',
      ]);
    });
  },
);

describe('an answer while the agent did nothing', () => {
  it('is reported once, with the next prompt', async () => {
    const machine = await bound({ status: 'blocked' });
    const prompt = { hook_event_name: 'UserPromptSubmit', prompt: 'Go on' };
    expect(await machine.send(prompt)).toEqual({ kind: 'none' });
    const at = new Date(machine.nowMs).toISOString();
    addSession(machine, sidA, { revision: 3, lastAnswer: { checkpoint: 'go', answer: 'yes', at } });
    const reply = await machine.send(prompt);
    expect(JSON.stringify(reply)).toContain("'go'");
    expect(await machine.send(prompt)).toEqual({ kind: 'none' });
  });
});
