import { describe, expect, it } from 'vitest';
import type { HookClient } from '../../src/hooks/hook/events.ts';
import type { Machine } from './agent.ts';
import { addSession, before, openMachine, resultOf, sidA } from './agent.ts';

const command = 'npm test';

async function bound(): Promise<Machine> {
  const machine = openMachine();
  addSession(machine, sidA);
  machine.checks.add(command);
  await machine.send(resultOf('start_session', sidA));
  return machine;
}

/** The event after a command that passed. */
const passed = {
  hook_event_name: 'PostToolUse',
  tool_name: 'Bash',
  tool_input: { command },
  tool_use_id: 'u',
  tool_response: { stdout: 'ok', interrupted: false },
};
const failed = {
  ...passed,
  hook_event_name: 'PostToolUseFailure',
  tool_response: undefined,
  error: 'Exit code 2\nno',
};

describe('a check that a client runs', () => {
  it.each([
    { report: passed, exitCode: 0 },
    { report: failed, exitCode: 2 },
  ])('is recorded with exit code $exitCode', async ({ report, exitCode }) => {
    const machine = await bound();
    await machine.send(before('Bash', { command: ` ${command}` }));
    expect(await machine.send(report)).toMatchObject({ kind: 'context' });
    expect(await machine.send(report)).toEqual({ kind: 'none' });
    expect(machine.recorded).toEqual([{ folder: '/work', command, exitCode, tree: 'one' }]);
    expect(machine.acts.at(-1)).toMatchObject({ rule: 'observe', act: 'observed', sid: sidA });
  });

  it('is not recorded if files change while it runs', async () => {
    const machine = await bound();
    await machine.send(before('Bash', { command }));
    machine.tree = 'two';
    await machine.send(passed);
    expect(machine.recorded).toEqual([]);
  });

  it('is not recorded if the hook did not see its start, or saw the start of another call or command', async () => {
    const machine = await bound();
    await machine.send(passed);
    await machine.send(before('Bash', { command }, { tool_use_id: 'other' }));
    await machine.send(passed);
    await machine.send(before('Bash', { command: `${command} || true` }));
    await machine.send(passed);
    expect(machine.recorded).toEqual([]);
  });

  it('is not recorded while it runs in the background, or if it was interrupted', async () => {
    const machine = await bound();
    const input = { command, run_in_background: true };
    await machine.send(before('Bash', input));
    await machine.send({ ...passed, tool_input: input });
    await machine.send(before('Bash', { command }));
    await machine.send({ ...passed, tool_response: { interrupted: true } });
    await machine.send(before('Bash', { command }));
    await machine.send({ ...passed, tool_response: { interrupted: false, backgroundTaskId: 'b' } });
    expect(machine.recorded).toEqual([]);
  });

  it.each<[HookClient, unknown, number | undefined]>([
    ['gemini', { llmContent: 'Output: ok\nProcess Group PGID: 7\n' }, 0],
    ['gemini', { llmContent: 'Output: no\nExit Code: 3\nProcess Group PGID: 7\n' }, 3],
    ['gemini', { llmContent: 'Command moved to background (PID: 7).' }, undefined],
    ['opencode', { output: 'no', metadata: { exit: 4 } }, 4],
    ['opencode', { output: 'ok', metadata: {} }, undefined],
    ['codex', 'ok', undefined],
    ['cursor', '{"output":"ok"}', undefined],
    ['copilot', { resultType: 'success' }, undefined],
  ])('in %s with the result %j has the exit code %s', async (client, tool_response, exitCode) => {
    const machine = openMachine();
    addSession(machine, sidA);
    machine.checks.add(command);
    await machine.send(resultOf('start_session', sidA), client);
    await machine.send(before('Bash', { command }), client);
    await machine.send({ ...passed, tool_response }, client);
    const recorded = { folder: '/work', command, exitCode, tree: 'one' };
    expect(machine.recorded).toEqual(exitCode === undefined ? [] : [recorded]);
  });
});
