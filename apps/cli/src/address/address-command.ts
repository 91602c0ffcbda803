import type { Command } from 'commander';
import type { CommandLine } from '../command-line.ts';
import { addStateCommand } from '../state/add-state-command.ts';
import type { AddressOptions } from './print-addresses.ts';

/** The command that prints again what a server without sign-in printed when it started. */
export function addAddressCommand(program: Command, line: CommandLine): void {
  addStateCommand(program, {
    usage: 'address',
    about:
      'print the addresses of a server on this machine again: for agents, and a new one that signs you in',
    example: 'address --port 8420',
  })
    .option('--port <n>', 'the port of the server', '8420')
    .action(async (options: AddressOptions) => {
      const { printAddresses } = await import('./print-addresses.ts');
      line.exit(await printAddresses(line, options));
    });
}
