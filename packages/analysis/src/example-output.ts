import type { Json, JsonObject } from '@workflowlookup/schema';

const exampleText = 'An example text.';

/**
 * Returns an example of a value that a JSON Schema of fields accepts. With `pick`, it chooses another option where there
 * are several.
 */
export function exampleOf(schema: JsonObject, pick = 0): Json {
  const { type, enum: values, minLength, maxLength, minimum, maximum, minItems, properties, items } = schema;
  if (Array.isArray(values)) return values[pick % Math.max(1, values.length)] ?? '';
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries((properties ?? {}) as Record<string, JsonObject>).map(([key, one]) => [
          key,
          exampleOf(one, pick),
        ]),
      );
    case 'array':
      return Array.from({ length: Math.max(1, Number(minItems ?? 1)) }, () =>
        exampleOf((items ?? {}) as JsonObject, pick),
      );
    case 'number':
      return Number(minimum ?? Math.min(1, Number(maximum ?? 1)));
    case 'boolean':
      return pick % 2 === 0;
    default: {
      const least = Number(minLength ?? 0);
      const count = Math.max(1, Math.ceil((least + 1) / (exampleText.length + 1)));
      const text = Array.from({ length: count }, () => exampleText).join(' ');
      // Spaces at the end may not count, and the text must not get shorter.
      return text.slice(0, Number(maxLength ?? text.length)).replace(/ $/, '.');
    }
  }
}
