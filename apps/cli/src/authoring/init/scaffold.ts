import { posix } from 'node:path';
import { jsonSchemas } from '@workflowlookup/schema';
import { stringify } from 'yaml';
import type { Files } from '../../write-files.ts';
import type { Template } from './template.ts';

/** The files of a new workflow, and the schemas they name, by which editors check and complete them without a network. */
export interface Scaffold {
  readonly definitions: Files;
  readonly schemas: Files;
}

type SchemaName = keyof typeof jsonSchemas;

/** A folder that servers leave out. */
const schemaFolder = '.schemas';

/** What each kind of file needs: its own schema first, then those that this one refers to. */
const schemasOf: Readonly<Record<Template['kind'], readonly SchemaName[]>> = {
  step: ['step-workflow'],
  activity: ['activity-workflow', 'activity', 'skill', 'resource', 'step-workflow'],
};

/** Makes a workflow from a template. */
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
