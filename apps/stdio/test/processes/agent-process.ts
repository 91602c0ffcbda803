import type { StdioOptions } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Answer } from '../support/served-host.ts';
import { answerOf, hello } from '../support/served-host.ts';

/** The app in its own process, with functions that call it as an agent does. */
export interface AgentProcess {
  readonly pid: number | undefined;
  /** Calls a tool. Rejects if the process ends before it answers. */
  call(name: string, args?: object): Promise<Answer>;
  /** Calls a tool without waiting for the answer. */
  send(name: string, args?: object): void;
  errors(): string;
  isRunning(): boolean;
  /** Kills it, and waits until the process has ended. */
  kill(): Promise<void>;
  /** Closes its input, and returns its exit code. */
  end(): Promise<number | null>;
}

export interface AgentProcessOptions {
  readonly entry: string;
  readonly flags: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** File descriptor for its answers. Without it, `call` reads them. */
  readonly output?: number;
  /** The user that it runs as. */
  readonly user?: { readonly uid?: number; readonly gid?: number };
}

/** Starts the app and sends the first message. */
export function startAgent(options: AgentProcessOptions): AgentProcess {
  const { entry, flags, env = {}, output, user = {} } = options;
  const stdio: StdioOptions = ['pipe', output ?? 'pipe', 'pipe'];
  const child = spawn(process.execPath, [entry, ...flags], {
    env: { PATH: process.env['PATH'], HOME: '/nowhere', ...env },
    stdio,
    cwd: '/',
    ...user,
  });
  const waiting = new Map<string, { resolve(line: string): void; reject(error: Error): void }>();
  let [rest, errors, lastId] = ['', '', 0];
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) waiting.get((JSON.parse(line) as { id: string }).id)?.resolve(line);
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  child.stdin?.on('error', () => undefined);
  const ended = once(child, 'close').then(([code]) => {
    for (const { reject } of waiting.values()) reject(new Error(`the server ended: ${errors}`));
    return code as number | null;
  });
  function send(name: string, args: object = {}): string {
    const id = `r${(lastId += 1)}`;
    const params = { name, arguments: args };
    child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`);
    return id;
  }
  child.stdin?.write(`${JSON.stringify(hello)}\n`);
  return {
    pid: child.pid,
    errors: () => errors,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    send: (name, args) => void send(name, args),
    async call(name, args) {
      const id = send(name, args);
      const line = await new Promise<string>((resolve, reject) => waiting.set(id, { resolve, reject }));
      waiting.delete(id);
      return answerOf(line);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
    end() {
      child.stdin?.end();
      return ended;
    },
  };
}
