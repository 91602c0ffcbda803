import type { Operator } from '@workflowlookup/core';
import type { HostOptions } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { SessionOptions } from './add-session-command.ts';
import type { CommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { createOutput } from '../output.ts';

/** What a command of sessions works with. */
export interface CommandContext extends Output {
  readonly operator: Operator;
  /** Where sessions are kept, and whether any were yet. */
  readonly state: { readonly directory: string; isMade(): boolean };
}

/** Opens the sessions of a state directory, and closes them whatever happens. */
export async function withOperator(
  { terminal, env }: CommandLine,
  { json = false, gates, ...place }: SessionOptions,
  work: (context: CommandContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  const [{ createHost }, { readPlace }] = await Promise.all([
    import('@workflowlookup/host'),
    import('@workflowlookup/host/flags'),
  ]);
  const kept = readPlace(place, env);
  if (typeof kept === 'string') throw new WorkflowError('INVALID_PARAMS', kept);
  const options: HostOptions = { environment: env, ...kept, ...(gates === undefined ? {} : { gates }) };
  const host = createHost(options);
  try {
    return await work({
      ...createOutput(terminal, json),
      operator: host.operator,
      state: host.state,
    });
  } finally {
    await host.close();
  }
}
