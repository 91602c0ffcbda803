import type { Host } from '@workflowlookup/host';
import type { CommandLine } from '../command-line.ts';

type Held = Awaited<ReturnType<Host['definitions']['untrusted']>>[number];

/** Why agents are not served a definition. */
export function reasonText({
  id = '',
  reason,
  servedFrom = '',
}: Pick<Held, 'id' | 'reason' | 'servedFrom'>): string {
  if (reason === 'changed') return 'it has changed since a person trusted it';
  if (reason === 'untrusted') return 'no person has trusted it';
  if (id === 'meta') return "a project can't replace the shared workflow 'meta'";
  return `it would replace the ${servedFrom} workflow '${id}', and no person has agreed to this version`;
}

/** What `createHost` takes, opened as for the person at the terminal, and as for agents. */
interface Views {
  readonly host: Host;
  /** Opens what agents are served; absent where the host is that already. */
  readonly asForAgents?: () => Promise<Host>;
}

/** Says on standard error that agents are not served the workflow that is shown, or that it is not the one of the project. */
export async function noteTrust(
  { terminal }: Pick<CommandLine, 'terminal'>,
  id: string,
  { host, asForAgents }: Views,
): Promise<void> {
  const origin = await host.definitions.origin(id);
  if (origin === undefined) return;
  const held = (await host.definitions.untrusted()).find((one) => one.id === id);
  if (held !== undefined)
    return terminal.warn(
      `This project has a file for '${id}' too, which is not served: ${reasonText(held)}. This is the ${origin.source} one. Look at that of the project: workflowlookup trust ${id}\n`,
    );
  const isOfProject = host.sources.some(
    ({ name, isProject }) => name === origin.source && isProject === true,
  );
  if (!isOfProject || asForAgents === undefined) return;
  const served = await asForAgents();
  try {
    const reason = (await served.definitions.untrusted()).find((one) => one.id === id);
    if (reason === undefined) return;
    await terminal.warn(
      `Agents are not served '${id}': ${reasonText(reason)}. Trust it: workflowlookup trust ${id}\n`,
    );
  } finally {
    await served.close();
  }
}
