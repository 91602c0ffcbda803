import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { workflowMessages } from '../../../core/test/support/messages.ts';
import { tools } from '../../src/index.ts';
import { messages } from '../../src/messages.ts';
import { broken, unknown } from '../support/argument-messages.ts';
import { reviewFlow } from '../support/flow.ts';
import type { Message } from '../support/streams.ts';
import { serve } from '../support/streams.ts';

async function openSession() {
  const session = serve([reviewFlow]);
  await session.open();
  return session;
}

const errorOf = ({ result }: Message) =>
  (result?.['_meta'] as Record<string, { code: number; name: string; data: unknown }> | undefined)?.[
    'workflowlookup/error'
  ];
const textOf = ({ result }: Message) =>
  (result?.['content'] as { text: string }[] | undefined)?.[0]?.text ?? '';

const goodCalls: readonly { tool: string; args: object }[] = [
  { tool: 'workflow_list', args: {} },
  { tool: 'workflow_list', args: { query: 'review', limit: 1 } },
  { tool: 'workflow_get', args: { id: 'review-flow' } },
  { tool: 'workflow_get', args: { id: 'review-flow', mode: 'metadata' } },
  { tool: 'workflow_get', args: { id: 'review-flow', mode: 'full' } },
  { tool: 'workflow_next', args: { workflowId: 'review-flow', completedSteps: [] } },
  {
    tool: 'workflow_next',
    args: {
      workflowId: 'review-flow',
      completedSteps: ['read-it', 'zzz'],
      context: { depth: 'none', files: ['a'] },
    },
  },
  {
    tool: 'workflow_next',
    args: { workflowId: 'review-flow', completedSteps: ['read-it'], context: { files: [] } },
  },
  { tool: 'workflow_validate', args: { workflowId: 'review-flow', stepId: 'read-it', output: 'beta' } },
  { tool: 'workflow_validate_json', args: { workflowJson: '{}' } },
];

describe.each(goodCalls)('$tool $args', ({ tool, args }) => {
  test('has the same result as a direct method and through tools/call', async () => {
    const session = await openSession();
    const direct = await session.request(tool, args);
    const called = await session.request('tools/call', { name: tool, arguments: args });
    expect(direct.result).toBeDefined();
    expect(called.result?.structuredContent).toEqual(direct.result);
    expect(JSON.parse(textOf(called))).toEqual(direct.result);
    expect(called.result?.['isError']).not.toBe(true);
  });

  test('has a result that matches its output schema', async () => {
    const session = await openSession();
    const { result } = await session.request(tool, args);
    const validate = new Ajv2020({ strict: true }).compile(
      tools.find(({ name }) => name === tool)?.outputSchema ?? false,
    );
    expect(validate(result), JSON.stringify(validate.errors)).toBe(true);
  });
});

const deep = (levels: number): object => (levels === 0 ? {} : { a: deep(levels - 1) });

