import { join } from 'node:path';
import { startServer } from '../clients/stdio-client.mjs';

/**
 * The parameters of every benchmark.
 *
 * @typedef {object} Bench
 * @property {string} serverFile the built stdio app
 * @property {string} httpFile the built HTTP app
 * @property {string} echoFile the bundled echo server
 * @property {readonly string[]} [nodeFlags] flags of Node for our servers
 * @property {string} scratch a temporary folder, empty at first, removed at the end
 */

/**
 * Starts our server with only one folder of definitions, and with additional flags, such as `--state`.
 */
export function startOurs({ serverFile, scratch, nodeFlags = [] }, definitions, flags = []) {
  const sources = ['--no-bundled', '--no-user', '--no-project', '--workflows', definitions];
  return startServer([...nodeFlags, serverFile, ...sources, ...state(scratch), ...flags], scratch);
}

/** Starts our server with its bundled workflows. */
export function startBundled({ serverFile, scratch }, flags = []) {
  return startServer([serverFile, '--no-user', '--no-project', ...state(scratch), ...flags], scratch);
}

/** Starts the SDK's echo server. */
export function startEcho({ echoFile, scratch }) {
  return startServer([echoFile], scratch);
}

/** Runs a job with servers and stops them afterwards, even if the job fails. */
export async function withServers(servers, job) {
  try {
    return await job(servers);
  } finally {
    await Promise.all(Object.values(servers).map((server) => server.stop()));
  }
}

function state(scratch) {
  return ['--state', join(scratch, 'state')];
}
