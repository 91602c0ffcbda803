import type { Json, JsonObject } from './json.ts';

/** A short linear procedure of a skill, referred to as `skill::operation`. */
export interface Operation {
  readonly description: string;
  /** What it is given and gives: lists of `{name: meaning}`, or an object of the same. */
  readonly inputs?: Json;
  readonly output?: Json;
  readonly procedure?: readonly string[];
  /** Names of the tools used, by server or kind. */
  readonly tools?: JsonObject;
  /** References as {@link findResource} takes them. */
  readonly resources?: readonly string[];
  /** What can go wrong, by name: usually `{cause, recovery}`. */
  readonly errors?: JsonObject;
  readonly rules?: JsonObject;
  readonly prose?: string;
  readonly note?: string;
}

/** A container of operations, rules and errors, as its author wrote it (docs/authoring.md#skills). */
export interface Skill {
  readonly id: string;
  readonly version: string;
  readonly capability: string;
  readonly description?: string;
  /** Rules by name: text, or a list of texts. */
  readonly rules?: JsonObject;
  /** What can go wrong, by name: usually `{cause, recovery}`. */
  readonly errors?: JsonObject;
  /** References as {@link findResource} takes them. */
  readonly resources?: readonly string[];
  readonly operations?: { readonly [name: string]: Operation };
  readonly inputs?: Json;
  /** Instructions by phase. */
  readonly protocol?: JsonObject;
  readonly output?: Json;
}
