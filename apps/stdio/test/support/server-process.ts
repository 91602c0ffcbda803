import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A JSON-RPC reply. */
interface Reply {
  readonly id: string | number | null;
  readonly result?: Record<string, unknown>;
  readonly error?: {
    readonly code: number;
    readonly message: string;
    readonly data?: Record<string, unknown>;
  };
}

/** A server in its own process. */
export interface ServerProcess {
  /** The lines on standard output so far. */
  readonly lines: readonly string[];
  readonly errors: () => string;
  readonly pid: number | undefined;
  request(method: string, params?: unknown): Promise<Reply>;
  write(text: string): void;
  endInput(): void;
  closeOutput(): void;
  kill(signal: NodeJS.Signals): void;
  /** Resolves to the exit code, or to the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

export interface StartOptions {
  readonly entry: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Starts the app as a client does. Of the environment of this process, it gets only PATH. */
export function startServer({ entry, args = [], env = {}, cwd }: StartOptions): ServerProcess {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'pipe',
    ...(cwd === undefined ? {} : { cwd }),
  });
  const lines: string[] = [];
  let rest = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  child.stdin.on('error', () => undefined);
  const ended = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | NodeJS.Signals);
  let lastId = 0;
  return {
    lines,
    errors: () => errors,
    pid: child.pid,
    ended,
    async request(method, params) {
      lastId += 1;
      const id = `r${lastId}`;
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
      for (;;) {
        const found = lines.map((line) => JSON.parse(line) as Reply).find((reply) => reply.id === id);
        if (found !== undefined) return found;
        if (child.exitCode !== null)
          throw new Error(`the server ended before it answered ${method}: ${errors}`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    },
    write: (text) => void child.stdin.write(text),
    endInput: () => child.stdin.end(),
    closeOutput: () => child.stdout.destroy(),
    kill: (signal) => void child.kill(signal),
  };
}

/** Starts a server and initializes the connection. */
export async function openServer(options: StartOptions): Promise<ServerProcess> {
  const server = startServer(options);
  await server.request('initialize', { protocolVersion: '2025-06-18', capabilities: {} });
  return server;
}

/** Calls a function until its result is the wanted one. After five seconds, returns the last result. */
export async function eventually<T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean): Promise<T> {
  const deadline = Date.now() + 5000;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer) || Date.now() > deadline) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
