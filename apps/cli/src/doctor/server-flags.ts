import type { HostOptions } from '@workflowlookup/host';
import type { Environment } from '@workflowlookup/host/flags';
import { hostFlags, parseCommandLine, readHostFlags } from '@workflowlookup/host/flags';
import { WorkflowError } from '@workflowlookup/schema';
import type { SourceFlags } from '../definitions/add-definition-command.ts';
import type { StateFlags } from '../state/add-state-command.ts';

/** The flags of a server with these definitions and this state. */
export function serverFlagsOf(flags: SourceFlags & StateFlags): readonly string[] {
  const { workflows = [], bundled, user, project, state, database } = flags;
  return [
    ...workflows.flatMap((directory) => ['--workflows', directory]),
    ...(bundled === false ? ['--no-bundled'] : []),
    ...(user === false ? ['--no-user'] : []),
    ...(project === false ? ['--no-project'] : []),
    ...(state === undefined ? [] : ['--state', state]),
    ...(database === undefined ? [] : ['--database', database]),
  ];
}

/** What such a server makes of its flags. @throws WorkflowError INVALID_PARAMS */
export function hostOptionsOf(flags: readonly string[], env: Environment): HostOptions {
  const parsed = parseCommandLine({ args: [...flags], options: hostFlags, strict: true });
  const options = typeof parsed === 'string' ? parsed : readHostFlags(parsed.values, env);
  if (typeof options === 'string') throw new WorkflowError('INVALID_PARAMS', options);
  return options;
}
