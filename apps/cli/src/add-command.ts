import type { Command } from 'commander';

/** How a command is called, what it is for, and a line that shows it. */
export interface CommandSpec {
  readonly usage: string;
  readonly about: string;
  readonly example: string;
}

/** What every command takes. */
export interface CommonOptions {
  readonly json?: boolean;
}

/** A command that explains itself with an example, and prints JSON where it is asked to. */
export function addCommand(parent: Command, { usage, about, example }: CommandSpec): Command {
  return parent
    .command(usage)
    .description(about)
    .option('--json', 'print JSON')
    .addHelpText('after', `\nExample:\n  workflowlookup ${example}\n`);
}
