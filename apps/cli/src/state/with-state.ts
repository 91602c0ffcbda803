import type { Host, HostOptions } from '@workflowlookup/host';
import type { CommandLine } from '../command-line.ts';
import type { StateFlags } from './add-state-command.ts';
import { placeOf } from './place-of.ts';

/** Opens what is kept where the flags and the environment say, and closes it whatever happens. */
export async function withState<T>(
  line: CommandLine,
  { gates, ...flags }: StateFlags & Pick<HostOptions, 'gates'>,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const [{ createHost }, place] = await Promise.all([import('@workflowlookup/host'), placeOf(line, flags)]);
  const host = createHost({ environment: line.env, ...place, ...(gates !== undefined && { gates }) });
  try {
    const who = { channel: 'cli', person: host.person } as const;
    return await host.audit.within(who, () => work(host));
  } finally {
    await host.close();
  }
}
