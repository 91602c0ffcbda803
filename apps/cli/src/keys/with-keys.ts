import type { ApiKeys } from '@workflowlookup/host';
import type { CommandLine } from '../command-line.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Output } from '../output.ts';
import { createOutput } from '../output.ts';
import type { StateFlags } from '../state/add-state-command.ts';
import { withState } from '../state/with-state.ts';

/** What a command of keys works with. */
export interface KeysContext extends Output {
  readonly keys: ApiKeys;
}

/** Opens the API keys that are kept, and closes them whatever happens. */
export async function withKeys(
  line: CommandLine,
  options: StateFlags,
  work: (context: KeysContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { openApiKeys } = await import('@workflowlookup/host');
  const output = createOutput(line.terminal, options.json ?? false);
  return withState(line, options, ({ access }) => work({ ...output, keys: openApiKeys(access) }));
}
