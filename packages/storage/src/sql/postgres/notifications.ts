import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from 'pg';
import type { ChangeHints } from '../../sessions/checked-store.ts';
import { createListeners } from '../../workflow-store.ts';
import type { Connection } from './connection.ts';
import type { PostgresServer } from './index.ts';
import { driverAddress, loadDriver } from './connection.ts';

export const hintChannel = 'workflowlookup';

/** Hints of writes within this time are sent together. */
const collectMs = 20;

/** How many ids fit into the 8,000 bytes of a notification, with some reserve. */
const idsPerMessage = 50;

/**
 * Postgres commits transactions with a notification one after the other, on the whole server. Notifications are
 * therefore not part of writes: they follow them, many at once, and no write waits for one.
 */
const notify = `SELECT pg_notify('${hintChannel}', sids) FROM unnest($1::text[]) AS sids`;

/** Makes hints that reach all processes with the same database. A hint that can't be sent is lost. */
export function createNotifyHints(connection: Pick<Connection, 'all'>, listener: Listener): ChangeHints {
  const listeners = createListeners<readonly string[]>();
  const waiting = new Set<string>();
  let isGathering = false;

  function scheduleSend(): void {
    isGathering = true;
    setTimeout(() => void send(), collectMs).unref();
  }

  async function send(): Promise<void> {
    const sids = [...waiting];
    waiting.clear();
    await connection.all(notify, [textsOf(sids)]).catch(() => {});
    isGathering = false;
    if (waiting.size > 0) scheduleSend();
  }

  return {
    watch(hear) {
      listener.start((text) => listeners.emit(text.split(' ')));
      return listeners.watch(hear);
    },
    announce(sid) {
      waiting.add(sid);
      if (!isGathering) scheduleSend();
    },
    async close() {
      waiting.clear();
      listeners.clear();
      listener.close();
    },
  };
}

/** Ids contain no spaces. */
function textsOf(sids: readonly string[]): readonly string[] {
  const texts: string[] = [];
  for (let from = 0; from < sids.length; from += idsPerMessage)
    texts.push(sids.slice(from, from + idsPerMessage).join(' '));
  return texts;
}

/** Receives notifications on a connection of its own, which does not keep the process alive. */
interface Listener {
  /**
   * Connects, and reconnects whenever the connection is lost. Notifications in between are missed. Further calls have
   * no effect.
   */
  start(hear: (text: string) => void): void;
  close(): void;
}

interface ListenerOptions {
  readonly server: string | PostgresServer;
  readonly channel: string;
  readonly connectMs: number;
}

/** How long it waits before it reconnects. */
const reconnectMs = 1_000;

/** Makes a listener. It connects when it is started. */
export function createListener({ server, channel, connectMs }: ListenerOptions): Listener {
  const closing = new AbortController();
  const { signal } = closing;
  let isStarted = false;

  /** Listens until the connection is lost, or returns if there is none. */
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
    // The event `end` follows and is handled there.
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

  async function listenAgain(hear: (text: string) => void): Promise<void> {
    while (!signal.aborted) {
      // Calls that need the server report what is wrong with it.
      await listen(hear).catch(() => {});
      await delay(reconnectMs, undefined, { ref: false, signal }).catch(() => {});
    }
  }

  return {
    start(hear) {
      if (!isStarted) void listenAgain(hear);
      isStarted = true;
    },
    close: () => closing.abort(),
  };
}

/** The types of the driver lack a method that its own pool uses. */
function keepNoProcess(client: Client): void {
  (client as Client & { unref(): void }).unref();
}
