import type { Host } from '@workflowlookup/host';
import type { CommandLine } from '../command-line.ts';
import { messages } from '../messages.ts';

type Held = Awaited<ReturnType<Host['definitions']['untrusted']>>[number];

/** Returns why a definition is not served to agents. */
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

/** The host as the person at the terminal sees it, and as agents see it. */
interface Views {
  readonly host: Host;
  /** Opens the host as agents see it. Absent if `host` is already that. */
  readonly asForAgents?: () => Promise<Host>;
}

/**
 * Prints a note on standard error if agents don't get the workflow that is shown, or if it is not the one of the
 * project.
 */
export async function noteTrust(
  { terminal }: Pick<CommandLine, 'terminal'>,
  id: string,
  { host, asForAgents }: Views,
): Promise<void> {
  const origin = await host.definitions.origin(id);
  if (origin === undefined) return;
  const held = (await host.definitions.untrusted()).find((one) => one.id === id);
  if (held !== undefined)
    return terminal.warn(`${messages.trust.otherFile(id, reasonText(held), origin.source)}\n`);
  const isOfProject = host.sources.some(
    ({ name, isProject }) => name === origin.source && isProject === true,
  );
  if (!isOfProject || asForAgents === undefined) return;
  const served = await asForAgents();
  try {
    const reason = (await served.definitions.untrusted()).find((one) => one.id === id);
    if (reason === undefined) return;
    await terminal.warn(`${messages.trust.notServed(id, reasonText(reason))}\n`);
  } finally {
    await served.close();
  }
}
