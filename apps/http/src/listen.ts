import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { createAdaptorServer } from '@hono/node-server';
import type { NetworkOptions } from './network-options.ts';
import type { Service } from './create-service.ts';

export interface Listening {
  /** Where it listens, such as `http://127.0.0.1:8420`. */
  readonly url: string;
  /**
   * Serves on for so long while `/readyz` says 503, so that load balancers send nothing more; then takes no more
   * connections, lets what is under way end for a while, and closes.
   */
  stop(noticeMs?: number): Promise<void>;
}

export interface ConnectionTimes {
  /** How long the headers of a request may be on their way. */
  readonly headersTimeout: number;
  readonly requestTimeout: number;
  /** How long a connection may rest between two. */
  readonly keepAliveTimeout: number;
  /** How often that is looked at. */
  readonly connectionsCheckingInterval: number;
}

const ordinary: ConnectionTimes = {
  headersTimeout: 10_000,
  requestTimeout: 60_000,
  // Longer than load balancers keep idle connections, so that none is closed under a request.
  keepAliveTimeout: 75_000,
  connectionsCheckingInterval: 5_000,
};

const maxConnections = 10_000;

/** How often a server that stops looks for connections that rest. */
const sweepMs = 50;

export async function listen(
  service: Service,
  network: Pick<NetworkOptions, 'port' | 'address' | 'drainMs'>,
  times: ConnectionTimes = ordinary,
): Promise<Listening> {
  const server = createAdaptorServer({
    fetch: (request, { incoming }) => service.app.fetch(request, incoming.socket.remoteAddress),
    serverOptions: { ...times, maxHeaderSize: 16_384, requireHostHeader: true },
  }) as Server;
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(network.port, network.address, resolve);
  });
  const { port } = server.address() as AddressInfo;
  const name = network.address.includes(':') ? `[${network.address}]` : network.address;

  return {
    url: `http://${name}:${port}`,
    async stop(noticeMs = 0) {
      service.leave();
      // Who sends more is to look for another server: where the connection stays it would not.
      server.prependListener('request', (_, response) => response.setHeader('connection', 'close'));
      await setTimeout(noticeMs);
      const closed = new Promise((resolve) => server.close(resolve));
      // A connection whose answer was under way rests from then on, and would for long.
      const sweep = setInterval(() => server.closeIdleConnections(), sweepMs);
      const done = service.drain().then(() => closed);
      await Promise.race([done, setTimeout(network.drainMs, undefined, { ref: false })]);
      clearInterval(sweep);
      server.closeAllConnections();
      await service.close();
    },
  };
}
