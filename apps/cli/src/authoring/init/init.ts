import { join, resolve } from 'node:path';
import type { HostOptions } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine } from '../../command-line.ts';
import { hostOptionsOf } from '../../definitions/host-options.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { exitCodes } from '../../exit-codes.ts';
import { createOutput } from '../../output.ts';
import { plainLine } from '../../plain-text.ts';
import { nameOf } from '../name-of.ts';
import type { InitFlags, InitPlan } from './init-plan.ts';
import { planOf } from './init-plan.ts';
import { scaffold } from './scaffold.ts';
import type { Files } from '../../write-files.ts';
import { textOf, writeNewFiles } from '../../write-files.ts';

/** Makes a new workflow from a template; asks for what the flags leave open where somebody can be asked. */
export async function init(line: CommandLine, directory: string, flags: InitFlags): Promise<ExitCode> {
  const plan = await planFrom(line, flags);
  const place = resolve(directory);
  const options = await hostOptionsOf(line, {});
  const { isServed, overrides, waits } = await neighbours(options, place, plan.id);
  const { definitions, schemas } = scaffold(plan.template, plan);
  const newSchemas = await missingOf(place, schemas);
  await writeNewFiles(place, new Map([...definitions, ...newSchemas.missing]));
  const trust = isServed ? await offerTrust(line, options, place) : 'not needed';
  const files = [...definitions.keys()].map((file) => nameOf(join(place, file)));
  const made = {
    id: plan.id,
    kind: plan.template.kind,
    template: plan.template.name,
    files,
    schemas: [...newSchemas.missing.keys()].map((file) => nameOf(join(place, file))),
    isServed: isServed && trust !== 'missing' && !waits,
    ...(trust !== 'not needed' && { isTrusted: trust === 'given' }),
    ...(overrides !== undefined && { overrides }),
  };
  const output = createOutput(line.terminal, flags.json === true);
  await output.answer(made, () => textOn({ ...made, waits }, directory));
  for (const file of newSchemas.others) {
    await line.terminal.warn(
      `'${nameOf(join(place, file))}' is of another version and was left as it is: remove it and run this again for the current one.\n`,
    );
  }
  return exitCodes.ok;
}

async function planFrom({ terminal }: CommandLine, flags: InitFlags): Promise<InitPlan> {
  if (flags.id !== undefined) return planOf({ ...flags, id: flags.id });
  if (terminal.isInteractive) return (await import('./ask-plan.ts')).askPlan(flags);
  throw new WorkflowError(
    'INVALID_PARAMS',
    'Name the workflow, such as --id tea-time: nobody can be asked where standard input is not a terminal.',
  );
}

/**
 * Offers to trust the folder of a project that a workflow was made in, so that its author is not asked after each save.
 * Where others wrote in the folder too, each of their definitions is for `trust` to show.
 */
async function offerTrust(
  { terminal }: CommandLine,
  options: HostOptions,
  place: string,
): Promise<'given' | 'missing' | 'not needed'> {
  const { createHost } = await import('@workflowlookup/host');
  const host = createHost(options);
  try {
    const source = host.sources.find(({ directory }) => directory === place);
    if (source?.isProject !== true || options.trustProject === true) return 'not needed';
    if (host.trust.isFolderTrusted(place)) return 'given';
    const held = (await host.definitions.untrusted()).filter((one) => one.source === source.name);
    if (!terminal.isInteractive || held.length !== 1) return 'missing';
    const question = `Agents get only definitions that a person trusts. Trust everything in '${plainLine(nameOf(place))}', now and after each change (except what replaces a bundled workflow or one in your home)? (y/N) `;
    if (!/^y(es)?$/i.test((await terminal.ask(question)) ?? '')) return 'missing';
    host.trust.trustFolder(place, host.person);
    return 'given';
  } finally {
    await host.close();
  }
}

/**
 * What is there beside the new workflow, and whether one of a more trusted source is served until a person agrees to
 * replace it. @throws WorkflowError INVALID_PARAMS where the id is taken */
async function neighbours(
  options: HostOptions,
  place: string,
  id: string,
): Promise<{ readonly isServed: boolean; readonly overrides?: string; readonly waits: boolean }> {
  const { createHost, bundledDirectory, sourcesOf } = await import('@workflowlookup/host');
  const source = sourcesOf(options, bundledDirectory()).find(({ directory }) => directory === place);
  const host = createHost({ ...options, directories: [...(options.directories ?? []), place] });
  try {
    const reports = (await host.definitions.sources()).toReversed();
    const [own, ...others] = reports;
    const broken = own?.problems.find((problem) => problem.id === id && problem.severity === 'error');
    const file = own?.files.get(id) ?? broken?.file;
    if (file !== undefined) {
      const name = nameOf(join(place, file));
      throw new WorkflowError(
        'INVALID_PARAMS',
        `'${id}' is the id of '${name}' already. Nothing was written.`,
      );
    }
    const overrides = others.find(({ files }) => files.has(id))?.name;
    const waits = source?.isProject === true && overrides !== undefined;
    return { isServed: source !== undefined, waits, ...(overrides !== undefined && { overrides }) };
  } finally {
    await host.close();
  }
}

/** The schemas that are not there yet, and those that are there and say something else. */
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

function textOn(
  {
    id,
    files,
    isServed,
    isTrusted,
    overrides,
    waits,
  }: Pick<InitPlan, 'id'> & {
    readonly files: readonly string[];
    readonly isServed: boolean;
    readonly isTrusted?: boolean;
    readonly overrides?: string;
    readonly waits: boolean;
  },
  directory: string,
): string {
  return [
    `Made '${id}':`,
    ...files.map((file) => `  ${plainLine(file)}`),
    ...(overrides === undefined ? [] : [overridesText(overrides, waits)]),
    ...(waits
      ? []
      : [servedText({ id, isServed, ...(isTrusted !== undefined && { isTrusted }) }, directory)]),
  ].join('\n');
}

function overridesText(source: string, waits: boolean): string {
  return waits
    ? `There is a workflow of that id from ${source}, which is served until you agree to replace it: workflowlookup trust`
    : `It overrides the workflow of that id from ${source}.`;
}

function servedText(
  {
    id,
    isServed,
    isTrusted,
  }: { readonly id: string; readonly isServed: boolean; readonly isTrusted?: boolean },
  directory: string,
): string {
  if (isServed) return `It is served from now on: workflowlookup show ${id}`;
  if (isTrusted === false)
    return `Agents are served it once you trust it, at a terminal: workflowlookup trust. For a folder that only you write to: workflowlookup trust --folder ${plainLine(directory)}`;
  return `To serve it, give a server --workflows ${plainLine(directory)}`;
}
