import { errorHelp, WorkflowError } from '@workflowlookup/schema';
import { describe, expect, test } from 'vitest';
import type { Tool, ToolAnswer } from '../../src/tool-support/tool.ts';
import { serve } from '../support/streams.ts';
import { testTool } from '../support/test-tool.ts';

/** Returns the responses to `tools/call` and to a direct method, for a tool with this implementation. */
async function answersOf(run: Tool['run'], more: Partial<Tool> = {}) {
  const session = serve([], { tools: [testTool('try_it', run, more)] });
  await session.open();
  const called = await session.request('tools/call', { name: 'try_it', arguments: {} });
  const direct = await session.request('try_it');
  return { session, called: called.result, direct };
}
const answering = (answer: ToolAnswer, more: Partial<Tool> = {}) =>
  answersOf(() => Promise.resolve(answer), more);
const failing = (error: Error) =>
  answersOf(() => {
    throw error;
  });

describe('the result of a tool', () => {
  test('is structured and also JSON text if the tool has an output schema', async () => {
    const { called, direct } = await answering({ json: { a: 1 } }, { outputSchema: { type: 'object' } });
    expect(called).toEqual({ content: [{ type: 'text', text: '{"a":1}' }], structuredContent: { a: 1 } });
    expect(direct.result).toEqual({ a: 1 });
  });

  test('is a text with its metadata if the tool has no output schema', async () => {
    const { called, direct } = await answering({ text: 'Read this.', meta: { session_token: 't' } });
    expect(called).toEqual({
      content: [{ type: 'text', text: 'Read this.' }],
      _meta: { session_token: 't' },
    });
    expect(direct.result).toEqual({ text: 'Read this.', _meta: { session_token: 't' } });
  });

  test('is JSON text if the tool returns JSON without a schema', async () => {
    const { called, direct } = await answering({ json: { a: 1 }, meta: { b: 2 } });
    expect(called).toEqual({ content: [{ type: 'text', text: '{"a":1}' }], _meta: { b: 2 } });
    expect(direct.result).toEqual({ a: 1, _meta: { b: 2 } });
  });
});

test('a tool gets the identity of the server, and is listed without its implementation', async () => {
  const tool = testTool('try_it', ({ identity }) => Promise.resolve({ json: { ...identity } }), {
    waits: () => false,
  });
  const session = serve([], { tools: [tool] });
  await session.open();
  expect((await session.request('try_it')).result).toMatchObject({ name: 'workflowlookup' });
  const { result } = await session.request('tools/list');
  expect(result?.['tools']).toMatchObject([{ name: 'try_it' }]);
  expect(JSON.stringify(result)).not.toMatch(/waits|run/);
});

describe('a failure', () => {
  test('with a remedy names the tool to call next', async () => {
    const { called, direct } = await failing(
      new WorkflowError('CHECKPOINT_OPEN', "Checkpoint 'merge' waits", { data: { remedy: 'answer' } }),
    );
    const sentence = "Checkpoint 'merge' waits. Answer the checkpoint with respond_checkpoint.";
    const data = { details: sentence, next: 'respond_checkpoint' };
    expect(called).toEqual({
      isError: true,
      content: [{ type: 'text', text: sentence }],
      _meta: {
        'workflowlookup/error': { code: -32005, name: 'CHECKPOINT_OPEN', data },
        'workflowlookup/help': errorHelp('CHECKPOINT_OPEN'),
      },
    });
    expect(direct.error).toEqual({
      code: -32005,
      message: 'Checkpoint is open',
      data: { ...data, name: 'CHECKPOINT_OPEN' },
    });
  });

  test.each([
    ['WORKFLOW_NOT_FOUND', { code: -32001, data: { id: 'mine' } }],
    ['STEP_NOT_FOUND', { code: -32003, data: { id: 'mine' } }],
    ['NOT_FOUND', { code: -32003, data: { details: 'None.', id: 'mine', name: 'NOT_FOUND' } }],
  ] as const)(
    'of a direct method includes the name of its code, unless the data is fixed: %s',
    async (name, error) => {
      const { called, direct } = await failing(new WorkflowError(name, 'None.', { data: { id: 'mine' } }));
      expect(direct.error).toEqual({ ...error, message: expect.any(String) });
      expect(called).toMatchObject({ _meta: { 'workflowlookup/error': { name } } });
    },
  );

  test('of the database is not logged over stdio, because the client is told', async () => {
    const { session, direct } = await failing(new WorkflowError('STORE_UNAVAILABLE', 'The disk is full.'));
    expect(direct.error?.data).toMatchObject({ details: 'The disk is full.' });
    expect(session.logged).toEqual([]);
  });

  test('with a token returns it to the caller and never logs it', async () => {
    const { session, called, direct } = await failing(
      new WorkflowError('SESSION_CONFLICT', 'Somebody else wrote.', {
        data: { session_token: 'wl_now', revision: 4 },
      }),
    );
    expect(called).toMatchObject({
      content: [{ text: 'Somebody else wrote.\nsession_token: wl_now' }],
      _meta: { session_token: 'wl_now', 'workflowlookup/error': { data: { revision: 4 } } },
    });
    expect(direct.error?.data).toMatchObject({ session_token: 'wl_now', revision: 4 });
    expect(session.logged.join()).not.toContain('wl_now');
  });
});
