import { join, posix, resolve } from 'node:path';
import type { HostOptions } from '@workflowlookup/host';
import { bundledDirectory, createHost, sourcesOf } from '@workflowlookup/host';
import { isWorkflowId, jsonSchemas, WorkflowError } from '@workflowlookup/schema';
import { stringify } from 'yaml';
import type { CommandContext, ExitCode } from '../../commands/command-line.ts';
import type { Files } from '../../files.ts';
import { nameOf, textOf, writeNewFiles } from '../../files.ts';
import { initMessages } from '../../messages/authoring.ts';
import { trustMessages } from '../../messages/definitions.ts';
import { hostOptionsOf } from '../../open-host.ts';
import { plainLine } from '../../terminal/plain-text.ts';
import { agrees } from '../../terminal/terminal.ts';
import type { Template } from './templates.ts';
import { templates, workflowText } from './templates.ts';

/** Creates a new workflow from a template. At a terminal, asks for what the flags leave open. */
export async function init(
  context: CommandContext,
  directory = 'workflows',
  flags: InitFlags = {},
): Promise<ExitCode> {
  const plan = await planFrom(context, flags);
  const place = resolve(directory);
  const options = await hostOptionsOf(context, {});
  const { isServed, overrides, waits } = await neighbours(options, place, plan.id);
  const { definitions, schemas } = scaffold(plan);
  const newSchemas = await missingOf(place, schemas);
  await writeNewFiles(place, new Map([...definitions, ...newSchemas.missing]));
  const trust = isServed ? await offerTrust(context, options, place) : 'not needed';
  const files = [...definitions.keys()].map((file) => nameOf(join(place, file)));
  const made = {
    id: plan.id,
    kind: plan.template.kind,
    template: plan.template.name,
    files,
    schemas: [...newSchemas.missing.keys()].map((file) => nameOf(join(place, file))),
    isServed: isServed && trust !== 'missing' && !waits,
    // Absent if the folder needs no trust.
    isTrusted: trust === 'not needed' ? undefined : trust === 'given',
    // The source of the workflow that this one replaces.
    overrides,
  };
  const code = await context.answer(made, () => {
    const { addSource, awaitsTrust, overrides: overriding, served, trustToServe } = initMessages;
    const notServed = made.isTrusted === false ? trustToServe : addSource;
    return [
      initMessages.made(plan.id),
      ...files.map((file) => `  ${plainLine(file)}`),
      ...(overrides === undefined ? [] : [(waits ? awaitsTrust : overriding)(overrides)]),
      ...(waits ? [] : [made.isServed ? served(plan.id) : notServed(plainLine(directory))]),
    ].join('\n');
  });
  for (const file of newSchemas.others) {
    await context.terminal.warn(`${initMessages.otherSchema(nameOf(join(place, file)))}\n`);
  }
  return code;
}

async function planFrom({ terminal }: CommandContext, flags: InitFlags): Promise<InitPlan> {
  if (flags.id !== undefined) return planOf({ ...flags, id: flags.id });
  if (terminal.isInteractive) return (await import('./questions.ts')).askPlan(flags);
  throw new WorkflowError('INVALID_INPUT', initMessages.nameId);
}

/**
 * Offers to trust the project folder that the workflow was created in, so that its author is not asked after each
 * save. If the folder has definitions from other people, the person must review each of them with `trust` instead.
 */
async function offerTrust(
  { terminal }: CommandContext,
  options: HostOptions,
  place: string,
): Promise<'given' | 'missing' | 'not needed'> {
  const host = createHost(options);
  try {
    const source = host.sources.find(({ directory }) => directory === place);
    if (source?.isProject !== true || options.trustProject === true) return 'not needed';
    if (host.trust.isFolderTrusted(place)) return 'given';
    const held = (await host.definitions.untrusted()).filter((one) => one.source === source.name);
    if (!terminal.isInteractive || held.length !== 1) return 'missing';
    await terminal.warn(`${initMessages.trustFolder(plainLine(nameOf(place)))}\n`);
    if (!(await agrees(terminal, trustMessages.folderQuestion))) return 'missing';
    host.trust.trustFolder(place, host.person);
    return 'given';
  } finally {
    await host.close();
  }
}

/**
 * Returns what already exists beside the new workflow, and whether a workflow from a more trusted source is served
 * until a person agrees to replace it.
 *
 * @throws WorkflowError INVALID_INPUT if the id is taken
 */
