import type { Command } from 'commander';
import type { CommandSpec, CommonOptions } from '../add-command.ts';
import { addCommand } from '../add-command.ts';
import type { CommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { CommandContext } from './with-operator.ts';
import { withOperator } from './with-operator.ts';

/** What every command of sessions takes. */
export interface SessionOptions extends CommonOptions {
  readonly state?: string;
  readonly database?: string;
  readonly gates?: 'declared' | 'human';
}

/** A command of sessions, with the options that all of them have. */
export function addSessionCommand(parent: Command, spec: CommandSpec): Command {
  return addCommand(parent, spec)
    .option('--state <dir>', 'where sessions are kept (WORKFLOWLOOKUP_STATE, ~/.workflowlookup/state)')
    .option('--database <url>', 'a Postgres that keeps them instead (WORKFLOWLOOKUP_DATABASE)');
}

/** Does the work of a command on the sessions of its state directory. */
export async function perform(
  line: CommandLine,
  options: SessionOptions,
  work: (context: CommandContext) => Promise<ExitCode>,
): Promise<void> {
  line.exit(await withOperator(line, options, work));
}
