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
  const { isServed, overrides } = await neighbours(await hostOptionsOf(line, {}), place, plan.id);
  const { definitions, schemas } = scaffold(plan.template, plan);
  const newSchemas = await missingOf(place, schemas);
  await writeNewFiles(place, new Map([...definitions, ...newSchemas.missing]));
  const files = [...definitions.keys()].map((file) => nameOf(join(place, file)));
  const made = {
    id: plan.id,
    kind: plan.template.kind,
    template: plan.template.name,
    files,
    schemas: [...newSchemas.missing.keys()].map((file) => nameOf(join(place, file))),
    isServed,
    ...(overrides !== undefined && { overrides }),
  };
  const output = createOutput(line.terminal, flags.json === true);
  await output.answer(made, () => textOn(made, directory));
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
    'Name the workflow, such as --id tea-time: nobody can be asked where standard input is no terminal.',
  );
}

/** What is there beside the new workflow. @throws WorkflowError INVALID_PARAMS where the id is taken */
async function neighbours(
  options: HostOptions,
  place: string,
  id: string,
): Promise<{ readonly isServed: boolean; readonly overrides?: string }> {
  const { createHost, bundledDirectory, sourcesOf } = await import('@workflowlookup/host');
  const isServed = sourcesOf(options, bundledDirectory()).some(({ directory }) => directory === place);
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
    return { isServed, ...(overrides !== undefined && { overrides }) };
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
    overrides,
  }: Pick<InitPlan, 'id'> & {
    readonly files: readonly string[];
    readonly isServed: boolean;
    readonly overrides?: string;
  },
  directory: string,
): string {
  return [
    `Made '${id}':`,
    ...files.map((file) => `  ${plainLine(file)}`),
    ...(overrides === undefined ? [] : [`It overrides the workflow of that id from ${overrides}.`]),
    isServed
      ? `It is served from now on: workflowlookup show ${id}`
      : `To serve it, give a server --workflows ${plainLine(directory)}`,
  ].join('\n');
}
