import type { Host } from '@workflowlookup/host';
import type { CommandLine } from '../command-line.ts';
import type { SourceFlags } from './add-definition-command.ts';
import { hostOptionsOf, personOptionsOf } from './host-options.ts';

/**
 * Opens the definitions that the flags and the environment name, and closes them whatever happens. `shows` is the id of
 * the one workflow that the command shows: at a terminal it may be one that agents are not served, and that is said.
 */
export async function withHost<T>(
  line: CommandLine,
  flags: SourceFlags,
  work: (host: Host) => Promise<T>,
  { shows }: { readonly shows?: string } = {},
): Promise<T> {
  const served = await hostOptionsOf(line, flags);
  const options = shows === undefined ? served : await personOptionsOf(line, flags);
  const { createHost } = await import('@workflowlookup/host');
  const host = createHost(options);
  try {
    if (shows !== undefined) {
      const { noteTrust } = await import('../trust/reason-text.ts');
      const isForPerson = options.trustProject === true && served.trustProject !== true;
      const asForAgents = async (): Promise<Host> => createHost(served);
      await noteTrust(line, shows, { host, ...(isForPerson && { asForAgents }) });
    }
    return await work(host);
  } finally {
    await host.close();
  }
}
