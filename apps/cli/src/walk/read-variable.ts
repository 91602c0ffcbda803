import type { TaskVariable } from '@workflowlookup/core';
import type { Json } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import { readJson } from './read-json.ts';

/** The value of a variable as somebody typed it: a string as it is, anything else as JSON. @throws WorkflowError INVALID_PARAMS */
export function readVariable({ name, type }: Pick<TaskVariable, 'name' | 'type'>, typed: string): Json {
  if (type === 'string') return typed;
  const value = readJson(typed);
  const found = Array.isArray(value) ? 'array' : typeof value;
  if (value !== undefined && (value === null || found === type)) return value;
  throw new WorkflowError(
    'INVALID_PARAMS',
    `'${name}' is of type ${type}: write it as JSON, such as ${examples[type] ?? '{}'}.`,
  );
}

const examples: Readonly<Record<string, string>> = {
  array: '["a", "b"]',
  boolean: 'true',
  number: '3',
  object: '{"a": 1}',
};
