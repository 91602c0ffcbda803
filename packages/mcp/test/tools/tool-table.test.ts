import { maxNoteChars } from '@workflowlookup/schema';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { Tool } from '../../src/index.ts';
import { tools, toolSet } from '../../src/index.ts';
import { instructionsFor } from '../../src/server-info.ts';
import { callKinds } from '../../src/messages.ts';
import { answerNote } from '../../src/tool-support/tool.ts';
import pinned from './pinned-tools.json' with { type: 'json' };
import { serve } from '../support/streams.ts';

test('The schemas allow notes as long as core does', () => {
  expect(answerNote['maxLength']).toBe(maxNoteChars);
});

describe('the descriptions of the tools', () => {
  test('have fixed names, parameters and rules', async () => {
    const session = serve([]);
    await session.open();
    const { result } = await session.request('tools/list');
    const listed = result?.['tools'] as readonly { name: string; inputSchema: object }[];
    const pins = listed.map(({ name, inputSchema }) => ({ name, inputSchema: withoutProse(inputSchema) }));
    expect(pins).toEqual(pinned);
  });

  test.each(tools.map((tool) => ({ name: tool.name, tool })))(
    'describe every property and set every hint: $name',
    ({ tool }) => {
      expect(undescribed(tool.inputSchema)).toEqual([]);
      expect(undescribed(tool.outputSchema ?? {})).toEqual([]);
      expect(open(tool.inputSchema)).toEqual([]);
      expect(Object.keys(tool.annotations).toSorted()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ]);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema ?? { type: 'object' }).toMatchObject({ type: 'object' });
      expect(JSON.stringify(tool)).not.toContain('$ref');
    },
  );

  test('of the lookup tools have an example that their schemas accept', () => {
    const ajv = new Ajv2020();
    const withExamples = tools.flatMap((tool) =>
      tool.examples === undefined ? [] : [{ ...tool, examples: tool.examples }],
    );
    expect(withExamples.map(({ name }) => name)).toEqual(toolSet('lookup').map(({ name }) => name));
    for (const { name, inputSchema, outputSchema = {}, examples } of withExamples) {
      expect(ajv.validate(inputSchema, examples.request['params']), name).toBe(true);
      expect(ajv.validate(outputSchema, examples.response), name).toBe(true);
      expect(examples.request['method']).toBe(name);
    }
  });

  test('begin with what a tool does, and only tools that begin a session say when to use them', () => {
    for (const { name, description } of tools) {
      const [first = '', ...more] = description.split(/(?<=[.;:])\s/);
      // The first sentence begins with a verb such as "Returns". Advice such as "Call it when …" comes later.
      expect(first, name).toMatch(/^[A-Z][a-z]+s /);
      expect(first, name).not.toMatch(/\b(call|use) (it|this)\b/i);
      expect(more.join(' '), name).not.toMatch(/\bcall it (first|before (anything|everything))/i);
    }
    const begins = tools.filter(({ description }) => /\bat the start\b|^Starts /.test(description));
    expect(begins.map(({ name }) => name)).toEqual(['workflow_next', 'start_session']);
  });

  test('use few tokens', () => {
    const tokensOf = (shown: typeof tools): number =>
      shown
        .map(({ name, description, inputSchema }) => JSON.stringify({ name, description, inputSchema }))
        .reduce((sum, text) => sum + countTokens(text), 0);
    expect(tokensOf(tools)).toBeLessThan(3000);
    expect(tokensOf(toolSet('lookup'))).toBeLessThan(800);
  });

  test('mark tools that only read, and tools that can be called again with the same arguments', () => {
    const namesOf = (holds: (hints: Tool['annotations']) => boolean) =>
      tools.filter(({ annotations }) => holds(annotations)).map(({ name }) => name);
    expect(namesOf(({ readOnlyHint }) => !readOnlyHint)).toEqual([
      'start_session',
      'next_activity',
      'yield_checkpoint',
      'present_checkpoint',
      'respond_checkpoint',
      'collect_evidence',
      'park',
    ]);
    expect(namesOf(({ idempotentHint }) => !idempotentHint)).toEqual(['start_session']);
    expect(namesOf(({ destructiveHint }) => destructiveHint)).toEqual([]);
    // It runs commands of the project.
    expect(namesOf(({ openWorldHint }) => openWorldHint)).toEqual(['collect_evidence']);
  });

  test('tell Claude Code which tools to load immediately', async () => {
    const session = serve([]);
    await session.open();
    const { result } = await session.request('tools/list');
    const listed = result?.['tools'] as readonly { name: string; _meta?: object }[];
    const hinted = listed.flatMap(({ name, _meta: meta }) => (meta === undefined ? [] : [{ name, meta }]));
    const meta = { 'anthropic/alwaysLoad': true };
    expect(hinted).toEqual([
      { name: 'discover', meta },
      { name: 'start_session', meta },
      { name: 'next_activity', meta },
    ]);
  });

  test('include the tool for each internal call', () => {
    const names = new Set(toolSet('extended').map(({ name }) => name));
    expect(Object.values(callKinds).filter(({ tool }) => !names.has(tool))).toEqual([]);
  });

  test.each([
    { set: 'lookup', first: 'workflow_list', count: 5 },
    { set: 'sessions', first: 'discover', count: 17 },
    { set: 'all', first: 'workflow_list', count: 22 },
    { set: 'extended', first: 'workflow_list', count: 24 },
  ] as const)(
    'of the set $set are $count tools, with instructions of at most 1 KB and 250 tokens',
    ({ set, first, count }) => {
      expect(toolSet(set)).toHaveLength(count);
      expect(toolSet(set)[0]?.name).toBe(first);
      const instructions = instructionsFor(toolSet(set));
      expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(1024);
      expect(countTokens(instructions)).toBeLessThan(250);
      expect(instructions).not.toMatch(/orchestrator|worker|handle\b|child/i);
      expect(instructions.includes('workflow_next')).toBe(set !== 'sessions');
      expect(instructions.includes('start_session')).toBe(set !== 'lookup');
    },
  );

  /** Returns the paths of objects that allow properties other than the named ones. */
  function open(schema: object, path = ''): readonly string[] {
    const { properties, items, additionalProperties } = schema as {
      properties?: Record<string, object>;
      items?: object;
      additionalProperties?: boolean;
    };
    return [
      ...(properties !== undefined && additionalProperties !== false ? [path] : []),
      ...Object.entries(properties ?? {}).flatMap(([key, value]) => open(value, `${path}/${key}`)),
      ...(items === undefined ? [] : open(items, `${path}/items`)),
    ];
  }

  function withoutProse(schema: object): object {
    return JSON.parse(
      JSON.stringify(schema, (key, value: unknown) =>
        key === 'description' && typeof value === 'string' ? undefined : value,
      ),
    ) as object;
  }

  function undescribed(schema: object, path = ''): readonly string[] {
    const { properties = {}, items } = schema as { properties?: Record<string, object>; items?: object };
    const inner = Object.entries(properties).flatMap(([key, value]) => [
      ...('description' in value ? [] : [`${path}/${key}`]),
      ...undescribed(value, `${path}/${key}`),
    ]);
    return [...inner, ...(items === undefined ? [] : undescribed(items, `${path}/items`))];
  }
});
