import type { Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Engine } from '@workflowlookup/core';
import type { BackendTransport } from '../front-door/backend-link.ts';
import type { ServerParts } from './server-parts.ts';
import { createServer } from './create-server.ts';

/** What the backend is made of; the engine may still be loading. */
export interface BackendParts extends Omit<ServerParts, 'engine'> {
  engine(): Promise<Engine>;
}

/** Opens the SDK's server, which serves every revision, on the wire behind the front door. */
export async function openBackend(
  transport: BackendTransport,
  parts: BackendParts,
): Promise<{ close(): Promise<void> }> {
  const engine = await parts.engine();
  const serverParts: ServerParts = { ...parts, engine };
  return serveStdio(() => createServer(serverParts), {
    transport: transport as unknown as Transport,
    onerror: (error) => parts.onError(error),
  });
}
