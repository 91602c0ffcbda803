import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { addLookingCommands } from './looking-commands.ts';
import { addKeepingCommands } from './keeping-commands.ts';
import { addDecidingCommands } from './deciding-commands.ts';

/** Everything under `sessions`. */
export function sessionsCommand(sessions: Command, line: CommandLine): void {
  sessions
    .description('look into sessions, answer their checkpoints, keep them')
    .helpCommand(false)
    .addHelpText('after', '\nExample:\n  workflowlookup sessions list --status blocked\n');
  addLookingCommands(sessions, line);
  addDecidingCommands(sessions, line);
  addKeepingCommands(sessions, line);
}
