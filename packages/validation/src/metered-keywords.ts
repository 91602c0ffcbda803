import type { Meter } from '@workflowlookup/schema';
import { isJsonObject, spend } from '@workflowlookup/schema';
import type { CodeKeywordDefinition, FuncKeywordDefinition, _ as Template } from 'ajv';
import { priceKeyword } from './metered-schema.ts';
import type { Price } from './metered-schema.ts';
import type { Draft } from './draft.ts';

/**
 * The keyword that pays for one use of a schema: its price, and the size of the value it is held against. It
 * stands before every other keyword of the draft, so that nothing is done on credit.
 */
export function priceDefinition(
  meter: Meter,
  draft: Draft,
  template: typeof Template,
): CodeKeywordDefinition {
  const pay = (data: unknown, { use, perKey }: Price): void => spend(meter, use + sizeOf(data, perKey));
  return {
    keyword: priceKeyword,
    before: draft === 'draft-07' ? '$ref' : '$dynamicAnchor',
    code({ gen, data, schemaValue }) {
      const name = gen.scopeValue('keyword', { ref: pay });
      gen.code(template`${name}(${data}, ${schemaValue})`);
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

function sizeOf(data: unknown, perKey: number): number {
  if (typeof data === 'string') return data.length >> 4;
  if (Array.isArray(data)) return data.length;
  return perKey > 0 && isJsonObject(data) ? Object.keys(data).length * perKey : 0;
}

// Equal values give the same text whatever the order of their keys.
function canonical(value: unknown, meter: Meter): string {
  spend(meter, 40);
  if (Array.isArray(value)) return paid(`[${value.map((item) => canonical(item, meter)).join(',')}]`, meter);
  if (!isJsonObject(value)) return paid(JSON.stringify(value), meter);
  const members = Object.keys(value)
    .toSorted()
    .map((key) => `${JSON.stringify(key)}:${canonical(value[key], meter)}`);
  return paid(`{${members.join(',')}}`, meter);
}

function paid(text: string, meter: Meter): string {
  spend(meter, text.length);
  return text;
}
