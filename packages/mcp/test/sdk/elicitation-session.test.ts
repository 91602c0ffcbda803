import { createEngine, readWorkflowFolder } from '@workflowlookup/core';
import { createSessions } from '@workflowlookup/core/sessions';
import { createReferenceCodec } from '@workflowlookup/core/tokens';
import { createMemorySessionStore, createMemoryStore } from '@workflowlookup/storage/memory';
import { describe, expect, test } from 'vitest';
import { processKeys } from '../../src/sdk/elicitation.ts';
import type { Message, Session } from '../support/streams.ts';
import { serve } from '../support/streams.ts';

const folder = {
  'workflow.json': { id: 'release', version: '1.0.0', title: 'Release' },
  'activities/01-decide.json': {
    id: 'decide',
    version: '1.0.0',
    name: 'Decide',
    checkpoints: [{ id: 'go', name: 'Go', message: 'Release it?', options: [{ id: 'yes', label: 'Yes' }] }],
  },
};

/** Opens a server with one workflow and sessions in memory. */
async function open(): Promise<Session> {
  const files = new Map(Object.entries(folder).map(([path, value]) => [path, JSON.stringify(value)]));
  const { workflow } = await readWorkflowFolder(files, { id: 'release' });
  const workflows = createMemoryStore(workflow === undefined ? [] : [workflow]);
  const keys = processKeys();
  const vault = { store: createMemorySessionStore(), keys, tokens: createReferenceCodec(keys) };
  const sessions = createSessions({
    workflows,
    vault: () => Promise.resolve(vault),
    policy: {
      enforcement: 'advisory',
      minResponseMs: 0,
      gates: 'declared',
      trustElicitation: false,
      humanAnswersWith: (sid) => `respond ${sid}`,
    },
    caller: { principal: 'local' },
  });
  const engine = createEngine({ workflows });
  return serve([], { services: () => Promise.resolve({ engine, sessions }) });
}

type Call = (name: string, args: object, more?: object) => Promise<Message>;

const tokenOf = ({ result }: Message) =>
  String((result?.['_meta'] as Record<string, unknown> | undefined)?.['session_token']);
const textOf = ({ result }: Message) =>
  String((result?.['content'] as { text: string }[] | undefined)?.[0]?.text);

/** Starts a session, yields the checkpoint, and returns its handle. */
async function stop(call: Call): Promise<string> {
  const started = await call('start_session', { agent_id: 'a', workflow_id: 'release' });
  const entered = await call('next_activity', { session_token: tokenOf(started) });
  return tokenOf(await call('yield_checkpoint', { session_token: tokenOf(entered), checkpoint_id: 'go' }));
}

const accepted = { action: 'accept', content: { choice: 'yes' } };

describe('the user of the client answers a checkpoint', () => {
  test('through a request of the server', async () => {
    const session = await open();
    await session.request('initialize', {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
    });
    const call: Call = (name, args) => session.request('tools/call', { name, arguments: args });
    const handle = await stop(call);
    const answered = call('present_checkpoint', { checkpoint_handle: handle });
    const asked = await session.reply(session.messages.length + 1);
    expect(asked).toMatchObject({ method: 'elicitation/create', params: { message: 'Release it?' } });
    session.send({ jsonrpc: '2.0', id: asked.id, result: accepted });
    expect(textOf(await answered)).toContain('"resolved_option":"yes"');
  });

  test('through a repeated call', async () => {
    const session = await open();
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    };
    const call: Call = (name, args, more) =>
      session.request('tools/call', { name, arguments: args, ...more, _meta: meta });
    const present = { checkpoint_handle: await stop(call) };
    const { result } = await call('present_checkpoint', present);
    expect(result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { choice: { params: { message: 'Release it?' } } },
    });
    const again = { requestState: result?.['requestState'], inputResponses: { choice: accepted } };
    expect(textOf(await call('present_checkpoint', present, again))).toContain('"resolved_option":"yes"');
    expect(session.logged).toEqual([]);
  });
});
