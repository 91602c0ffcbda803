import activitySchema from '@workflowlookup/schema/schemas/activity.schema.json' with { type: 'json' };
import activityWorkflowSchema from '@workflowlookup/schema/schemas/activity-workflow.schema.json' with { type: 'json' };
import skillSchema from '@workflowlookup/schema/schemas/skill.schema.json' with { type: 'json' };
import stepWorkflowSchema from '@workflowlookup/schema/schemas/step-workflow.schema.json' with { type: 'json' };

/** As much of JSON Schema as completing needs. */
export interface Schema {
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

/** What a file is to be, by where it stands in its source; absent where nothing is known of it. */
export function schemaOf(file: string): Schema | undefined {
  return folders.find(([pattern]) => pattern.test(file))?.[1];
}

/** All that may stand at a path from the root, whichever way the text turns out; `[]` is an item of a list. */
export function schemasAt(root: Schema, path: readonly string[]): readonly Schema[] {
  return path
    .reduce<readonly Placed[]>(
      (places, key) =>
        places.flatMap(({ schema, home }) => {
          const next = key === '[]' ? schema.items : schema.properties?.[key];
          return next === undefined ? [] : spread({ schema: next, home });
        }),
      spread({ schema: root, home: root }),
    )
    .map(({ schema }) => schema);
}

interface Placed {
  readonly schema: Schema;
  /** The document it stands in. */
  readonly home: Schema;
}

/** A schema and all those it is made of. */
function spread({ schema, home }: Placed, seen: ReadonlySet<Schema> = new Set()): readonly Placed[] {
  if (seen.has(schema)) return [];
  const known = new Set([...seen, schema]);
  const { $ref, allOf = [], anyOf = [], oneOf = [], then, else: other } = schema;
  const parts = [...allOf, ...anyOf, ...oneOf, then, other].flatMap((part) =>
    part === undefined ? [] : spread({ schema: part, home }, known),
  );
  const referred = $ref === undefined ? undefined : resolve($ref, home);
  return [{ schema, home }, ...parts, ...(referred === undefined ? [] : spread(referred, known))];
}

function resolve(ref: string, home: Schema): Placed | undefined {
  const [document = '', pointer = ''] = ref.split('#');
  const found = document === '' ? home : byId.get(new URL(document, home.$id).href);
  const name = pointer.replace('/$defs/', '');
  const schema = name === '' ? found : found?.$defs?.[name];
  return schema === undefined || found === undefined ? undefined : { schema, home: found };
}
