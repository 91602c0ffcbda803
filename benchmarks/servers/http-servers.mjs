import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * An HTTP server in its own process.
 *
 * @typedef {object} HttpServer
 * @property {number} pid
 * @property {string} url the address that it prints first
 * @property {() => Promise<void>} stop
 */

let started = 0;

/**
 * Starts `node ...args` and waits for the address that it prints. Its log goes to a file, as on a production server.
 *
 * @param {readonly string[]} args
 * @param {{ readonly home: string, readonly env?: Readonly<Record<string, string>> }} place
 * @returns {Promise<HttpServer>}
 */
export async function startHttpServer(args, { home, env = {} }) {
  const logFile = join(home, `http-server-${(started += 1)}.log`);
  const log = openSync(logFile, 'w');
  const { PATH, LANG = 'C.UTF-8' } = process.env;
  const child = spawn(process.execPath, args, {
    cwd: home,
    env: { PATH, LANG, HOME: home, ...env },
    stdio: ['ignore', 'pipe', log],
  });
  closeSync(log);
  const exited = new Promise((resolve) => child.once('close', resolve));
  const printed = new Promise((resolve) => child.stdout.setEncoding('utf8').once('data', resolve));
  const address = await Promise.race([printed, exited.then(() => undefined)]);
  if (address === undefined)
    throw new Error(`The server ended before it listened. ${readFileSync(logFile, 'utf8').slice(-500)}`);
  return {
    pid: child.pid,
    url: address.split('\n')[0],
    async stop() {
      child.kill('SIGTERM');
      const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
      await exited;
      clearTimeout(timer);
    },
  };
}

/** Starts our server with only one folder of definitions, on a free port. */
export function startOurHttp({ httpFile, scratch, nodeFlags = [] }, definitions, { flags = [], env } = {}) {
  const sources = ['--no-bundled', '--no-user', '--no-project', '--workflows', definitions];
  const state = ['--state', join(scratch, 'http-state')];
  return startHttpServer([...nodeFlags, httpFile, '--port', '0', ...sources, ...state, ...flags], {
    home: scratch,
    env,
  });
}
