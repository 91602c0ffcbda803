import type { Operator } from '@workflowlookup/core';
import type { HostOptions } from '@workflowlookup/host';
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
  { json = false, state, gates }: CommonOptions,
  work: (context: CommandContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { createHost } = await import('@workflowlookup/host');
  const named = state ?? env['WORKFLOWLOOKUP_STATE'] ?? '';
  const options: HostOptions = {
    environment: env,
    ...(named === '' ? {} : { stateDirectory: named }),
    ...(gates === undefined ? {} : { gates }),
  };
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
