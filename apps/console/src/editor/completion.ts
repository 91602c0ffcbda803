import type { Completion, CompletionSource } from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import type { EditorState } from '@codemirror/state';
import activityWorkflowSchema from '@workflowlookup/schema/schemas/activity-workflow.schema.json' with { type: 'json' };
import activitySchema from '@workflowlookup/schema/schemas/activity.schema.json' with { type: 'json' };
import skillSchema from '@workflowlookup/schema/schemas/skill.schema.json' with { type: 'json' };
import stepWorkflowSchema from '@workflowlookup/schema/schemas/step-workflow.schema.json' with { type: 'json' };
import type { DefinitionFile } from '../contract/index.ts';

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

/**
 * The path to a position in a text. The path consists of keys and of `[]` for list items; the key on the line of the
 * position is separate.
 */
interface CursorPath {
  readonly path: readonly string[];
  /** Absent while the user is typing the key. */
  readonly key?: string;
}

const linePattern = /^(\s*)((?:- +)*)(?:(["']?)([\w$@.-]+)\3\s*:(?=\s|$))?/;

interface Line {
  /** The column after the dashes. */
  readonly column: number;
  readonly dashes: readonly number[];
  readonly key: string | undefined;
}

/**
 * Returns the path at the end of a YAML text. It uses only the indentation, because a text that is being edited is
 * seldom valid.
 */
export function yamlPath(textBefore: string): CursorPath {
  const lines = textBefore.split('\n');
  const last = parseLine(lines.at(-1) ?? '');
  const path: string[] = [];
  let column = addListItems(last, path);
  for (const text of lines.slice(0, -1).toReversed()) {
    if (!/^\s*(#|$)/.test(text)) column = addParent(parseLine(text), column, path);
  }
  return { path, ...(last.key !== undefined && { key: last.key }) };
}

/**
 * Adds the key of a line above the cursor to the path if the line is a parent. Returns the column of the outermost
 * parent so far.
 */
function addParent(line: Line, column: number, path: string[]): number {
  // YAML allows list items at the same indentation as their key.
  const isOver = line.column < column || (path[0] === '[]' && line.column === column);
  if (line.key !== undefined && isOver) path.unshift(line.key);
  else if (line.column !== column || line.dashes.length === 0) return column;
  return addListItems(line, path);
}

/** Adds the list items of a line to the path. Returns the column of the outermost one. */
function addListItems({ dashes, column }: Line, path: string[]): number {
  for (const _ of dashes) path.unshift('[]');
  return dashes[0] ?? column;
}

function parseLine(text: string): Line {
  const [, indent = '', marks = '', , key] = linePattern.exec(text) ?? [];
  const dashes = [...marks].flatMap((char, at) => (char === '-' ? [indent.length + at] : []));
  return { column: indent.length + marks.length, dashes, key };
}

type Node = ReturnType<ReturnType<typeof syntaxTree>['resolveInner']>;

function jsonPath(state: EditorState, at: number): CursorPath {
  const path: string[] = [];
  let key: string | undefined;
  let node: Node | null = syntaxTree(state).resolveInner(at, -1);
  if (node.name === 'PropertyName' && node.parent?.name === 'Property') node = node.parent.parent;
  for (; node !== null; node = node.parent) {
    if (node.name === 'Array') path.unshift('[]');
    if (node.name !== 'Property') continue;
    const name = nameOf(state, node);
    // A value that is not an object or a list yet belongs to the key before it.
    if (path.length === 0 && key === undefined && !isInside(node, at)) key = name;
    else path.unshift(name);
  }
  return { path, ...(key !== undefined && { key }) };
}

function isInside(property: Node, at: number): boolean {
  const value = property.lastChild;
  return (value?.name === 'Object' || value?.name === 'Array') && at > value.from;
}

function nameOf(state: EditorState, property: Node): string {
  const name = property.getChild('PropertyName');
  if (name === null) return '';
  return state.sliceDoc(name.from, name.to).replaceAll('"', '');
}
