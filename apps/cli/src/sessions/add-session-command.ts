import type { CommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { StateFlags } from '../state/add-state-command.ts';
import type { CommandContext } from './with-operator.ts';

export { addStateCommand as addSessionCommand } from '../state/add-state-command.ts';

/** What every command of sessions takes. */
export interface SessionOptions extends StateFlags {
  readonly gates?: 'declared' | 'human';
}

/** Does the work of a command on the sessions of its state directory. */
export async function perform(
  line: CommandLine,
  options: SessionOptions,
  work: (context: CommandContext) => Promise<ExitCode>,
): Promise<void> {
  const { withOperator } = await import('./with-operator.ts');
  line.exit(await withOperator(line, options, work));
}
