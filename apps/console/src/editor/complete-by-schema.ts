import type { Completion, CompletionSource } from '@codemirror/autocomplete';
import type { DefinitionFile } from '../contract.ts';
import { jsonPath } from './json-path.ts';
import type { Schema } from './schema-of.ts';
import { schemaOf, schemasAt } from './schema-of.ts';
import { yamlPath } from './yaml-path.ts';

/** Completes keys and values by the JSON Schema of the file, each with its description. */
export function completeBySchema(file: string, notation: DefinitionFile['notation']): CompletionSource {
  const root = schemaOf(file);
  return ({ state, pos, explicit }) => {
    if (root === undefined || (notation !== 'json' && notation !== 'yaml')) return null;
    const word = /[\w$-]*$/.exec(state.sliceDoc(Math.max(0, pos - 64), pos))?.[0] ?? '';
    if (word === '' && !explicit) return null;
    const isJson = notation === 'json';
    const { path, key } = isJson ? jsonPath(state, pos) : yamlPath(state.sliceDoc(0, pos));
    const options =
      key === undefined
        ? keysOf(schemasAt(root, path), isJson)
        : valuesOf(schemasAt(root, [...path, key]), isJson);
    return options.length === 0 ? null : { from: pos - word.length, options, validFor: /^[\w$-]*$/ };
  };
}

function keysOf(schemas: readonly Schema[], isJson: boolean): readonly Completion[] {
  const found = new Map<string, Completion>();
  for (const { properties = {} } of schemas)
    for (const [label, { description }] of Object.entries(properties)) {
      if (found.has(label)) continue;
      const apply = isJson ? label : `${label}: `;
      found.set(label, {
        label,
        type: 'property',
        apply,
        ...(description !== undefined && { info: description }),
      });
    }
  return [...found.values()];
}

function valuesOf(schemas: readonly Schema[], isJson: boolean): readonly Completion[] {
  const values = new Set(
    schemas.flatMap(({ enum: listed = [], const: only, type }) => [
      ...listed,
      ...(only === undefined ? [] : [only]),
      ...(type === 'boolean' ? [true, false] : []),
    ]),
  );
  return [...values].map((value) => ({
    label: String(value),
    type: 'enum',
    apply: isJson && typeof value === 'string' ? JSON.stringify(value).slice(1, -1) : String(value),
  }));
}
