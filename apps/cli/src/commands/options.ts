import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';
import type { CommandContext, CommandLine, ExitCode } from './command-line.ts';
import { optionMessages } from '../messages/common.ts';
import { createOutput } from '../terminal/terminal.ts';

interface CommandSpec {
  readonly usage: string;
  readonly about: string;
  readonly example: string;
}

export interface CommonOptions {
  readonly json?: boolean;
}

/** Adds a group of commands. */
export function addGroup(parent: Command, { usage, about, example }: CommandSpec): Command {
  return parent
    .command(usage)
    .description(about)
    .helpCommand(false)
    .addHelpText('after', `\nExample:\n  workflowlookup ${example}\n`);
}

export function addCommand(parent: Command, spec: CommandSpec): Command {
  return addGroup(parent, spec).option('--json', 'print JSON');
}

/** The code of a command. It gets the arguments and the options in the order of the parser. */
type Work<Context, Given extends unknown[]> = (context: Context, ...given: Given) => Promise<ExitCode>;

/** Opens what commands work on, runs one of them, and closes it again. */
type Opener<Context> = (
  context: CommandContext,
  options: StateFlags,
  work: (context: Context) => Promise<ExitCode>,
) => Promise<ExitCode>;

/** Makes the action of a command from its code. */
export type ActionOf<Context> = <Given extends unknown[]>(
  loadWork: () => Promise<Work<Context, Given>>,
) => (...given: Given) => Promise<void>;

/** Returns a function that makes the actions of commands. A command loads its code, and what opens its context, when it runs. */
export function actionsIn<Context>(
  line: CommandLine,
  loadOpener: () => Promise<Opener<Context>>,
): ActionOf<Context> {
  return (loadWork) =>
    async (...given) => {
      // The parser gives the command itself after its arguments and options.
      const options = (given.at(-1) as Command).opts<StateFlags>();
      const [open, work] = await Promise.all([loadOpener(), loadWork()]);
      const { env, version, terminal } = line;
      const context = { env, version, ...createOutput(terminal, options.json ?? false) };
      line.exit(await open(context, options, (opened) => work(opened, ...given)));
    };
}

/** Like {@link actionsIn}, for commands that open nothing, or do so themselves. */
export function actions(line: CommandLine): ActionOf<CommandContext> {
  return actionsIn(line, async () => (context, _options, work) => work(context));
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

/** Appends a value to the ones given before. */
export function addTo(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
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
  return addDirectoryFlag(command).option(
    '--database <url>',
    'store sessions in this Postgres database instead (default: WORKFLOWLOOKUP_DATABASE)',
  );
}

export function addDirectoryFlag(command: Command): Command {
  return command.option(
    '--state <dir>',
    'the directory of sessions and keys (default: WORKFLOWLOOKUP_STATE, ~/.workflowlookup/state)',
  );
}

const statuses = ['active', 'blocked', 'parked', 'completed'] as const;

export type Status = (typeof statuses)[number];

/** Appends a status to the ones given before. */
export function readStatus(text: string, before: readonly Status[] = []): readonly Status[] {
  const found = statuses.find((status) => status === text);
  if (found === undefined) throw new InvalidArgumentError(optionMessages.oneOf(statuses));
  return [...before, found];
}

export function readCount(text: string): number {
  const count = Number(text);
  if (/^\d{1,4}$/.test(text) && count >= 1 && count <= 1000) return count;
  throw new InvalidArgumentError(optionMessages.between(1, 1000));
}

export function readPercent(text: string): number {
  if (/^\d{1,3}$/.test(text) && Number(text) <= 100) return Number(text);
  throw new InvalidArgumentError(optionMessages.between(0, 100));
}
