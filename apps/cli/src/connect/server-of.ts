import { WorkflowError } from '@workflowlookup/schema';
import { isHttpUrl } from '../is-http-url.ts';
import type { McpServer, StdioServer } from './clients.ts';

/** What the command line says of the server. */
export interface ServerFlags {
  readonly http?: string;
  readonly keyEnv?: string;
  /** Options of the server that the client starts. */
  readonly serverOptions: readonly string[];
}

/** The server a client is told of. @throws WorkflowError INVALID_PARAMS */
export function serverOf({ http, keyEnv, serverOptions }: ServerFlags, own: StdioServer): McpServer {
  if (http === undefined) {
    if (keyEnv === undefined) return { ...own, args: [...own.args, ...serverOptions] };
    throw refused('--key-env goes with --http: a server that the client starts takes no key');
  }
  if (serverOptions.length > 0)
    throw refused(`A server at an address has its options already, found ${serverOptions.join(' ')}`);
  // It is not repeated, for it may hold a password.
  if (!isHttpUrl(http)) throw refused('--http takes an http or https URL without a password');
  if (keyEnv !== undefined && !/^[A-Za-z_]\w*$/.test(keyEnv))
    throw refused('--key-env takes the name of an environment variable, never the key itself');
  return { url: http, ...(keyEnv !== undefined && { keyEnv }) };
}

/**
 * How this program starts as a server. What npx fetched may be gone tomorrow, so that it is fetched again; anything else
 * is named by its path, because a client that was not started in a terminal has another PATH.
 */
export function ownServer(entry: string, platform: NodeJS.Platform): StdioServer {
  const serve = ['serve', 'stdio'];
  if (!/[\\/]_npx[\\/]/.test(entry)) return { command: process.execPath, args: [entry, ...serve] };
  const fetched = ['-y', 'workflowlookup', ...serve];
  // On Windows npx is a script, which only a shell starts.
  return platform === 'win32'
    ? { command: 'cmd', args: ['/c', 'npx', ...fetched] }
    : { command: 'npx', args: fetched };
}

function refused(reason: string): WorkflowError {
  return new WorkflowError('INVALID_PARAMS', `${reason}.`);
}
