import type { Json } from '@workflowlookup/schema';
import type { WorkflowDetail } from '../contract.ts';

const empties: Readonly<Record<string, Json>> = {
  string: '',
  number: 0,
  boolean: false,
  array: [],
  object: {},
};

/** Variables to begin with: each declared one with its default, or the empty value of its type. */
export function exampleContext({ variables }: WorkflowDetail['outline']): string {
  const values = variables.map(({ name, type, default: value }) => [name, value ?? empties[type] ?? null]);
  return JSON.stringify(Object.fromEntries(values), null, 2);
}
