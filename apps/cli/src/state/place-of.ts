import type { HostOptions } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine } from '../command-line.ts';
import type { StateFlags } from './add-state-command.ts';

/** Where the flags and the environment say that sessions are kept. @throws WorkflowError INVALID_PARAMS */
export async function placeOf(
  { env }: Pick<CommandLine, 'env'>,
  flags: StateFlags,
): Promise<Pick<HostOptions, 'stateDirectory' | 'database' | 'audit' | 'anchor'>> {
  const { readPlace } = await import('@workflowlookup/host/flags');
  const { state, database } = flags;
  const place = readPlace(
    { ...(state !== undefined && { state }), ...(database !== undefined && { database }) },
    env,
  );
  if (typeof place === 'string') throw new WorkflowError('INVALID_PARAMS', place);
  return place;
}
