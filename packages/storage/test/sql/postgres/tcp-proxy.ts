import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { onTestFinished } from 'vitest';

/** A connection to a server that tests can disturb. */
export interface TcpProxy {
  readonly port: number;
  /** Returns how many connections were opened to it. */
  accepted(): number;
  /**
   * Drops everything that the server sends, starting with the answer to the next statement that contains these words.
   */
  silenceAfter(words: string): void;
  /** Delays the next statement that contains these words. */
  hold(words: string, ms: number): void;
  /** Lets new connections through again, and closes those that were silenced. */
  recover(): void;
}

/** Makes a proxy for a local port that lasts until the test ends. */
export async function tcpProxy(target: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let accepted = 0;
  let isSilent = false;
  let awaited: string | undefined;
  let held: { readonly words: string; readonly ms: number } | undefined;
  const proxy = createServer((client) => {
    accepted += 1;
    const server = connect(target, '127.0.0.1');
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    }
    client
      .on('data', (bytes: Buffer) => {
        isSilent ||= awaited !== undefined && bytes.includes(awaited);
        if (held !== undefined && bytes.includes(held.words)) {
          setTimeout(() => server.write(bytes), held.ms);
          held = undefined;
        } else server.write(bytes);
      })
      .on('close', () => server.end());
    server.on('data', (bytes) => (isSilent ? true : client.write(bytes))).on('close', () => client.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const end = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  onTestFinished(() => {
    end();
    proxy.close();
  });
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('no port was given');
  return {
    port: address.port,
    accepted: () => accepted,
    silenceAfter(words) {
      awaited = words;
    },
    hold(words, ms) {
      held = { words, ms };
    },
    recover() {
      isSilent = false;
      awaited = undefined;
      end();
    },
  };
}
