import type { Host, HostOptions } from '@workflowlookup/host';
import type { HostFlags } from '@workflowlookup/host/flags';
import { placeProblem, readHostFlags, readStateFlags } from '@workflowlookup/host/flags';
import type { CommandContext } from './commands/command-line.ts';
import { defined } from './commands/command-line.ts';
import type { SourceFlags, StateFlags } from './commands/options.ts';

/**
 * Reads where definitions come from, from flags and environment.
 *
 * @throws WorkflowError INVALID_INPUT
 */
export async function hostOptionsOf({ env }: CommandContext, flags: SourceFlags): Promise<HostOptions> {
  const read = readHostFlags(sourceFlagsOf(flags), env);
  const wrong = typeof read === 'string' ? read : placeProblem(read);
  if (typeof read !== 'string' && wrong === undefined) return read;
  const { WorkflowError } = await import('@workflowlookup/schema');
  throw new WorkflowError('INVALID_INPUT', `${wrong}.`);
}

/** Returns the flags of a server that serves the same definitions. */
export function sourceFlagsOf({
  workflows,
  bundled,
  user,
  project,
}: SourceFlags): Pick<HostFlags, 'workflows' | 'no-bundled' | 'no-user' | 'no-project'> {
  return {
    ...(workflows && { workflows }),
    'no-bundled': bundled === false,
    'no-user': user === false,
    'no-project': project === false,
  };
}

/**
 * Like `hostOptionsOf`, but at a terminal includes definitions that nobody trusted yet, because the person looks at
 * them directly.
 */
export async function personOptionsOf(line: CommandContext, flags: SourceFlags): Promise<HostOptions> {
  const options = await hostOptionsOf(line, flags);
  return line.terminal.isInteractive ? { ...options, trustProject: true } : options;
}

/**
 * Opens the definitions that flags and environment name, and closes them afterwards. `shows` is the id of the
 * workflow that the command shows. At a terminal it may be one that agents don't get; a note says so.
 */
export async function withDefinitions<T>(
  line: CommandContext,
  flags: SourceFlags,
  work: (host: Host) => Promise<T>,
  { shows }: { readonly shows?: string } = {},
): Promise<T> {
  const served = await hostOptionsOf(line, flags);
  const options = shows === undefined ? served : await personOptionsOf(line, flags);
  const { createHost } = await import('@workflowlookup/host');
  const host = createHost(options);
  try {
    if (shows !== undefined) {
      const { noteServed } = await import('./definitions/trust-review.ts');
      await noteServed(line, shows, host, served);
    }
    return await work(host);
  } finally {
    await host.close();
  }
}

/**
 * Reads where sessions are stored, from flags and environment.
 *
 * @throws WorkflowError INVALID_INPUT
 */
export async function storageOptionsOf(
  { env }: CommandContext,
  { state, database }: StateFlags,
): Promise<Pick<HostOptions, 'stateDirectory' | 'database' | 'audit' | 'anchor'>> {
  // A command can have options of its own with the names of other flags of a server, such as --anchor.
  const place = readStateFlags(defined({ state, database }), env);
  if (typeof place !== 'string') return place;
  const { WorkflowError } = await import('@workflowlookup/schema');
  throw new WorkflowError('INVALID_INPUT', place);
}

/** Opens the stored sessions and keys, and closes them afterwards. */
export async function withState<T>(
  line: CommandContext,
  { gates, ...flags }: StateFlags & Pick<HostOptions, 'gates'>,
  work: (host: Host) => Promise<T>,
): Promise<T> {
  const [{ createHost }, place] = await Promise.all([
    import('@workflowlookup/host'),
    storageOptionsOf(line, flags),
  ]);
  const host = createHost({ environment: line.env, evidence: true, ...place, ...defined({ gates }) });
  try {
    const who = { channel: 'cli', person: host.person } as const;
    return await host.audit.within(who, () => work(host));
  } finally {
    await host.close();
  }
}
