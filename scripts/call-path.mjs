// Prints our source files that run for one warm call, by folder: `workflow_next` over stdio, and `next_activity` over
// HTTP with SQLite. With --update it writes the list to docs/architecture.md. A test compares that page with the list.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { root } from './support/workspace.mjs';

const loader = pathToFileURL(join(root, 'scripts/support/source-loader.mjs')).href;
/** How long a call's delayed work may take, in milliseconds. */
const settleMs = 500;
const page = join(root, 'docs/architecture.md');

/**
 * Returns the files that run for each call.
 *
 * @returns {Promise<Record<'workflow_next' | 'next_activity', readonly string[]>>}
 */
export async function callPaths() {
  return { workflow_next: await lookupOverStdio(), next_activity: await moveOverHttp() };
}

/** The packages and apps in the order in which a call passes through them. */
const layers = [
  'apps/stdio',
  'apps/http',
  'packages/mcp',
  'packages/host',
  'packages/core',
  'packages/validation',
  'packages/conditions',
  'packages/schema',
  'packages/storage',
];

/** Returns the text of the block in docs/architecture.md: the files of each folder on one line. */
export function describePaths(paths) {
  return Object.entries(paths)
    .map(([name, files]) => [`${name}: ${files.length} files`, ...foldersOf(files)].join('\n'))
    .join('\n\n');
}

function foldersOf(files) {
  const layerOf = (folder) => layers.indexOf(folder.split('/', 2).join('/'));
  return [...new Set(files.map((file) => dirname(file)))]
    .toSorted((a, b) => layerOf(a) - layerOf(b) || (a < b ? -1 : 1))
    .map((folder) => {
      const names = files.filter((file) => dirname(file) === folder).map((file) => basename(file));
      return `  ${folder}: ${names.toSorted().join(', ')}`;
    });
}

async function lookupOverStdio() {
  const server = start('apps/stdio/src/main.ts', ['--no-user', '--no-project']);
  const lines = createInterface({ input: server.child.stdout })[Symbol.asyncIterator]();
  let id = 0;
  const ask = async (method, params) => {
    server.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method, params })}\n`);
    return JSON.parse((await lines.next()).value).result;
  };
  const call = () =>
    ask('tools/call', {
      name: 'workflow_next',
      arguments: { workflowId: 'change-review', completedSteps: [] },
    });
  const clientInfo = { name: 'call-path', version: '1' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  server.child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  await ask('tools/list', {});
  return server.filesOf(call);
}

async function moveOverHttp() {
  const workflow = { id: 'ring', name: 'Ring', description: 'Round.', version: '1.0.0' };
  const steps = Array.from({ length: 20 }, (_, at) => ({ id: `step-${at}`, title: 'T', prompt: 'P' }));
  const folder = mkdtempSync(join(tmpdir(), 'call-path-'));
  writeFileSync(join(folder, 'ring.json'), JSON.stringify({ ...workflow, steps }));
  const sources = ['--no-bundled', '--no-user', '--no-project', '--workflows', folder];
  const server = start('apps/http/src/main.ts', ['--auth', 'none', '--port', '0', ...sources]);
  const [printed] = await once(server.child.stdout.setEncoding('utf8'), 'data');
  const [url] = printed.split('\n');
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const ask = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(url, { method: 'POST', headers, body });
    headers['mcp-session-id'] ??= response.headers.get('mcp-session-id');
    return (await response.json()).result;
  };
  const tool = async (name, args) =>
    JSON.parse((await ask('tools/call', { name, arguments: args })).content[0].text);
  const clientInfo = { name: 'call-path', version: '1' };
  await ask('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  let { session_token } = await tool('start_session', { agent_id: 'a', workflow_id: 'ring' });
  let left = await tool('next_activity', { session_token });
  try {
    return await server.filesOf(async () => {
      const step_manifest = [{ step_id: left.activity_id, output: 'Done.' }];
      left = await tool('next_activity', { session_token: left.session_token, step_manifest });
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts an app on its sources. */
function start(main, args) {
  const home = mkdtempSync(join(tmpdir(), 'call-path-'));
  const coverage = join(home, 'coverage');
  const child = spawn(
    process.execPath,
    [
      '--conditions=@workflowlookup/source',
      '--import',
      loader,
      join(root, main),
      ...args,
      '--state',
      join(home, 'state'),
    ],
    {
      cwd: home,
      env: { PATH: process.env.PATH, HOME: home, NODE_V8_COVERAGE: coverage },
      stdio: ['pipe', 'pipe', 'ignore'],
    },
  );
  const taken = async () => {
    const before = reports(coverage).length;
    child.kill('SIGUSR2');
    while (reports(coverage).length === before) await pause(50);
    // The file exists before it is complete.
    for (;;) {
      const [newest] = reports(coverage).slice(-1);
      try {
        return JSON.parse(readFileSync(join(coverage, newest), 'utf8'));
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        await pause(50);
      }
    }
  };
  return {
    child,
    async filesOf(call) {
      for (let warm = 0; warm < 3; warm += 1) await call();
      await pause(settleMs);
      await taken();
      // Timers and watchers run at any time. So a file belongs to the call if it runs in every round, but not while
      // idle.
      await pause(2000);
      const idle = new Set((await taken()).result.filter(hasRun).map(({ url }) => fileURLToPath(url)));
      let ran;
      for (let round = 0; round < 5; round += 1) {
        await call();
        // Writes and log entries that a call delays belong to it too.
        await pause(settleMs);
        const { result } = await taken();
        const files = new Set(result.filter(hasRun).map(({ url }) => fileURLToPath(url)));
        ran = ran === undefined ? files : new Set([...ran].filter((file) => files.has(file)));
      }
      child.kill('SIGKILL');
      await once(child, 'close');
      rmSync(home, { recursive: true, force: true });
      return [...ran].filter((file) => !idle.has(file)).map((file) => relative(root, file));
    },
  };
}

function reports(folder) {
  try {
    return readdirSync(folder).toSorted((a, b) => sequence(a) - sequence(b));
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
}

/** Returns the number in `coverage-PID-TIME-NUMBER.json`. */
function sequence(name) {
  return Number(/-(\d+)\.json$/.exec(name)?.[1]);
}

/**
 * Returns whether a function of one of our source files was called. The module itself is listed as a function without a
 * name at offset 0, where the first function of a file may begin too.
 */
function hasRun({ url, functions }) {
  if (!url.startsWith(pathToFileURL(root).href) || !/\/src\/.*\.ts$/.test(url) || url.includes('/generated/'))
    return false;
  return functions.some(
    ({ functionName, ranges: [{ startOffset, count }] }) =>
      (functionName !== '' || startOffset > 0) && count > 0,
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const text = describePaths(await callPaths());
  console.log(text);
  if (process.argv.includes('--update')) {
    const before = readFileSync(page, 'utf8');
    writeFileSync(page, before.replace(/(```text files\n)[\s\S]*?(\n```)/, `$1${text}$2`));
  }
}