const badArguments: readonly { tool: string; args: unknown; names: string }[] = [
  { tool: 'workflow_list', args: { colour: 1 }, names: unknown('workflow_list', 'colour') },
  { tool: 'workflow_list', args: { querry: 'x' }, names: unknown('workflow_list', 'querry', 'query') },
  { tool: 'workflow_list', args: { limit: 0 }, names: broken('limit', 0, 'minimum', { limit: 1 }) },
  { tool: 'workflow_list', args: { limit: 1.5 }, names: broken('limit', 1.5, 'type', { type: 'integer' }) },
  { tool: 'workflow_list', args: { tags: 'fast' }, names: broken('tags', 'fast', 'type', { type: 'array' }) },
  { tool: 'workflow_list', args: { tags: [1] }, names: broken('tags.0', 1, 'type', { type: 'string' }) },
  { tool: 'workflow_list', args: { query: '' }, names: broken('query', '', 'minLength', { limit: 1 }) },
  { tool: 'workflow_list', args: { cursor: 'zzz' }, names: workflowMessages.wrongCursor() },
  { tool: 'workflow_get', args: {}, names: messages.fieldRequired('id') },
  { tool: 'workflow_get', args: { id: 5 }, names: broken('id', 5, 'type', { type: 'string' }) },
  { tool: 'workflow_get', args: { id: '' }, names: broken('id', '', 'minLength', { limit: 3 }) },
  { tool: 'workflow_get', args: { id: 'ab' }, names: broken('id', 'ab', 'minLength', { limit: 3 }) },
  {
    tool: 'workflow_get',
    args: { id: 'x'.repeat(65) },
    names: broken('id', 'x'.repeat(65), 'maxLength', { limit: 64 }),
  },
  {
    tool: 'workflow_get',
    args: { id: '../../etc/passwd' },
    names: broken('id', '../../etc/passwd', 'pattern'),
  },
  { tool: 'workflow_get', args: { id: 'review-flow\n' }, names: broken('id', 'review-flow\n', 'pattern') },
  {
    tool: 'workflow_get',
    args: { id: 'review-flow', mode: 'everything' },
    names: broken('mode', 'everything', 'enum', { allowedValues: ['metadata', 'preview', 'full'] }),
  },
  { tool: 'workflow_next', args: { completedSteps: [] }, names: messages.fieldRequired('workflowId') },
  {
    tool: 'workflow_next',
    args: { workflowId: 'review-flow' },
    names: messages.fieldRequired('completedSteps'),
  },
  {
    tool: 'workflow_next',
    args: { workflowId: 'review-flow', completedSteps: 'one' },
    names: broken('completedSteps', 'one', 'type', { type: 'array' }),
  },
  {
    tool: 'workflow_next',
    args: { workflowId: 'review-flow', completedSteps: ['../x'] },
    names: broken('completedSteps.0', '../x', 'pattern'),
  },
  {
    tool: 'workflow_next',
    args: { workflowId: 'review-flow', completedSteps: [null] },
    names: broken('completedSteps.0', null, 'type', { type: 'string' }),
  },
  {
    tool: 'workflow_next',
    args: { workflowId: 'review-flow', completedSteps: [], context: [] },
    names: broken('context', [], 'type', { type: 'object' }),
  },
  {
    tool: 'workflow_next',
    args: { workflowId: 'review-flow', completedSteps: [], currentStep: 7 },
    names: broken('currentStep', 7, 'type', { type: 'string' }),
  },
  {
    tool: 'workflow_next',
    args: { workflowId: 'review-flow', completedSteps: [], stepsDone: [] },
    names: unknown('workflow_next', 'stepsDone'),
  },
  {
    tool: 'workflow_validate',
    args: { workflowId: 'review-flow', output: 'x' },
    names: messages.fieldRequired('stepId'),
  },
  {
    tool: 'workflow_validate',
    args: { workflowId: 'review-flow', stepId: 'read-it' },
    names: messages.fieldRequired('output'),
  },
  {
    tool: 'workflow_validate',
    args: { workflowId: 'review-flow', stepId: 'read-it', output: 5 },
    names: broken('output', 5, 'type', { type: 'string' }),
  },
  {
    tool: 'workflow_validate',
    args: { workflowId: 'review-flow', stepId: 'read-it', output: '' },
    names: broken('output', '', 'minLength', { limit: 1 }),
  },
  {
    tool: 'workflow_validate',
    args: { workflowId: 'review-flow', stepId: 'read-it', output: 'x', context: 'y' },
    names: broken('context', 'y', 'type', { type: 'object' }),
  },
  {
    tool: 'workflow_validate',
    args: { workflowId: 'review-flow', stepId: 'read-it', output: 'x'.repeat(5_300_000) },
    names: '5',
  },
  { tool: 'workflow_validate_json', args: {}, names: messages.fieldRequired('workflowJson') },
  {
    tool: 'workflow_validate_json',
    args: { workflowJson: '' },
    names: broken('workflowJson', '', 'minLength', { limit: 1 }),
  },
  {
    tool: 'workflow_validate_json',
    args: { workflowJson: {} },
    names: broken('workflowJson', {}, 'type', { type: 'string' }),
  },
  {
    tool: 'workflow_validate_json',
    args: { workflowJson: '{}', strict: true },
    names: unknown('workflow_validate_json', 'strict'),
  },
];

describe.each(badArguments)('$tool with $names', ({ tool, args, names }) => {
  test('is refused both ways, with the name of the field and its rule', async () => {
    const session = await openSession();
    const direct = await session.request(tool, args);
    expect(direct.error).toMatchObject({ code: -32602, message: 'Invalid params' });
    expect(String(direct.error?.data?.['details'])).toContain(names);
    const called = await session.request('tools/call', { name: tool, arguments: args });
    expect(called.result).toMatchObject({ isError: true });
    expect(called.result?.structuredContent).toBeUndefined();
    expect(textOf(called)).toContain(names);
    expect(errorOf(called)).toMatchObject({ code: -32602, name: 'INVALID_INPUT' });
  });
});

