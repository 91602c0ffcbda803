import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { newLink } from '../../../http/test/support/new-link.ts';
import { buildApp, isBuilt, removeApp } from '../../../stdio/test/support/built-app.ts';
import { buildPages, consoleFolder } from './build-pages.ts';
import { definitions } from './definitions.ts';

/** A server with the console, in its own process. */
export interface ConsoleServer {
  /** The URL of `/mcp`. */
  readonly url: string;
  /** The URL of the console. Without `--auth` it is a new sign-in link each time, like from `workflowlookup address`. */
  readonly console: string;
  /** The sign-in link that the server printed. */
  readonly printed: string;
  readonly port: number;
  /** Returns its log so far. */
  log(): string;
  /** Stops it gracefully. */
  stop(): Promise<void>;
  /** Kills it and waits until it has ended. */
  kill(): Promise<void>;
}

/** Starts servers for a test file, with temporary folders for their state and workflows. */
export interface ConsolePlace {
  /** Returns a directory of workflows that the console may save to. */
  workflows(): string;
  /** Returns the state directory of the servers with this state. */
  state(state: string): string;
  /** Creates an API key for the servers with this state and returns it. */
  key(state: string, scopes: readonly string[]): Promise<string>;
  /** Revokes the API key with this id. */
  revoke(state: string, id: string): Promise<void>;
  /** Starts a server for the project in a folder; by default it has none. */
  start(
    flags?: readonly string[],
    options?: { readonly port?: number; readonly state?: string; readonly folder?: string },
  ): Promise<ConsoleServer>;
}

const http = join(consoleFolder, '../http');

/** Builds the server and the console as they are published. */
export function consolePlace(): ConsolePlace {
  let entry: string;
  let root: string;
  const running = new Set<ConsoleServer>();

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'workflowlookup-console-'));
    await writeFiles(join(root, 'workflows'), definitions);
    entry = await buildApp(http);
    if (isBuilt) return;
    // The server looks for the console next to itself first, so no build of the whole repository is needed.
    const installed = join(dirname(entry), 'node_modules/@workflowlookup/console');
    await mkdir(installed, { recursive: true });
    await cp(join(consoleFolder, 'package.json'), join(installed, 'package.json'));
    await buildPages(join(installed, 'dist'));
  }, 120_000);

  afterAll(async () => {
    await Promise.all([...running].map((server) => server.kill()));
    await rm(root, { recursive: true, force: true });
    await removeApp(entry);
  }, 60_000);

  return {
    workflows: () => join(root, 'workflows'),
    state: (state) => join(root, state),
    async key(state, scopes) {
      const wanted = ['--principal', 'team', '--scope', scopes.join(','), '--state', join(root, state)];
      const made = await promisify(execFile)(process.execPath, [entry, 'keys', 'create', ...wanted]);
      return made.stdout.trim();
    },
    async revoke(state, id) {
      const wanted = [id, '--state', join(root, state)];
      await promisify(execFile)(process.execPath, [entry, 'keys', 'revoke', ...wanted]);
    },
    async start(flags = [], { port = 0, state = 'state', folder = '/' } = {}) {
      const workflows = join(root, 'workflows');
      const own = ['--no-bundled', '--no-user', '--min-response-seconds', '0'];
      if (folder === '/') own.push('--no-project', '--no-evidence');
      const places = ['--workflows', workflows, '--writable', workflows, '--state', join(root, state)];
      const server = await startServer(entry, [...own, ...places, '--port', String(port), ...flags], {
        stateDirectory: join(root, state),
        folder,
      });
      running.add(server);
      return server;
    },
  };
}

async function startServer(
  entry: string,
  args: readonly string[],
  { stateDirectory, folder }: { readonly stateDirectory: string; readonly folder: string },
): Promise<ConsoleServer> {
  const child = spawn(process.execPath, [entry, ...args], {
    env: { PATH: process.env['PATH'], HOME: '/nowhere' },
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
  const ended = once(child, 'close');
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const next = await lines.next();
    if (next.done === true) throw new Error(`the server ended before it listened: ${log}`);
    return next.value;
  };
  const url = await line();
  const printed = await line();
  return {
    url,
    printed,
    get console() {
      return newLink(printed, stateDirectory);
    },
    port: Number(new URL(url).port),
    log: () => log,
    async stop() {
      child.kill('SIGINT');
      await ended;
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function writeFiles(folder: string, files: Readonly<Record<string, unknown>>): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(
      join(folder, path),
      typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    );
  }
}
