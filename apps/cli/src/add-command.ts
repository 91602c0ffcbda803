import type { Command } from 'commander';
import type { CommandLine } from './command-line.ts';
import type { ExitCode } from './exit-codes.ts';
import type { CommandContext } from './with-operator.ts';
import { withOperator } from './with-operator.ts';

/** What every command of sessions takes. */
export interface CommonOptions {
  readonly json?: boolean;
  readonly state?: string;
  readonly database?: string;
  readonly gates?: 'declared' | 'human';
}

/** How a command is called, what it is for, and a line that shows it. */
export interface CommandSpec {
  readonly usage: string;
  readonly about: string;
  readonly example: string;
}

/** A command of sessions, with the options that all of them have. */
export function addCommand(parent: Command, { usage, about, example }: CommandSpec): Command {
  return parent
    .command(usage)
    .description(about)
    .option('--json', 'print JSON')
    .option('--state <dir>', 'where sessions are kept (WORKFLOWLOOKUP_STATE, ~/.workflowlookup/state)')
    .option('--database <url>', 'a Postgres that keeps them instead (WORKFLOWLOOKUP_DATABASE)')
    .addHelpText('after', `\nExample:\n  workflowlookup ${example}\n`);
}

/** Does the work of a command on the sessions of its state directory. */
export async function perform(
  line: CommandLine,
  options: CommonOptions,
  work: (context: CommandContext) => Promise<ExitCode>,
): Promise<void> {
  line.exit(await withOperator(line, options, work));
}
