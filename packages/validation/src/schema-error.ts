import { showValue } from '@workflowlookup/conditions';
import type { ErrorObject } from 'ajv';

/** What a schema wants at one place of the output, as a line to act on. */
export function schemaRemedy({ instancePath, ...error }: ErrorObject): string {
  const place = instancePath === '' ? 'The JSON value' : `The value at ${shorten(instancePath)}`;
  return `${place} ${wanted(error)}.`;
}

function wanted({
  keyword,
  params,
  message = 'must meet the schema',
}: Omit<ErrorObject, 'instancePath'>): string {
  const detail: unknown = Reflect.get(params, detailOf[keyword] ?? '');
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') {
    return `must not have the property ${showValue(detail)}`;
  }
  if (keyword === 'required') return `must have the property ${showValue(detail)}`;
  if (keyword === 'const') return `must be ${json(detail)}`;
  if (keyword === 'enum' && Array.isArray(detail)) return `must be one of ${detail.map(json).join(', ')}`;
  return keyword === 'false schema' ? 'must not be there' : message;
}

const detailOf: Readonly<Record<string, string>> = {
  additionalProperties: 'additionalProperty',
  unevaluatedProperties: 'unevaluatedProperty',
  required: 'missingProperty',
  const: 'allowedValue',
  enum: 'allowedValues',
};

function json(value: unknown): string {
  return shorten(JSON.stringify(value));
}

function shorten(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
