import type { Command } from 'commander';
import { Argument, Option } from 'commander';
import { addCommand } from '../add-command.ts';
import type { CommandLine } from '../command-line.ts';
import type { ClientId } from './clients.ts';
import { clientIds } from './clients.ts';
import type { ConnectOptions } from './connect.ts';

/** The command that tells a client of the server. */
export function addConnectCommand(program: Command, line: CommandLine): void {
  addCommand(program, {
    usage: 'connect',
    about: 'show how a client is told of the server, or write it into its file, after showing what changes',
    example: 'connect vscode --write',
  })
    .addArgument(new Argument('<client>', 'the program that agents run in').choices(clientIds))
    .argument('[server-options...]', 'after --: options of the server that the client starts')
    .option('--write', 'write it into the file of the client')
    .addOption(
      new Option('--scope <scope>', 'with --write: the file of this project, or of the user').choices([
        'project',
        'user',
      ]),
    )
    .option('--http <url>', 'a server that runs already, in place of one that the client starts')
    .option('--key-env <name>', 'the environment variable that holds the API key for it')
    .option('--yes', 'do not ask')
    .action(async (id: ClientId, serverOptions: readonly string[], options: ConnectOptions) => {
      const { connect } = await import('./connect.ts');
      line.exit(await connect(line, { id, serverOptions }, options));
    });
}
