import { describe, expect, it } from 'vitest';
import { addSession, before, openMachine, resultOf, sidA, sidB, stop } from './agent.ts';
import type { Machine } from './agent.ts';
import type { SessionView } from '../../src/hook/session-view.ts';

/** A machine whose main agent is bound to session A. */
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

  it('is counted anew after an accepted transition, and not after other calls', async () => {
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

  it('is free if the policy says so', async () => {
    const machine = await bound({}, { stop: 'free' });
    expect(await machine.send(stop)).toEqual({ kind: 'none' });
  });

  it('that reaches the hook twice counts once', async () => {
    const machine = await bound();
    const first = { ...stop, transcript_path: 'turn 1' };
    expect(await machine.send(first)).toEqual(await machine.send(first));
    expect(await machine.send({ ...stop, transcript_path: 'turn 2' })).toMatchObject({ kind: 'block-stop' });
    expect(machine.sessions.get(sidA)?.status).toBe('active');
  });

  it('is let go even if parking fails, and if the policy does not park', async () => {
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

  it('of a subagent that has no session of its own is allowed', async () => {
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

describe('binding', () => {
  it('keeps two windows on one folder apart', async () => {
    const machine = await bound();
    expect(await machine.send({ ...stop, session_id: 'c2' })).toEqual({ kind: 'none' });
    expect(await machine.send(stop, 'codex')).toEqual({ kind: 'none' });
    expect(await machine.send(stop)).toMatchObject({ kind: 'block-stop' });
  });

  it('needs a result of start_session or next_activity that names a session which is there', async () => {
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

  it('is allowed where nothing restricts it', async () => {
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

  it('needs a running session if the policy says so', async () => {
    const policy = { require_session: ['edit'] } as const;
    const without = openMachine(policy);
    expect(await without.send(write)).toMatchObject({ kind: 'deny' });
    expect(await without.send(shell)).toMatchObject({ kind: 'deny' });
    expect(await without.send(before('Bash', { command: 'ls' }))).toEqual({ kind: 'none' });
    for (const status of ['completed', 'parked'] as const)
      expect(await (await bound({ status }, policy)).send(write)).toMatchObject({ kind: 'deny' });
    expect(await (await bound({}, policy)).send(write)).toEqual({ kind: 'none' });
  });

  it('that two files ask the hook about is denied to both and counted once', async () => {
    const machine = await bound({ allows: ['shell'] });
    for (const _ of [1, 2]) expect(await machine.send(write)).toMatchObject({ kind: 'deny' });
    expect(machine.acts.filter(({ act }) => act === 'denied')).toHaveLength(1);
    expect(await machine.send({ ...write, tool_use_id: 'v' })).toMatchObject({ kind: 'deny' });
    expect(machine.acts.filter(({ act }) => act === 'denied')).toHaveLength(2);
  });

  it('by an unknown command is allowed and recorded', async () => {
    const machine = await bound({ allows: ['shell'] });
    expect(await machine.send(before('Bash', { command: './generate' }))).toEqual({ kind: 'none' });
    expect(machine.acts.at(-1)).toMatchObject({ rule: 'edit', act: 'unknown-command', sid: sidA });
  });
});

describe('a lost context', () => {
  it.each(['compact', 'resume'])('after %s is given back', async (source) => {
    const machine = await bound();
    const begin = { hook_event_name: 'SessionStart', source };
    expect(await machine.send(begin)).toEqual({ kind: 'context', text: `packet of ${sidA}` });
    expect(await machine.send({ ...begin, session_id: 'c2' })).toEqual({ kind: 'none' });
  });

  it('is not given at a new start, nor after the end of the session', async () => {
    const machine = await bound();
    expect(await machine.send({ hook_event_name: 'SessionStart', source: 'startup' })).toEqual({
      kind: 'none',
    });
    addSession(machine, sidA, { status: 'completed' });
    expect(await machine.send({ hook_event_name: 'SessionStart', source: 'compact' })).toEqual({
      kind: 'none',
    });
  });

  it('is given back after clear in the same process, where the session of the client is another one', async () => {
    const machine = await bound();
    const end = { hook_event_name: 'SessionEnd', reason: 'clear' };
    await machine.send(end, 'claude-code', { process: '1' });
    const begin = { hook_event_name: 'SessionStart', source: 'clear', session_id: 'c2' };
    expect(await machine.send(begin, 'claude-code', { process: '2' })).toEqual({ kind: 'none' });
    expect(await machine.send(begin, 'claude-code')).toEqual({ kind: 'none' });
    const reply = await machine.send(begin, 'claude-code', { process: '1' });
    expect(reply).toEqual({ kind: 'context', text: `packet of ${sidA}` });
    expect(await machine.send({ ...stop, session_id: 'c2' })).toMatchObject({ kind: 'block-stop' });
    const third = { ...begin, session_id: 'c3' };
    expect(await machine.send(third, 'claude-code', { process: '1' })).toEqual({ kind: 'none' });
  });

  it('is given back at the next event if only the transcript tells of a compaction', async () => {
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
