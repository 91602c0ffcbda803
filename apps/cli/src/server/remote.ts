import type { ErrorCode } from '@workflowlookup/schema';
import { WorkflowError, errorCodes, isJsonObject } from '@workflowlookup/schema';
import type { CommandLine } from '../command-line.ts';
import { isHttpUrl } from '../command-line.ts';
import { messages } from '../messages.ts';

/** A request to a server of a team, with the API key of the person or system that runs the command. */
export interface RemoteRequest {
  /** The address of the server; that of its MCP endpoint works too. */
  readonly server: string;
  readonly session: string;
  readonly route: 'evidence' | 'statements';
  /** Posts it; without a body, it reads. */
  readonly body?: object;
}

/** The variable with the API key. A command line can be read by other users of the machine. */
const keyVariable = 'WORKFLOWLOOKUP_API_KEY';

const patienceMs = 60_000;

/**
 * Asks a server, and returns its reply.
 *
 * @throws WorkflowError as the server refuses; INVALID_INPUT for a wrong address, or without a key
 */
export async function askServer(
  { env }: Pick<CommandLine, 'env'>,
  { server, session, route, body }: RemoteRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const address = addressOf(server, session, route);
  const key = env[keyVariable] ?? '';
  if (key === '') throw new WorkflowError('INVALID_INPUT', messages.remote.noKey(keyVariable));
  const response = await fetch(address, {
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    // Another server must not get the key.
    redirect: 'error',
    signal: AbortSignal.timeout(patienceMs),
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  }).catch((cause: unknown) => {
    throw new WorkflowError('INVALID_INPUT', messages.remote.unreachable(address.origin), { cause });
  });
  const reply: unknown = await response.json().catch(() => undefined);
  if (response.ok && isJsonObject(reply)) return reply;
  throw refusalOf(response.status, reply, address.origin);
}

function addressOf(server: string, session: string, route: RemoteRequest['route']): URL {
  if (!isHttpUrl(server)) throw new WorkflowError('INVALID_INPUT', messages.remote.noUrl(server));
  const url = new URL(server);
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (url.protocol === 'http:' && !isHere)
    throw new WorkflowError('INVALID_INPUT', messages.remote.notEncrypted(url.host));
  const base = url.pathname.replace(/\/+$/, '').replace(/\/mcp$/, '');
  return new URL(`${url.origin}${base}/sessions/${encodeURIComponent(session)}/${route}`);
}

function refusalOf(status: number, reply: unknown, origin: string): WorkflowError {
  const { code, message, error, error_description: reason } = isJsonObject(reply) ? reply : {};
  if (typeof code === 'string' && typeof message === 'string' && Object.hasOwn(errorCodes, code))
    return new WorkflowError(code as ErrorCode, message);
  if (status === 401) return new WorkflowError('TOKEN_INVALID', messages.remote.keyRefused(keyVariable));
  const told = [error, reason].filter((one) => typeof one === 'string').join(': ');
  return new WorkflowError('INVALID_INPUT', messages.remote.refused(origin, status, told));
}
