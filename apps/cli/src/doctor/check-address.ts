import { WorkflowError } from '@workflowlookup/schema';
import type { ServerAddress } from '@workflowlookup/mcp/client';
import type { Check } from './check.ts';
import { fine, problem } from './check.ts';
import { roundTrip } from './round-trip.ts';

/** So long a server may take to say that it is there. */
const patienceMs = 10_000;

/** Whether a server over HTTP is there, may be sent requests, and answers a client. */
export async function checkAddress(server: ServerAddress): Promise<readonly Check[]> {
  const health = await look('health', new URL('healthz', server.url));
  if (health.standing !== 'ok') return [health];
  const ready = await look('ready', new URL('readyz', server.url));
  return [health, ready, await roundTrip(server, fixOfFailure)];
}

async function look(name: string, { href }: URL): Promise<Check> {
  try {
    const response = await fetch(href, { signal: AbortSignal.timeout(patienceMs) });
    if (response.ok) return fine(name, `${href} says ${response.status}`);
    const said = (await response.text()).slice(0, 200);
    return problem(name, `${href} says ${response.status}: ${said}`, fixOfStatus(response.status));
  } catch (error) {
    // What failed below is told as the cause.
    const { cause = error } = error as { readonly cause?: unknown };
    const reason = cause instanceof Error ? cause.message : String(cause);
    const fix = 'Start it (workflowlookup serve http), or give the URL that it printed.';
    return problem(name, `${href} can't be reached (${reason})`, fix);
  }
}

function fixOfStatus(status: number): string {
  switch (status) {
    case 403:
      return 'Name the host in this URL to the server: --allowed-host';
    case 503:
      return 'Read in the log of the server why its database or its keys can not be used.';
    default:
      return 'Give the URL that a server printed when it started; it ends with /mcp.';
  }
}

function fixOfFailure(error?: unknown): string {
  return error instanceof WorkflowError && error.code === 'FORBIDDEN'
    ? 'Name the variable that holds a key for it: --key-env NAME. A new key: workflowlookup keys create'
    : 'Read in the log of the server what it says of this request, and see that the URL ends with /mcp.';
}
