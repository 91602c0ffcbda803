import type { DefinitionCheck, Issue, Reading } from '@workflowlookup/schema';
import { createReader } from '@workflowlookup/schema';
import { expect } from 'vitest';

/** A value as JSON text. */
export const json = (value: unknown): string => JSON.stringify(value, null, 2);

/** A step with what it needs, and more. */
export const step = (id: string, more: object = {}): object => ({
  id,
  title: `Title of ${id}`,
  prompt: `Do ${id}.`,
  ...more,
});

/** A loop with what it needs, and more. */
export const loop = (id: string, body: unknown, more: object = {}): object => ({
  type: 'loop',
  id,
  title: `Title of ${id}`,
  loop: { type: 'for', count: 2, maxIterations: 5, ...more },
  body,
});

/** A workflow with what it needs, and more. */
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

/** Issues as short lines: `severity pointer line:column message`. */
export const lines = ({ issues }: Reading): readonly string[] =>
  issues.map(
    ({ severity, pointer, line, column, message }: Issue) =>
      `${severity} ${pointer} ${line}:${column} ${message}`,
  );

/** What is said of a text that is not served. */
export async function refusals(reading: Promise<Reading>): Promise<readonly string[]> {
  const { issues, workflow } = await reading;
  expect(workflow).toBeUndefined();
  return issues.map(({ message }) => message);
}
