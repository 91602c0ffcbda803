import { addressTokenOf, loadKeyRing, newSignInSecret } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { StateFlags } from '../commands/options.ts';
import { messages } from '../messages.ts';
import { withState } from '../open-host.ts';
import { createOutput } from '../terminal/terminal.ts';

export interface AddressOptions extends StateFlags {
  readonly port: string;
}

/** Prints the address for agents and, at a terminal, a new link that signs a person in. */
export async function printAddresses(
  line: CommandLine,
  { port, ...options }: AddressOptions,
): Promise<ExitCode> {
  if (!/^\d{1,5}$/.test(port)) throw new WorkflowError('INVALID_INPUT', messages.options.port(port));
  const { terminal, env } = line;
  const keys = await withState(line, options, async ({ state }) =>
    loadKeyRing({ stateDirectory: state.directory, environment: env }),
  );
  const root = `http://127.0.0.1:${port}`;
  const agents = `${root}/mcp/${addressTokenOf(keys)}`;
  // Only a person gets the link: an agent that runs commands has no terminal.
  const console = terminal.isInteractive
    ? `${root}/console/#sign-in=${newSignInSecret(keys, Date.now())}`
    : undefined;
  const { answer } = createOutput(terminal, options.json ?? false);
  await answer({ agents, ...(console !== undefined && { console }) }, () =>
    [agents, ...(console === undefined ? [] : [console])].join('\n'),
  );
  if (console === undefined) await terminal.warn(`${messages.keys.signInNeedsTerminal}\n`);
  return exitCodes.ok;
}
