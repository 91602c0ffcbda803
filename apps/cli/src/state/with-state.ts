import type { Host, HostOptions } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine } from '../command-line.ts';
import type { StateFlags } from './add-state-command.ts';

/** Opens what is kept where the flags and the environment say, and closes it whatever happens. */
export async function withState<T>(
  { env }: CommandLine,
  { gates, ...flags }: StateFlags & Pick<HostOptions, 'gates'>,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const [{ createHost }, { readPlace }] = await Promise.all([
    import('@workflowlookup/host'),
    import('@workflowlookup/host/flags'),
  ]);
  const place = readPlace(flags, env);
  if (typeof place === 'string') throw new WorkflowError('INVALID_PARAMS', place);
  const host = createHost({ environment: env, ...place, ...(gates !== undefined && { gates }) });
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}
