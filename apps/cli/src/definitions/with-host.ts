import type { Host } from '@workflowlookup/host';
import type { CommandLine } from '../command-line.ts';
import type { SourceFlags } from './add-definition-command.ts';
import { hostOptionsOf, personOptionsOf } from './host-options.ts';

/**
 * Opens the definitions that the flags and the environment name, and closes them whatever happens. What is shown to the
 * person at a terminal alone may be of definitions that agents are not served.
 */
export async function withHost<T>(
  line: CommandLine,
  flags: SourceFlags,
  work: (host: Host) => Promise<T>,
  { isForPerson = false }: { readonly isForPerson?: boolean } = {},
): Promise<T> {
  const options = isForPerson ? await personOptionsOf(line, flags) : await hostOptionsOf(line, flags);
  const { createHost } = await import('@workflowlookup/host');
  const host = createHost(options);
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}
