import type { Json } from '../json.ts';

/** The types of fields. */
export type FieldType = 'text' | 'number' | 'boolean' | 'choice' | 'list' | 'object';

/** A field inside a list or an object: its name is the key. */
export interface InnerField {
  /** Default: `text`. */
  readonly type?: FieldType;
  readonly description?: string;
  /** False if the agent may leave the field out. */
  readonly required?: boolean;
  /** For text: characters, without white space at the ends. */
  readonly min_length?: number;
  readonly max_length?: number;
  /** For number. */
  readonly min?: number;
  readonly max?: number;
  /** For choice: the values to choose from. For list: the values that an item may have. */
  readonly options?: readonly string[];
  /** For list: the type of each item, or its fields by name. Default: `text`. */
  readonly items?: 'text' | 'number' | 'boolean' | FieldMap;
  readonly min_items?: number;
  readonly max_items?: number;
  /** For object: its fields by name. */
  readonly properties?: FieldMap;
  /** A value that a message shows if the field is missing. */
  readonly example?: Json;
}

/** Fields by name: each a type, or a field without an id. */
export type FieldMap = Readonly<Record<string, FieldType | InnerField>>;

/** A field that the output of a step must have (docs/authoring.md#fields). */
export interface Field extends InnerField {
  readonly id: string;
}

/** The fields that a step asks for, and the variables that they set. */
export interface FieldsOfStep {
  readonly fields?: readonly Field[];
  /** A field by variable. */
  readonly sets?: Readonly<Record<string, string>>;
}

/** Returns the fields of a map as a list, each with its name as the id. */
export function fieldsIn(map: FieldMap): readonly Field[] {
  return Object.entries(map).map(([id, field]) =>
    typeof field === 'string' ? { id, type: field } : { ...field, id },
  );
}

/** Returns the type of the variable that can hold a field's value. */
export function variableTypeOf({
  type = 'text',
}: InnerField): 'string' | 'number' | 'boolean' | 'array' | 'object' {
  const types = {
    text: 'string',
    choice: 'string',
    number: 'number',
    boolean: 'boolean',
    list: 'array',
    object: 'object',
  } as const;
  return types[type];
}
