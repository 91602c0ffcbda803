import { isJsonObject } from '@workflowlookup/schema';
import type { CodeKeywordDefinition, FuncKeywordDefinition } from 'ajv';
import type { _ as Template } from 'ajv';
import type { Meter } from './meter.ts';
import { spend } from './meter.ts';
import { priceKeyword } from './metered-schema.ts';

/** The keyword that pays for one use of a schema: its price, and the size of the value it is held against. */
export function priceDefinition(meter: Meter, template: typeof Template): CodeKeywordDefinition {
  const pay = (data: unknown, price: number): void => spend(meter, price + sizeOf(data));
  return {
    keyword: priceKeyword,
    schemaType: 'number',
    before: '$ref',
    code({ gen, data, schema }) {
      const name = gen.scopeValue('keyword', { ref: pay });
      gen.code(template`${name}(${data}, ${Number(schema)})`);
    },
  };
}

/** `uniqueItems` in linear time: Ajv's own compares every item with every other. */
export function uniqueItemsDefinition(meter: Meter): FuncKeywordDefinition {
  return {
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    error: { message: 'must NOT have duplicate items' },
    validate: (unique: boolean, items: readonly unknown[]) =>
      !unique ||
      items.length < 2 ||
      new Set(items.map((item) => canonical(item, meter))).size === items.length,
  };
}

function sizeOf(data: unknown): number {
  if (typeof data === 'string') return data.length >> 4;
  if (Array.isArray(data)) return data.length;
  return isJsonObject(data) ? Object.keys(data).length * 4 : 0;
}

// Equal values give the same text whatever the order of their keys.
function canonical(value: unknown, meter: Meter): string {
  spend(meter, 10);
  if (Array.isArray(value)) return paid(`[${value.map((item) => canonical(item, meter)).join(',')}]`, meter);
  if (!isJsonObject(value)) return paid(JSON.stringify(value), meter);
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key], meter)}`);
  return paid(`{${members.join(',')}}`, meter);
}

function paid(text: string, meter: Meter): string {
  spend(meter, text.length >> 2);
  return text;
}
