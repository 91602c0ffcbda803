import { createHttpClient } from './http-client.mjs';
import { perSecond } from '../figures/per-second.mjs';
import { cpuMs } from '../figures/process-figures.mjs';

/** The number of definitions that the calls use in turn. */
export const asked = 10;

/**
 * Opens clients that call a server in parallel, each with its own connection.
 *
 * @param {import('../servers/http-servers.mjs').HttpServer} server
 * @param {import('./http-calls.mjs').HttpCalls} calls
 * @param {{ readonly clients: number, readonly path?: string }} options
 */
export async function openCrowd({ pid, url }, calls, { clients: count, path = '' }) {
  const clients = Array.from({ length: count }, () => createHttpClient(url + path));
  const callers = await Promise.all(
    clients.map(async (client) => callerOf(client, await calls.open(url + path), calls)),
  );
  return {
    /** Makes this many calls. Returns the calls per second and the processor time that each took in the server. */
    async measure(total) {
      const before = cpuMs(pid);
      const speed = await perSecond(callers, total);
      return { perSecond: speed, cpuUs: ((cpuMs(pid) - before) * 1000) / total };
    },
    close: () => Promise.all(clients.map((client) => client.close())),
  };
}

/** Returns a function that sends a prepared request and checks the answer. */
function callerOf({ prepare, send }, headers, { message, holds }) {
  const prepared = Array.from({ length: asked }, (_, number) =>
    prepare({ id: 1, ...message(number) }, headers),
  );
  return async (turn) => {
    const text = await send(prepared[turn % asked]);
    if (!text.includes(holds)) throw new Error(`The answer does not contain ${holds}: ${text.slice(0, 500)}`);
  };
}
