import type { HostOptions } from '@workflowlookup/host';
import { directoryProblem, readHostFlags } from '@workflowlookup/host/flags';
import type { CommandLine } from '../command-line.ts';
import type { SourceFlags } from './add-definition-command.ts';

/** What the flags and the environment say of where definitions come from. @throws WorkflowError INVALID_PARAMS */
export async function hostOptionsOf({ env }: CommandLine, flags: SourceFlags): Promise<HostOptions> {
  const { workflows, bundled, user, project } = flags;
  const read = readHostFlags(
    {
      ...(workflows && { workflows }),
      'no-bundled': bundled === false,
      'no-user': user === false,
      'no-project': project === false,
    },
    env,
  );
  const wrong = typeof read === 'string' ? read : directoryProblem(read);
  if (typeof read !== 'string' && wrong === undefined) return read;
  const { WorkflowError } = await import('@workflowlookup/schema');
  throw new WorkflowError('INVALID_PARAMS', `${wrong}.`);
}

/** The same for what the person at a terminal looks at themselves: there a definition need not be trusted first. */
export async function personOptionsOf(line: CommandLine, flags: SourceFlags): Promise<HostOptions> {
  const options = await hostOptionsOf(line, flags);
  return line.terminal.isInteractive ? { ...options, trustProject: true } : options;
}
