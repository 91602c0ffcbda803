import type { Host, HostOptions } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine } from '../command-line.ts';
import type { SourceFlags } from './add-definition-command.ts';

/** Opens the definitions that the flags and the environment name, and closes them whatever happens. */
export async function withHost<T>(
  { env }: CommandLine,
  flags: SourceFlags,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const [{ createHost }, { readHostFlags }] = await Promise.all([
    import('@workflowlookup/host'),
    import('@workflowlookup/host/flags'),
  ]);
  const { workflows, bundled, user, project } = flags;
  const read: HostOptions | string = readHostFlags(
    {
      ...(workflows && { workflows }),
      'no-bundled': bundled === false,
      'no-user': user === false,
      'no-project': project === false,
    },
    env,
  );
  if (typeof read === 'string') throw new WorkflowError('INVALID_PARAMS', read);
  const host = createHost(read);
  try {
    return await work(host);
  } finally {
    await host.close();
  }
}
