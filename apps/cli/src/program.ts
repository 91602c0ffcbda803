import { Command } from 'commander';
import { addAddressCommand } from './address/address-command.ts';
import type { CommandLine } from './command-line.ts';
import { authoringCommands } from './authoring/authoring-commands.ts';
import { definitionCommands } from './definitions/definition-commands.ts';
import { addCompletionCommands } from './completion/completion-commands.ts';
import { addConnectCommand } from './connect/connect-command.ts';
import { addDoctorCommand } from './doctor/doctor-command.ts';
import { addGraphCommand } from './graph/graph-command.ts';
import { addKeysCommands } from './keys/keys-commands.ts';
import { addServeCommands } from './serve-commands.ts';
import { addTrustCommand } from './trust/trust-command.ts';
import { sessionsCommand } from './sessions/sessions-command.ts';
import { addRunCommand } from './walk/run-command.ts';

/** The whole command line. */
export function createProgram(line: CommandLine): Command {
  const program = new Command('workflowlookup')
    .description('A workflow server for AI agents, and what people do with its sessions.')
    .version(line.version, '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this')
    .helpCommand(false)
    .enablePositionalOptions()
    .exitOverride()
    // Whoever runs it says what is wrong, as text or as JSON.
    .configureOutput({ outputError: () => undefined })
    .addHelpText('after', '\nExample:\n  workflowlookup sessions respond 5d0c yes\n');
  definitionCommands(program, line);
  addGraphCommand(program, line);
  addRunCommand(program, line);
  authoringCommands(program, line);
  sessionsCommand(program.command('sessions'), line);
  addTrustCommand(program, line);
  addConnectCommand(program, line);
  addDoctorCommand(program, line);
  addAddressCommand(program, line);
  addKeysCommands(program.command('keys'), line);
  addServeCommands(program.command('serve'), line);
  addCompletionCommands(program, line);
  return program;
}