describe('hostile arguments', () => {
  test('describes the first 20 problems and counts the others', async () => {
    const session = await openSession();
    const args = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`zzz${at}`, at]));
    const details = String((await session.request('workflow_list', args)).error?.data?.['details']);
    const described = Array.from({ length: 20 }, (_, at) => unknown('workflow_list', `zzz${at}`));
    expect(details).toBe([...described, messages.moreProblems(5)].join('; '));
  });

  test.each(goodCalls.map(({ tool }) => tool))(
    'are accepted by %s with the names of prototype properties',
    async (tool) => {
      const session = await openSession();
      session.raw(
        `{"jsonrpc":"2.0","id":"x","method":"${tool}","params":{"__proto__":{"id":"review-flow"},"constructor":1}}\n`,
      );
      expect((await session.reply(2)).error?.code).toBe(-32602);
    },
  );

  test('are accepted with a context at the maximum depth, and refused one level deeper', async () => {
    const session = await openSession();
    const params = (levels: number) => ({
      workflowId: 'review-flow',
      completedSteps: [],
      context: deep(levels),
    });
    expect((await session.request('workflow_next', params(200))).result).toBeDefined();
    session.send({ jsonrpc: '2.0', id: 9, method: 'workflow_next', params: params(300) });
    expect(await session.reply(3)).toMatchObject({ id: 9, error: { code: -32600 } });
  });

  test('are refused if a text is nested too deeply to be a workflow', async () => {
    const session = await openSession();
    const { result } = await session.request('workflow_validate_json', { workflowJson: '['.repeat(200_000) });
    expect(result).toMatchObject({ valid: false });
  });

  test('can have the names of prototype properties in the context', async () => {
    const session = await openSession();
    session.raw(
      '{"jsonrpc":"2.0","id":"x","method":"workflow_next","params":{"workflowId":"review-flow","completedSteps":[],"context":{"__proto__":{"depth":"full"},"files":[]}}}\n',
    );
    expect(await session.reply(2)).toMatchObject({ result: { step: { id: 'read-it' } } });
    expect(({} as { depth?: string }).depth).toBeUndefined();
  });
});

describe('errors of the tools', () => {
  test.each([
    {
      tool: 'workflow_get',
      args: { id: 'nope-nope' },
      code: -32001,
      message: 'Workflow not found',
      data: { workflowId: 'nope-nope' },
      name: 'WORKFLOW_NOT_FOUND',
    },
    {
      tool: 'workflow_validate',
      args: { workflowId: 'review-flow', stepId: 'step-9', output: 'x' },
      code: -32003,
      message: 'Step not found',
      data: { stepId: 'step-9' },
      name: 'STEP_NOT_FOUND',
    },
    {
      tool: 'workflow_next',
      args: { workflowId: 'review-flow', currentStep: 'nowhere', completedSteps: [] },
      code: -32003,
      message: 'Step not found',
      data: { stepId: 'nowhere' },
      name: 'STEP_NOT_FOUND',
    },
  ])(
    'have the code $code and exactly the data of the specification for $tool $args',
    async ({ tool, args, code, message, data, name }) => {
      const session = await openSession();
      expect((await session.request(tool, args)).error).toEqual({ code, message, data });
      const called = await session.request('tools/call', { name: tool, arguments: args });
      expect(errorOf(called)).toEqual({ code, name, data });
      expect(called.result?.structuredContent).toBeUndefined();
    },
  );

  test('name the variable that a loop needs', async () => {
    const session = await openSession();
    const { error } = await session.request('workflow_next', {
      workflowId: 'review-flow',
      completedSteps: ['read-it'],
    });
    expect(error).toMatchObject({
      code: -32005,
      message: 'State error',
      data: { loopId: 'each-file', variable: 'files' },
    });
  });

  test('are protocol errors for an unknown tool', async () => {
    const session = await openSession();
    const { error } = await session.request('tools/call', { name: 'no_such_tool', arguments: {} });
    expect(error).toEqual({
      code: -32602,
      message: 'Invalid params',
      data: { details: messages.unknownTool('no_such_tool') },
    });
  });
});
