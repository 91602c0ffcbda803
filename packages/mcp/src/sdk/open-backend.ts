import type { Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { createRequestStates, processKeys } from '../elicitation/request-state.ts';
import type { BackendTransport } from '../front-door/backend-link.ts';
import type { Services } from '../tools/tool.ts';
import type { ServerParts } from './server-parts.ts';
import type { MakeServer } from './create-server.ts';
import { createServer } from './create-server.ts';

/** What the backend is made of; what tools work with may still be loading. */
export interface BackendParts extends Omit<ServerParts, keyof Services | 'states'> {
  services(): Promise<Services>;
  /** Default this product's server. */
  readonly makeServer?: MakeServer | undefined;
}

/** Opens the SDK's server, which serves every revision, on the wire behind the front door. */
export async function openBackend(
  transport: BackendTransport,
  { makeServer = createServer, ...parts }: BackendParts,
): Promise<{ close(): Promise<void> }> {
  const serverParts: ServerParts = {
    ...parts,
    ...(await parts.services()),
    states: createRequestStates(processKeys()),
  };
  return serveStdio(() => makeServer(serverParts, 'connection'), {
    transport: transport as unknown as Transport,
    onerror: (error) => parts.onError(error),
  });
}
