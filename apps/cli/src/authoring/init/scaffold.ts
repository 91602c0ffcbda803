import { posix } from 'node:path';
import { jsonSchemas } from '@workflowlookup/schema';
import { stringify } from 'yaml';
import type { Files } from '../../files.ts';
import type { Template } from './templates.ts';

/** The files of a new workflow, and the JSON Schemas that let editors check and complete them offline. */
export interface Scaffold {
  readonly definitions: Files;
  readonly schemas: Files;
}

type SchemaName = keyof typeof jsonSchemas;

/** Servers ignore a folder whose name begins with a dot. */
const schemaFolder = '.schemas';

/** The schemas for each kind of file: its own first, then the ones it refers to. */
const schemasOf: Readonly<Record<Template['kind'], readonly SchemaName[]>> = {
  step: ['step-workflow'],
  activity: ['activity-workflow', 'activity', 'skill', 'resource', 'step-workflow'],
};

export function scaffold(
  { kind, files }: Template,
  { id, title }: { readonly id: string; readonly title: string },
): Scaffold {
  const made = Object.entries(files({ id: asYaml(id), title: asYaml(title) }));
  const definitions = made.map(([name, text]) => {
    const path = kind === 'activity' ? posix.join(id, name) : `${id}.yaml`;
    return [path, `$schema: ${pathToSchema(path, schemaFor(kind, name))}\n${text}`] as const;
  });
  const schemas = schemasOf[kind].map(
    (name) => [schemaPath(name), `${JSON.stringify(jsonSchemas[name], undefined, 2)}\n`] as const,
  );
  return { definitions: new Map(definitions), schemas: new Map(schemas) };
}

function asYaml(text: string): string {
  return stringify(text, { lineWidth: 0 }).trim();
}

function schemaFor(kind: Template['kind'], file: string): SchemaName {
  if (kind === 'step') return 'step-workflow';
  if (file.startsWith('activities/')) return 'activity';
  return file.startsWith('skills/') ? 'skill' : 'activity-workflow';
}

function pathToSchema(from: string, name: SchemaName): string {
  const path = posix.relative(posix.dirname(from), schemaPath(name));
  return path.startsWith('.') && !path.startsWith(schemaFolder) ? path : `./${path}`;
}

function schemaPath(name: SchemaName): string {
  return posix.join(schemaFolder, `${name}.schema.json`);
}
