import { setTimeout } from 'node:timers/promises';
import type { Client } from 'pg';
import { loadDriver } from './load-driver.ts';
import type { PostgresServer } from './server-address.ts';
import { driverAddress } from './server-address.ts';

/** A connection of its own that hears what others tell. It keeps no process running. */
export interface Listener {
  /** Connects, and again whenever the connection is lost; what is told meanwhile is not heard. Called again it goes on. */
  start(hear: (text: string) => void): void;
  close(): void;
}

/** What a listener is made of. */
export interface ListenerOptions {
  readonly server: string | PostgresServer;
  readonly channel: string;
  /** How long it waits for a connection. */
  readonly connectMs: number;
}

/** So long it leaves the server alone after a connection was lost. */
const restMs = 1_000;

/** Makes a listener, which connects when it is started. */
export function createListener({ server, channel, connectMs }: ListenerOptions): Listener {
  const closing = new AbortController();
  const { signal } = closing;
  let isStarted = false;

  /** Listens until the connection is lost, or there was none to be had. */
  async function listen(hear: (text: string) => void): Promise<void> {
    const { Client } = await loadDriver();
    const client = new Client({
      ...driverAddress(server),
      fallback_application_name: 'workflowlookup',
      connectionTimeoutMillis: connectMs,
      query_timeout: connectMs,
      keepAlive: true,
    });
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('notification', ({ payload = '' }) => hear(payload));
    // The end follows.
    client.on('error', () => {});
    const end = (): void => void client.end().catch(() => {});
    signal.addEventListener('abort', end);
    try {
      signal.throwIfAborted();
      await client.connect();
      keepNoProcess(client);
      await client.query(`LISTEN ${channel}`);
      await ended;
    } finally {
      signal.removeEventListener('abort', end);
      end();
    }
  }

  async function keepListening(hear: (text: string) => void): Promise<void> {
    while (!signal.aborted) {
      // What is wrong with the server is said by the calls that need it.
      await listen(hear).catch(() => {});
      await setTimeout(restMs, undefined, { ref: false, signal }).catch(() => {});
    }
  }

  return {
    start(hear) {
      if (!isStarted) void keepListening(hear);
      isStarted = true;
    },
    close: () => closing.abort(),
  };
}

/** The types of the driver lack what its pool uses for the same. */
function keepNoProcess(client: Client): void {
  (client as Client & { unref(): void }).unref();
}
