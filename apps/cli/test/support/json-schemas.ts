import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'vitest';

const folder = new URL('../../schemas/', import.meta.url);

/** The names of the published schemas: what `--json` of a command prints, and the parts they share. */
export const schemaNames: readonly string[] = readdirSync(folder).map((file) => file.replace(/\.json$/, ''));

/** Where a published schema says it is found. */
export function schemaIdOf(name: string): string {
  return `https://workflowlookup.dev/schemas/cli/${name}.json`;
}

/** A published schema, as it is read. */
export function readSchema(name: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Record<string, unknown>;
}

const ajv = new Ajv2020({ strict: true, allErrors: true, schemas: schemaNames.map(readSchema) });
formats.default(ajv);

/** What a schema has against a value, one line each. @throws where there is no such schema, or it is none */
export function problemsWith(name: string, value: unknown): readonly string[] {
  const validate = ajv.getSchema(schemaIdOf(name));
  if (validate === undefined) throw new Error(`apps/cli/schemas/${name}.json is missing`);
  if (validate(value) === true) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || '/'} ${message} ${JSON.stringify(params)}`,
  );
}

/** Expects a value to be what the schema of a command says, such as `sessions-list`. */
function expectMatches(name: string, value: unknown): void {
  expect({ value, problems: problemsWith(name, value) }).toEqual({ value, problems: [] });
}

/** What a command printed as JSON, once its schema agrees. */
export function jsonOf(name: string, text: string): unknown {
  const value: unknown = JSON.parse(text);
  expectMatches(name, value);
  return value;
}
