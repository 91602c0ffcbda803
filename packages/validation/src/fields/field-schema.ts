import type { Field, FieldMap, InnerField, JsonObject } from '@workflowlookup/schema';
import { fieldsIn } from '@workflowlookup/schema';

/**
 * Returns the JSON Schema that an output with these fields must meet. It allows further properties. A required text must also
 * have more than white space, which the schema leaves out to stay short.
 *
 * @example
 * ```ts
 * schemaOfFields([{ id: 'observed', min_length: 40 }]);
 * // { type: 'object', required: ['observed'], properties: { observed: { type: 'string', minLength: 40 } } }
 * ```
 */
export function schemaOfFields(fields: readonly Field[]): JsonObject {
  const required = fields.filter((field) => field.required !== false).map(({ id }) => id);
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(fields.map((field) => [field.id, schemaOf(field)])),
  };
}

function schemaOf(field: InnerField): JsonObject {
  const { description } = field;
  return { ...typeOf(field), ...(description !== undefined && { description }) };
}

function typeOf({ type = 'text', ...field }: InnerField): JsonObject {
  switch (type) {
    case 'text':
      return {
        type: 'string',
        ...(field.min_length !== undefined && { minLength: field.min_length }),
        ...(field.max_length !== undefined && { maxLength: field.max_length }),
      };
    case 'number':
      return {
        type: 'number',
        ...(field.min !== undefined && { minimum: field.min }),
        ...(field.max !== undefined && { maximum: field.max }),
      };
    case 'boolean':
      return { type: 'boolean' };
    case 'choice':
      return { enum: field.options ?? [] };
    case 'list':
      return {
        type: 'array',
        items: itemsOf(field),
        ...(field.min_items !== undefined && { minItems: field.min_items }),
        ...(field.max_items !== undefined && { maxItems: field.max_items }),
      };
    case 'object':
      return field.properties === undefined ? { type: 'object' } : schemaOfFields(fieldsIn(field.properties));
  }
}

function itemsOf({ items = 'text', options }: InnerField): JsonObject {
  if (options !== undefined) return { enum: options };
  return typeof items === 'string'
    ? typeOf({ type: items })
    : schemaOfFields(fieldsIn(items satisfies FieldMap));
}
