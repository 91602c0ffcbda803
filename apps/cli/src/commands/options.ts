import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';

interface CommandSpec {
  readonly usage: string;
  readonly about: string;
  readonly example: string;
}

export interface CommonOptions {
  readonly json?: boolean;
}

export function addCommand(parent: Command, { usage, about, example }: CommandSpec): Command {
  return parent
    .command(usage)
    .description(about)
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  workflowlookup ${example}\n`);
}

/** Options of every command that reads definitions. */
export interface SourceFlags extends CommonOptions {
  readonly workflows?: readonly string[];
  readonly bundled?: boolean;
  readonly user?: boolean;
  readonly project?: boolean;
}

/** Adds a command that works on the definitions that a server with the same flags would serve. */
export function addDefinitionCommand(parent: Command, spec: CommandSpec): Command {
  return addCommand(parent, spec)
    .option(
      '--workflows <dir>',
      'add a directory of definitions; repeatable, later directories override earlier ones',
      addTo,
    )
    .option('--no-bundled', 'ignore the bundled workflows')
    .option('--no-user', 'ignore ~/.workflowlookup/workflows')
    .option('--no-project', 'ignore ./workflows and ./.workflowlookup/workflows');
}

function addTo(directory: string, before: readonly string[] = []): readonly string[] {
  return [...before, directory];
}

/** Options that say where sessions and keys are stored. */
export interface StateFlags extends CommonOptions {
  readonly state?: string;
  readonly database?: string;
}

/** Adds a command that works on the sessions or keys of a server with the same flags. */
export function addStateCommand(parent: Command, spec: CommandSpec): Command {
  return addStateFlags(addCommand(parent, spec));
}

/** Adds the options that say where sessions and keys are stored. */
export function addStateFlags(command: Command): Command {
  return command
    .option(
      '--state <dir>',
      'the directory of sessions and keys (default: WORKFLOWLOOKUP_STATE, ~/.workflowlookup/state)',
    )
    .option(
      '--database <url>',
      'store sessions in this Postgres database instead (default: WORKFLOWLOOKUP_DATABASE)',
    );
}

const statuses = ['active', 'blocked', 'parked', 'completed'] as const;

export type Status = (typeof statuses)[number];

/** Appends a status to the ones given before. */
export function readStatus(text: string, before: readonly Status[] = []): readonly Status[] {
  const found = statuses.find((status) => status === text);
  if (found === undefined) throw new InvalidArgumentError(`It must be one of ${statuses.join(', ')}.`);
  return [...before, found];
}

export function readCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,4}$/.test(text) && count >= 1 && count <= 1000) return count;
  throw new InvalidArgumentError('It must be a number from 1 to 1000.');
}

export function readPercent(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text);
  throw new InvalidArgumentError('It must be a number from 0 to 100.');
}
