import activitySchema from '@workflowlookup/schema/schemas/activity.schema.json' with { type: 'json' };
import activityWorkflowSchema from '@workflowlookup/schema/schemas/activity-workflow.schema.json' with { type: 'json' };
import skillSchema from '@workflowlookup/schema/schemas/skill.schema.json' with { type: 'json' };
import stepWorkflowSchema from '@workflowlookup/schema/schemas/step-workflow.schema.json' with { type: 'json' };
import type { Completion, CompletionSource } from '@codemirror/autocomplete';
import type { DefinitionFile } from '../contract.ts';
import { jsonPath, yamlPath } from './cursor-path.ts';

/** Returns a completion source for keys and values, with descriptions, from the JSON Schema of the file. */
export function schemaCompletion(file: string, notation: DefinitionFile['notation']): CompletionSource {
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

/** The part of JSON Schema that completion uses. */
interface Schema {
  readonly $id?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string | readonly string[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly [keyword: string]: unknown;
}

const folders: readonly (readonly [RegExp, Schema])[] = [
  [/(^|\/)workflow\.\w+$/, activityWorkflowSchema],
  [/(^|\/)activities\/[^/]+$/, activitySchema],
  [/(^|\/)skills\/[^/]+$/, skillSchema],
  [/^[^/]+$/, stepWorkflowSchema],
];

const byId = new Map<string | undefined, Schema>(folders.map(([, schema]) => [schema.$id, schema]));

/** Returns the schema of a file by its path in the source, or `undefined` if the path has none. */
function schemaOf(file: string): Schema | undefined {
  return folders.find(([pattern]) => pattern.test(file))?.[1];
}

/** Returns every schema that may apply at a path from the root. `[]` in the path is an item of a list. */
function schemasAt(root: Schema, path: readonly string[]): readonly Schema[] {
  return path
    .reduce<readonly LocatedSchema[]>(
      (schemas, key) =>
        schemas.flatMap(({ schema, document }) => {
          const next = key === '[]' ? schema.items : schema.properties?.[key];
          return next === undefined ? [] : expandSchema({ schema: next, document });
        }),
      expandSchema({ schema: root, document: root }),
    )
    .map(({ schema }) => schema);
}

interface LocatedSchema {
  readonly schema: Schema;
  /** The document that the schema's references are relative to. */
  readonly document: Schema;
}

function expandSchema(
  { schema, document }: LocatedSchema,
  seen: ReadonlySet<Schema> = new Set(),
): readonly LocatedSchema[] {
  if (seen.has(schema)) return [];
  const known = new Set([...seen, schema]);
  const { $ref, allOf = [], anyOf = [], oneOf = [], then, else: other } = schema;
  const parts = [...allOf, ...anyOf, ...oneOf, then, other].flatMap((part) =>
    part === undefined ? [] : expandSchema({ schema: part, document }, known),
  );
  const referred = $ref === undefined ? undefined : resolveRef($ref, document);
  return [{ schema, document }, ...parts, ...(referred === undefined ? [] : expandSchema(referred, known))];
}

function resolveRef(ref: string, base: Schema): LocatedSchema | undefined {
  const [file = '', pointer = ''] = ref.split('#');
  const found = file === '' ? base : byId.get(new URL(file, base.$id).href);
  const name = pointer.replace('/$defs/', '');
  const schema = name === '' ? found : found?.$defs?.[name];
  return schema === undefined || found === undefined ? undefined : { schema, document: found };
}
