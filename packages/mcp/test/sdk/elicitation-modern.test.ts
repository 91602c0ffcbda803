import { describe, expect, test } from 'vitest';
import { messages } from '../../src/messages.ts';
import { createRequestStates, processKeys } from '../../src/sdk/elicitation.ts';
import type { Tool } from '../../src/tool-support/tool.ts';
import { askTool, question } from '../support/ask-tool.ts';
import type { Message } from '../support/streams.ts';
import { serve } from '../support/streams.ts';
import { testTool } from '../support/test-tool.ts';

/** Returns a client of 2026-07-28 that declares these capabilities. */
function client(tools: readonly Tool[] = [askTool], capabilities: object = { elicitation: { form: {} } }) {
  const session = serve([], { tools });
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  };
  const call = (more: object = {}, name = 'ask_me') =>
    session.request('tools/call', { name, arguments: {}, ...more, _meta: meta });
  return { session, call };
}

const accept = (choice: string) => ({ choice: { action: 'accept', content: { choice } } });
const stateOf = ({ result }: Message) => String(result?.['requestState']);
const textOf = ({ result }: Message) => (result?.['content'] as { text: string }[] | undefined)?.[0]?.text;

describe('an elicitation with a client of 2026-07-28', () => {
  test('is the result of the call, which the client repeats with the answer', async () => {
    const { call } = client();
    const asked = await call();
    expect(asked.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: {
        choice: {
          method: 'elicitation/create',
          params: {
            message: 'Merge it?',
            requestedSchema: { properties: { choice: { oneOf: [{ const: 'merge' }, { const: 'wait' }] } } },
          },
        },
      },
      requestState: expect.any(String),
    });
    const answered = await call({ requestState: stateOf(asked), inputResponses: accept('merge') });
    expect(answered.result).toMatchObject({ resultType: 'complete' });
    expect(textOf(answered)).toBe('chosen: merge');
  });

  test.each([{ choice: { action: 'decline' } }, { choice: { action: 'cancel' } }, accept('everything')])(
    'gives the tool no choice for the answer %j',
    async (inputResponses) => {
      const { call } = client();
      const requestState = stateOf(await call());
      expect(textOf(await call({ requestState, inputResponses }))).toBe('chosen: nothing');
    },
  );

  test('is repeated if the next call does not answer it', async () => {
    const { call } = client();
    const again = await call({ requestState: stateOf(await call()), inputResponses: {} });
    expect(again.result).toMatchObject({ resultType: 'input_required' });
  });

  test('ignores a response without a state', async () => {
    const { call } = client();
    expect((await call({ inputResponses: accept('merge') })).result).toMatchObject({
      resultType: 'input_required',
    });
  });

  test('may be followed by another one, each with its own answer', async () => {
    const tool = testTool('ask_twice', async ({ elicit }) => {
      const first = await elicit?.(question);
      const second = await elicit?.({ ...question, message: 'Are you sure?' });
      return { text: `${String(first)}, ${String(second)}` };
    });
    const { call } = client([tool]);
    const first = await call({}, 'ask_twice');
    const second = await call({ requestState: stateOf(first), inputResponses: accept('merge') }, 'ask_twice');
    expect(second.result).toMatchObject({
      inputRequests: { choice: { params: { message: 'Are you sure?' } } },
    });
    const last = await call({ requestState: stateOf(second), inputResponses: accept('wait') }, 'ask_twice');
    expect(textOf(last)).toBe('merge, wait');
  });

  test('is refused with a modified state, or the state of another call', async () => {
    const other = testTool('ask_other', askTool.run);
    const { session, call } = client([askTool, other]);
    const requestState = stateOf(await call());
    const inputResponses = accept('merge');
    const [body = '', signature = ''] = requestState.split('.');
    const forged = Buffer.from(
      Buffer.from(body, 'base64url').toString('utf8').replace('"answers":{}', '"answers":{"a":"b"}'),
    ).toString('base64url');
    const refused = [
      await call({ requestState: `${forged}.${signature}`, inputResponses }),
      await call({ requestState: `${requestState}AA`, inputResponses }),
      await call({ requestState: `${requestState}.`, inputResponses }),
      await call({ requestState: '', inputResponses }),
      await call({ requestState, inputResponses }, 'ask_other'),
      await call({ requestState, inputResponses, arguments: { another: 1 } }),
      await client().call({ requestState, inputResponses }),
    ];
    for (const { error } of refused)
      expect(error).toMatchObject({
        code: -32602,
        data: { details: expect.stringContaining('requestState') },
      });
    expect(session.logged).toEqual([]);
    expect(textOf(await call({ requestState, inputResponses }))).toBe('chosen: merge');
  });

  test.each([{}, { elicitation: { url: {} } }])(
    'is not sent to a client that declared %j',
    async (capabilities) => {
      expect(textOf(await client([askTool], capabilities).call())).toBe('nobody to ask');
    },
  );

  test('is sent to a client that declared elicitation without a mode', async () => {
    expect((await client([askTool], { elicitation: {} }).call()).result).toMatchObject({
      resultType: 'input_required',
    });
  });
});

describe('the state of a call that the client keeps', () => {
  const state = { call: 'c', asking: 'q', answers: {} };

  test('is valid for ten minutes', () => {
    let now = 0;
    const states = createRequestStates(processKeys(), { now: () => now });
    const sealed = states.sign(state);
    now = 600_000;
    expect(states.verify(sealed, 'c')).toMatchObject(state);
    now += 1;
    expect(() => states.verify(sealed, 'c')).toThrow(messages.stateExpired());
  });

  test('stays valid when another key signs, and is invalid when its key is removed', () => {
    const older = processKeys();
    const newer = processKeys();
    const sealed = createRequestStates(older).sign(state);
    const both = { signing: newer.signing, verifying: [newer.signing, older.signing] };
    expect(createRequestStates(both).verify(sealed, 'c')).toMatchObject(state);
    expect(() => createRequestStates(newer).verify(sealed, 'c')).toThrow(messages.stateForged());
  });
});
