import { describe, expect, it } from 'vitest';
import type { HookClient } from '../../src/hooks/hook/events.ts';
import { readEvent, replyText } from '../../src/hooks/hook/events.ts';
import type { HookReply } from '../../src/hooks/hook/rules.ts';
import { addSession, openMachine, sidA } from './agent.ts';

// No test runs these clients, so their events are written as in their documentation.

const cursor = {
  conversation_id: 'c1',
  generation_id: 'g1',
  model: 'm',
  cursor_version: '3.7.21',
  workspace_roots: ['/srv'],
  transcript_path: null,
};
const copilot = { session_id: 'c1', cwd: '/srv', timestamp: '2026-03-01T10:00:00Z' };

const token = `wl_${Buffer.concat([Buffer.from(sidA, 'hex'), Buffer.from([0, 0, 0, 2]), Buffer.alloc(19, 1)]).toString('base64url')}`;
const result = `session_token: ${token}\nsession_id: ${sidA}`;

const shapes: Readonly<
  Partial<
    Record<
      HookClient,
      {
        readonly shell: object;
        readonly write: object;
        readonly started: object;
        readonly stop: object;
        readonly prompt: object;
        readonly deny: object;
        readonly block: object;
      }
    >
  >
> = {
  cursor: {
    shell: {
      ...cursor,
      hook_event_name: 'preToolUse',
      tool_name: 'Shell',
      tool_input: { command: 'rm a', working_directory: '/srv' },
      tool_use_id: 't1',
      cwd: '/srv',
    },
    write: {
      ...cursor,
      hook_event_name: 'preToolUse',
      tool_name: 'Write',
      tool_input: { file_path: '/srv/a' },
      tool_use_id: 't2',
    },
    started: {
      ...cursor,
      hook_event_name: 'postToolUse',
      tool_name: 'MCP:start_session',
      tool_input: {},
      tool_output: JSON.stringify({ content: [{ type: 'text', text: result }] }),
      tool_use_id: 't3',
    },
    stop: { ...cursor, hook_event_name: 'stop', status: 'completed', loop_count: 0 },
    prompt: { ...cursor, hook_event_name: 'beforeSubmitPrompt', prompt: 'Go on', attachments: [] },
    deny: { permission: 'deny', agent_message: expect.any(String), user_message: expect.any(String) },
    block: { followup_message: expect.stringContaining('next_activity') },
  },
  copilot: {
    shell: { ...copilot, hook_event_name: 'PreToolUse', tool_name: 'bash', tool_input: { command: 'rm a' } },
    write: {
      sessionId: 'c1',
      cwd: '/srv',
      timestamp: 1704614600000,
      hook_event_name: 'preToolUse',
      toolName: 'create',
      toolArgs: JSON.stringify({ path: '/srv/a', file_text: 'b' }),
    },
    started: {
      ...copilot,
      hook_event_name: 'PostToolUse',
      tool_name: 'workflowlookup-start_session',
      tool_input: {},
      tool_response: { resultType: 'success', textResultForLlm: result },
    },
    stop: { ...copilot, hook_event_name: 'Stop', stop_reason: 'end_turn' },
    prompt: { ...copilot, hook_event_name: 'UserPromptSubmit', prompt: 'Go on' },
    deny: { permissionDecision: 'deny', permissionDecisionReason: expect.any(String) },
    block: { decision: 'block', reason: expect.stringContaining('next_activity') },
  },
};

function answer(client: HookClient, fields: object, reply: HookReply): unknown {
  const text = replyText(client, readEvent(client, JSON.stringify(fields)), reply);
  return text === undefined ? undefined : JSON.parse(text);
}

describe.each(['cursor', 'copilot'] as const)('the documented events of %s', (client) => {
  const shape = shapes[client];

  it('bind, deny and block', async () => {
    if (shape === undefined) throw new Error('No shapes');
    const machine = openMachine();
    addSession(machine, sidA, { allows: [] });
    expect(await machine.send(shape.write, client)).toEqual({ kind: 'none' });
    expect(await machine.send(shape.prompt, client)).toEqual({ kind: 'none' });
    await machine.send(shape.started, client);
    for (const call of [shape.shell, shape.write]) {
      const denied = await machine.send(call, client);
      expect(answer(client, call, denied)).toEqual(shape.deny);
    }
    const blocked = await machine.send(shape.stop, client);
    expect(answer(client, shape.stop, blocked)).toEqual(shape.block);
    expect(machine.acts.map(({ act }) => act)).toEqual(['bound', 'denied', 'denied', 'blocked']);
  });
});

it.each(['aborted', 'error'])(
  'A turn in Cursor that ends with the status %s is not blocked',
  async (status) => {
    const machine = openMachine();
    addSession(machine, sidA);
    await machine.send(shapes.cursor?.started ?? {}, 'cursor');
    expect(await machine.send({ ...shapes.cursor?.stop, status }, 'cursor')).toEqual({ kind: 'none' });
  },
);
