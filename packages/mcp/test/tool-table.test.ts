import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { tools } from '../src/index.ts';
import pinned from './pins/tools.json' with { type: 'json' };
import { serve } from './streams.ts';

describe('what tools say of themselves', () => {
  test('holds still: names, parameters and their rules', async () => {
    const session = serve([]);
    await session.open();
    const { result } = await session.request('tools/list');
    const listed = result?.['tools'] as readonly { name: string; inputSchema: object }[];
    const pins = listed.map(({ name, inputSchema }) => ({ name, inputSchema: withoutProse(inputSchema) }));
    expect(pins).toEqual(pinned);
  });

  test.each(tools.map((tool) => ({ name: tool.name, tool })))(
    '$name: every property is described, every hint is given',
    ({ tool }) => {
      expect(undescribed(tool.inputSchema)).toEqual([]);
      expect(undescribed(tool.outputSchema)).toEqual([]);
      expect(Object.keys(tool.annotations).toSorted()).toEqual([
        'destructiveHint',
        'idempotentHint',
        'openWorldHint',
        'readOnlyHint',
      ]);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(tool.outputSchema).toMatchObject({ type: 'object' });
      expect(JSON.stringify(tool)).not.toContain('$ref');
    },
  );

  test.each(tools.map((tool) => ({ name: tool.name, tool })))(
    '$name: its example is one its schemas accept',
    ({ tool }) => {
      const ajv = new Ajv2020();
      expect(ajv.validate(tool.inputSchema, tool.examples.request['params'])).toBe(true);
      expect(ajv.validate(tool.outputSchema, tool.examples.response)).toBe(true);
      expect(tool.examples.request['method']).toBe(tool.name);
    },
  );

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
