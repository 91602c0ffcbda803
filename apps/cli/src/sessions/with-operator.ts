import type { Operator } from '@workflowlookup/core';
import type { Host } from '@workflowlookup/host';
import type { CommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { createOutput } from '../output.ts';
import { withState } from '../state/with-state.ts';
import type { SessionOptions } from './add-session-command.ts';

/** What a command of sessions works with. */
export interface CommandContext extends Output {
  readonly operator: Operator;
  /** Where sessions are kept, and whether any were yet. */
  readonly state: Pick<Host['state'], 'isMade' | 'place'>;
}

/** Opens the sessions of a state directory, and closes them whatever happens. */
export async function withOperator(
  line: CommandLine,
  options: SessionOptions,
  work: (context: CommandContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  const output = createOutput(line.terminal, options.json ?? false);
  return withState(line, options, ({ operator, state }) => work({ ...output, operator, state }));
}
