import type { Command } from 'commander';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import type { StateFlags } from '../state/add-state-command.ts';
import { addStateCommand } from '../state/add-state-command.ts';
import { withState } from '../state/with-state.ts';

/** What `address` takes. */
interface AddressOptions extends StateFlags {
  readonly port: string;
}

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
      line.exit(await printAddresses(line, options));
    });
}

async function printAddresses(line: CommandLine, { port, ...options }: AddressOptions): Promise<ExitCode> {
  if (!/^\d{1,5}$/.test(port))
    throw new WorkflowError('INVALID_PARAMS', `--port must be a whole number, found '${port}'.`);
  const { addressTokenOf, loadKeyRing, newSignInSecret } = await import('@workflowlookup/host');
  const { terminal, env } = line;
  const keys = await withState(line, options, async ({ state }) =>
    loadKeyRing({ stateDirectory: state.directory, environment: env }),
  );
  const root = `http://127.0.0.1:${port}`;
  const agents = `${root}/mcp/${addressTokenOf(keys)}`;
  // As with an answer to a checkpoint that needs a person: an agent that runs commands has no terminal.
  const console = terminal.isInteractive
    ? `${root}/console/#sign-in=${newSignInSecret(keys, Date.now())}`
    : undefined;
  const { answer } = createOutput(terminal, options.json ?? false);
  await answer({ agents, ...(console !== undefined && { console }) }, () =>
    [agents, ...(console === undefined ? [] : [console])].join('\n'),
  );
  if (console === undefined)
    await terminal.warn(
      'The address that signs you in is printed at a terminal only: run this command in one.\n',
    );
  return exitCodes.ok;
}
