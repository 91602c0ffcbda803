import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** The app in its own process, at a local port. */
export interface Replica {
  /** Address of `/mcp`. */
  readonly url: string;
  readonly process: ChildProcess;
  /** Returns everything that it has logged. */
  log(): string;
  /** Requests another route, such as `/readyz`. */
  get(path: string): Promise<Response>;
  /** Stops it with SIGTERM, and returns its exit code. */
  stop(): Promise<number | null>;
  /** Kills it, and waits until the process has ended. */
  kill(): Promise<void>;
}

export interface ReplicaOptions {
  /** Entry file of the bundled app. */
  readonly entry: string;
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Arguments of Node itself. */
  readonly node?: readonly string[];
  /** Port to listen on; a free port by default. */
  readonly port?: number;
}

/** Starts the app and waits until its port is open. */
export async function startReplica(options: ReplicaOptions): Promise<Replica> {
  const { entry, flags, env = {}, node = [], port = 0 } = options;
  const child = spawn(process.execPath, [...node, entry, '--port', String(port), ...flags], {
    env: { PATH: process.env['PATH'], HOME: '/nowhere', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    cwd: '/',
  });
  let log = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const url = await Promise.race([
    once(child.stdout as NodeJS.ReadableStream, 'data').then(([lines]) => String(lines).split('\n')[0] ?? ''),
    ended.then(() => Promise.reject(new Error(`the app ended before it listened: ${log}`))),
  ]);
  return {
    url,
    process: child,
    log: () => log,
    get: (path) => fetch(new URL(path, url), { headers: { connection: 'close' } }),
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** Returns the port on which a replica listens. */
export function portOf({ url }: Replica): number {
  return Number(new URL(url).port);
}
