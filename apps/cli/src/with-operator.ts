import type { Operator } from '@workflowlookup/core';
import type { HostOptions } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommonOptions } from './add-command.ts';
import type { CommandLine } from './command-line.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Terminal } from './terminal.ts';

/** What a command of sessions works with. */
export interface CommandContext {
  readonly operator: Operator;
  /** Where sessions are kept, and whether any were yet. */
  readonly state: { readonly directory: string; isMade(): boolean };
  readonly terminal: Terminal;
  /** Prints a value as JSON, or else what people read. */
  answer(value: unknown, text: () => string): Promise<void>;
  readonly asJson: boolean;
}

/** Opens the sessions of a state directory, and closes them whatever happens. */
export async function withOperator(
  { terminal, env }: CommandLine,
  { json = false, gates, ...place }: CommonOptions,
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
      operator: host.operator,
      state: host.state,
      terminal,
      asJson: json,
      answer: (value, text) => terminal.print(`${json ? JSON.stringify(value, undefined, 2) : text()}\n`),
    });
  } finally {
    await host.close();
  }
}
