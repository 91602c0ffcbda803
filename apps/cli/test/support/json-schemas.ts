import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';

const folder = new URL('../../schemas/', import.meta.url);

/** The names of the published schemas: one for the JSON output of each command, and those of shared parts. */
export const schemaNames: readonly string[] = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));

/** Returns the `$id` of a published schema. */
export function schemaIdOf(name: string): string {
  return `https://workflowlookup.dev/schemas/cli/${name}.json`;
}

/** Reads a published schema. */
export function readSchema(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Record<string, unknown>;
}

const ajv = new Ajv2020({ strict: true, allErrors: true, schemas: schemaNames.map(readSchema) });
formats.default(ajv);

/** Returns the problems of a value with a schema, one line each. @throws if the schema does not exist or is invalid */
export function problemsWith(name: string, value: unknown): readonly string[] {
  const validate = ajv.getSchema(schemaIdOf(name));
  if (validate === undefined) throw new Error(`apps/cli/schemas/${name}.json is missing`);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
  );
}

/** Expects that a value matches the schema with this name, such as `sessions-list`. */
function expectMatches(name: string, value: unknown): void {
  expect({ value, problems: problemsWith(name, value) }).toEqual({ value, problems: [] });
}

/** Parses the JSON output of a command, and expects that it matches its schema. */
export function jsonOf(name: string, text: string): unknown {
  const value: unknown = JSON.parse(text);
  expectMatches(name, value);
  return value;
}
