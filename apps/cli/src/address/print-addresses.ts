import { WorkflowError } from '@workflowlookup/schema';
import { addressTokenOf, loadKeyRing, newSignInSecret } from '@workflowlookup/host';
import type { CommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { createOutput } from '../output.ts';
import type { StateFlags } from '../state/add-state-command.ts';
import { withState } from '../state/with-state.ts';

/** Options of `address`. */
export interface AddressOptions extends StateFlags {
  readonly port: string;
}

/** Prints the address for agents, and at a terminal a new link that signs a person in. */
export async function printAddresses(
  line: CommandLine,
  { port, ...options }: AddressOptions,
): Promise<ExitCode> {
  if (!/^\d{1,5}$/.test(port))
    throw new WorkflowError('INVALID_PARAMS', `--port must be a whole number, found '${port}'.`);
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
