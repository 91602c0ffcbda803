import type { Command } from 'commander';
import type { CommandSpec, CommonOptions } from '../add-command.ts';
import { addCommand } from '../add-command.ts';

/** What every command takes that works on the definitions of the sources. */
export interface SourceFlags extends CommonOptions {
  readonly workflows?: readonly string[];
  readonly bundled?: boolean;
  readonly user?: boolean;
  readonly project?: boolean;
}

/** A command that works on the definitions a server with the same flags would serve. */
export function addDefinitionCommand(parent: Command, spec: CommandSpec): Command {
  return addCommand(parent, spec)
    .option('--workflows <dir>', 'add a directory of definitions; repeatable, later ones win', addTo)
    .option('--no-bundled', 'leave out the bundled workflows')
    .option('--no-user', 'leave out ~/.workflowlookup/workflows')
    .option('--no-project', 'leave out ./workflows and ./.workflowlookup/workflows');
}

function addTo(directory: string, before: readonly string[] = []): readonly string[] {
  return [...before, directory];
}
