import type { Json } from '@workflowlookup/schema';

/** Keys and indexes that lead to a place of a document. */
export type Path = readonly (string | number)[];

/** One change of a document, and what it is for. */
export interface Change {
  readonly path: Path;
  readonly edit: Edit;
  /** What changes, for people; absent where another change says it. */
  readonly what?: string;
}

/** What becomes of the property at a place: it goes, has another value, or another name. */
export type Edit =
  | { readonly kind: 'remove' }
  | { readonly kind: 'set'; readonly value: Json }
  | { readonly kind: 'rename'; readonly to: string };
