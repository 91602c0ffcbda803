import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { newerNode } from '../../scripts/support/newer-node.mjs';

/** The Inspector's command line as a client. It opens a new connection for each call. */
export interface Inspector {
  /** @throws Error if some hosts can't read the schema of a tool */
  listTools(): Promise<unknown>;
  /** @throws Error also if the result of the tool is an error */
  callTool(call: { readonly name: string; readonly arguments: object }): Promise<unknown>;
  close(): Promise<void>;
}

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/inspector/package.json');
const commandLine = join(dirname(manifest), 'clients', 'cli', 'build', 'index.js');
const driver = fileURLToPath(new URL('inspector-driver.ts', import.meta.url));

/** Starts the Inspector for a server: an address, or a command and its arguments. Its home is a temporary folder. */
export async function openInspector(...server: readonly string[]): Promise<Inspector> {
  const home = await mkdtemp(join(tmpdir(), 'inspector-'));
  const child = fork(driver, [commandLine], {
    execPath: newerNode(),
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: { HOME: home, USERPROFILE: home },
  });
  const gone = new AbortController();
  child.once('exit', () => gone.abort());
  const nextMessage = () => once(child, 'message', { signal: gone.signal });
  await nextMessage();
  let runs = 0;

  async function run(...args: readonly string[]): Promise<unknown> {
    runs += 1;
    const output = join(home, `${runs}.json`);
    child.send([...server, ...args, '--quiet', '--output', output]);
    const [{ error }] = (await nextMessage()) as [{ readonly error?: string }];
    if (error !== undefined) throw new Error(`${args.join(' ')}: ${error}`);
    return JSON.parse(await readFile(output, 'utf8')) as unknown;
  }

  return {
    listTools: () => run('--method', 'tools/list', '--strict'),
    callTool: ({ name, arguments: args }) =>
      run('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)),
    async close() {
      child.disconnect();
      await once(child, 'exit');
      await rm(home, { recursive: true });
    },
  };
}
