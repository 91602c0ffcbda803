import type { Command } from 'commander';
import type { CommandSpec, CommonOptions } from '../add-command.ts';
import { addCommand } from '../add-command.ts';

/** Where sessions and keys are kept. */
export interface StateFlags extends CommonOptions {
  readonly state?: string;
  readonly database?: string;
}

/** A command that works on what is kept, where a server with the same flags keeps it. */
export function addStateCommand(parent: Command, spec: CommandSpec): Command {
  return addStateFlags(addCommand(parent, spec));
}

/** Lets a command be told where sessions and keys are kept. */
export function addStateFlags(command: Command): Command {
  return command
    .option(
      '--state <dir>',
      'where sessions and keys are kept (WORKFLOWLOOKUP_STATE, ~/.workflowlookup/state)',
    )
    .option('--database <url>', 'a Postgres that keeps them instead (WORKFLOWLOOKUP_DATABASE)');
}
