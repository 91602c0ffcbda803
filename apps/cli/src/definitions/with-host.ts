import type { Host } from '@workflowlookup/host';
import type { CommandLine } from '../command-line.ts';
import type { SourceFlags } from './add-definition-command.ts';
import { hostOptionsOf } from './host-options.ts';

/** Opens the definitions that the flags and the environment name, and closes them whatever happens. */
export async function withHost<T>(
  line: CommandLine,
  flags: SourceFlags,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const options = await hostOptionsOf(line, flags);
  const { createHost } = await import('@workflowlookup/host');
  const host = createHost(options);
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}
