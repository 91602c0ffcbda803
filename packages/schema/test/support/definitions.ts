import type { DefinitionCheck, Issue, Reading } from '@workflowlookup/schema';
import { createReader } from '@workflowlookup/schema';
import { expect } from 'vitest';

/** Returns a value as JSON. */
export const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** Returns a step with all required fields. `more` adds or replaces fields. */
export const step = (id: string, more: object = {}): object => ({
  id,
  title: `Title of ${id}`,
  prompt: `Do ${id}.`,
  ...more,
});

/** Returns a loop with all required fields. `more` adds or replaces fields. */
export const loop = (id: string, body: unknown, more: object = {}): object => ({
  type: 'loop',
  id,
  title: `Title of ${id}`,
  loop: { type: 'for', count: 2, maxIterations: 5, ...more },
  body,
});

/** Returns a step workflow with all required fields. `more` adds or replaces fields. */
export const definition = (more: object = {}): object => ({
  id: 'a-flow',
  name: 'A flow',
  description: 'For tests.',
  version: '1.0.0',
  steps: [step('plan')],
  ...more,
});

/** Reads a text, or a value as JSON. */
export function read(source: unknown, checks: readonly DefinitionCheck[] = []): Promise<Reading> {
  const text = typeof source === 'string' ? source : json(source);
  return createReader({ checks })({ text, format: 'json' });
}

/** Reads a YAML text. */
export const readYaml = (text: string): Promise<Reading> => createReader()({ text, format: 'yaml' });

/** Returns issues in the form `severity pointer line:column message`. */
export const lines = ({ issues }: Reading): readonly string[] =>
  issues.map(
    ({ severity, pointer, line, column, message }: Issue) =>
      `${severity} ${pointer} ${line}:${column} ${message}`,
  );

/** Returns the issues of a text, and expects that it is not served. */
export async function refusals(reading: Promise<Reading>): Promise<readonly string[]> {
  const { issues, workflow } = await reading;
  expect(workflow).toBeUndefined();
  return issues.map(({ message }) => message);
}
