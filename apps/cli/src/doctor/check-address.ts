import { WorkflowError } from '@workflowlookup/schema';
import type { ServerAddress } from '@workflowlookup/mcp/client';
import type { Check } from './check.ts';
import { fine, problem } from './check.ts';
import { roundTrip } from './round-trip.ts';

/** So long a server may take to say that it is there. */
const patienceMs = 10_000;

/** Whether a server over HTTP is there, may be sent requests, and answers a client. */
export async function checkAddress(server: ServerAddress): Promise<readonly Check[]> {
  const root = rootOf(server.url);
  const health = await look('health', new URL('healthz', root));
  if (health.standing !== 'ok') return [health];
  const ready = await look('ready', new URL('readyz', root));
  return [health, ready, await roundTrip(server, fixOfFailure)];
}

/** Where the server's other routes are: beside `/mcp`, whether that has a token behind it or not. */
function rootOf(url: string): URL {
  const root = new URL('.', url);
  return root.pathname.endsWith('/mcp/') ? new URL('..', root) : root;
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
      return 'Give the URL that a server printed when it started; it has /mcp in it.';
  }
}

function fixOfFailure(error?: unknown): string {
  const status = error instanceof WorkflowError ? error.data['status'] : undefined;
  if (status === 401)
    return 'Name the variable that holds a key for it: --key-env NAME. A new key: workflowlookup keys create';
  if (status === 403)
    return 'Give the whole URL that the server printed (workflowlookup address prints it again), or a key with the scope read: --key-env NAME';
  return 'Look for this request in the log of the server, and check that the URL is the one that the server printed.';
}