async function neighbours(
  options: HostOptions,
  place: string,
  id: string,
): Promise<{ readonly isServed: boolean; readonly overrides: string | undefined; readonly waits: boolean }> {
  const source = sourcesOf(options, bundledDirectory()).find(({ directory }) => directory === place);
  const host = createHost({ ...options, directories: [...(options.directories ?? []), place] });
  try {
    const reports = (await host.definitions.sources()).toReversed();
    const [own, ...others] = reports;
    const broken = own?.problems.find((problem) => problem.id === id && problem.severity === 'error');
    const file = own?.files.get(id) ?? broken?.file;
    if (file !== undefined) {
      const name = nameOf(join(place, file));
      throw new WorkflowError('CONFLICT', initMessages.idTaken(id, name));
    }
    const overrides = others.find(({ files }) => files.has(id))?.name;
    const waits = source?.isProject === true && overrides !== undefined;
    return { isServed: source !== undefined, waits, overrides };
  } finally {
    await host.close();
  }
}

/** Splits the schemas into those that don't exist yet and those that exist with a different content. */
async function missingOf(
  place: string,
  schemas: Files,
): Promise<{ readonly missing: Files; readonly others: readonly string[] }> {
  const there = await Promise.all(
    Array.from(schemas, async ([file, text]) => ({ file, text, now: await textOf(join(place, file)) })),
  );
  const missing = there.filter(({ now }) => now === undefined).map(({ file, text }) => [file, text] as const);
  const others = there.filter(({ text, now }) => now !== undefined && now !== text).map(({ file }) => file);
  return { missing: new Map(missing), others };
}

export interface InitFlags {
  readonly kind?: Template['kind'];
  readonly template?: string;
  readonly id?: string;
  readonly title?: string;
}

export interface InitPlan {
  readonly template: Template;
  readonly id: string;
  readonly title: string;
}

/** Completes the flags with defaults: a step workflow from the first template. */
function planOf({ kind, template, id, title }: InitFlags & { readonly id: string }): InitPlan {
  const wrong = wrongId(id) ?? (title === undefined ? undefined : wrongTitle(title));
  if (wrong !== undefined) throw new WorkflowError('INVALID_INPUT', wrong);
  return { template: templateOf(kind ?? 'step', template), id, title: title ?? titleFrom(id) };
}

/**
 * Returns the template with this name, or the first one of its kind.
 *
 * @throws WorkflowError INVALID_INPUT
 */
export function templateOf(kind: Template['kind'], name: string | undefined): Template {
  const ofKind = templates.filter((template) => template.kind === kind);
  const found = ofKind.find((template) => name === undefined || template.name === name);
  if (found !== undefined) return found;
  const names = ofKind.map((template) => template.name).join(', ');
  const message = initMessages.noTemplate(name ?? '', names);
  throw new WorkflowError('INVALID_INPUT', message);
}

/** Returns what is wrong with an id, or `undefined`. */
export function wrongId(id: string): string | undefined {
  return isWorkflowId(id) ? undefined : initMessages.invalidId(id);
}

/** Returns what is wrong with a title, or `undefined`. */
export function wrongTitle(title: string): string | undefined {
  const isRight = title.trim() !== '' && [...title].length <= 128 && !/\p{Cc}/u.test(title);
  return isRight ? undefined : initMessages.invalidTitle;
}

/** Returns a title made from an id: `tea-time` becomes "Tea time". */
export function titleFrom(id: string): string {
  const words = id
    .slice(id.indexOf('.') + 1)
    .replaceAll('-', ' ')
    .trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

type SchemaName = keyof typeof jsonSchemas;

/** Servers ignore a folder whose name begins with a dot. */
const schemaFolder = '.schemas';

/** The schemas for each kind of file: its own first, then the ones it refers to. */
const schemasOf: Readonly<Record<Template['kind'], readonly SchemaName[]>> = {
  step: ['step-workflow'],
  activity: ['activity-workflow', 'activity', 'skill', 'resource', 'step-workflow'],
};

/** Returns the files of a new workflow, and the JSON Schemas that let editors check and complete them offline. */
function scaffold({ template, id, title }: InitPlan): {
  readonly definitions: Files;
  readonly schemas: Files;
} {
  const { kind, parts } = template;
  const workflow = workflowText(template, { id: asYaml(id), title: asYaml(title) });
  const definitions = Object.entries({ 'workflow.yaml': workflow, ...parts }).map(([name, text]) => {
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
