import type { JsonObject } from '@workflowlookup/schema';

/** The drafts of JSON Schema that are understood. */
export type Draft = 'draft-07' | '2019-09' | '2020-12';

const drafts: ReadonlyMap<string, Draft> = new Map([
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
]);

/** The draft that `$schema` names; without one it is 2020-12, and `undefined` is one that is not understood. */
export function draftOf(schema: JsonObject): Draft | undefined {
  const name = schema['$schema'];
  if (name === undefined) return '2020-12';
  return typeof name === 'string'
    ? drafts.get(name.replace(/^https?:\/\//, '').replace(/#$/, ''))
    : undefined;
}
