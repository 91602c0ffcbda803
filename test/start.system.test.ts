import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, onTestFinished, test } from 'vitest';

const home = mkdtempSync(join(tmpdir(), 'workflowlookup-start-'));
const path = (file: string): string => fileURLToPath(new URL(`../${file}`, import.meta.url));
const usual = 'http://127.0.0.1:8420/mcp/TOKEN';

afterAll(() => rmSync(home, { recursive: true, force: true }));

/** Runs the script that `npm start` runs after the build. */
function run(args: readonly string[]) {
  const child = spawn(process.execPath, [path('scripts/start.mjs'), ...args], { env: { HOME: home } });
  onTestFinished(() => void child.kill('SIGTERM'));
  let shown = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text));
  return { child, shown: () => shown, ended: once(child, 'close') as Promise<[number | null]> };
}

/** Starts a server, and waits until the script has printed how to connect to it. */
async function serve(args: readonly string[]) {
  const { child, shown, ended } = run(args);
  while (!shown().includes('Then ask your agent')) await once(child.stdout, 'data');
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+\/mcp\/[\w-]{32}/.exec(shown()) ?? [];
  return { child, shown, ended, url };
}

test('npm start runs a server, prints how to connect over HTTP and stdio, and stops the server', async () => {
  const { child, shown, ended, url } = await serve(['--port', '0']);
  const blocks = [...readFileSync(path('README.md'), 'utf8').matchAll(/```\w+\n([^`]*)\n```/g)]
    .map(([, text = '']) => text)
    .filter((text) => text.includes(usual));
  expect(blocks).toHaveLength(2);
  for (const block of blocks) expect(shown().replaceAll(url, usual)).toContain(`\n${block}\n`);
  expect(shown()).toMatch(/claude mcp add workflowlookup -- \S+ \S+\/apps\/stdio\/dist\/main\.js\n/);
  for (const file of ['.cursor/mcp.json', '.vscode/mcp.json', '~/.codex/config.toml'])
    expect(shown().split(`(${file}):`)).toHaveLength(3);
  expect((await fetch(new URL('/healthz', url))).status).toBe(200);
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
  await expect(fetch(new URL('/healthz', url))).rejects.toThrow('fetch failed');
});

test('Arguments after `npm start --` are passed to the server', async () => {
  const help = run(['--help']);
  expect(await help.ended).toEqual([0, null]);
  expect(help.shown()).toContain('Usage: workflowlookup-http');
  expect(await run(['--wrong']).ended).toEqual([2, null]);
});

test('npm start names the command for trusting untrusted definitions, and passes on the log', async () => {
  const project = join(home, 'project');
  mkdirSync(join(project, 'workflows'), { recursive: true });
  const steps = [{ id: 'first-step', title: 'First', prompt: 'Do it.' }];
  const flow = { id: 'my-flow', name: 'Mine', description: 'Mine.', version: '1.0.0', steps };
  writeFileSync(join(project, 'workflows', 'mine.json'), JSON.stringify(flow));
  const { child, shown, ended } = run(['--port', '0', '--state', join(home, 'state'), '--project', project]);
  let logged = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (logged += text));
  const command = `node ${path('apps/cli/dist/main.js')} trust --state '${join(home, 'state')}'`;
  while (!shown().includes(command)) await once(child.stdout, 'data');
  while (!logged.includes('"untrusted"')) await once(child.stderr, 'data');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

test('npm start collects evidence only in the project that --project names', async () => {
  const folder = mkdtempSync(join(home, 'proven-'));
  const definitions = join(folder, 'definitions');
  mkdirSync(definitions);
  writeFileSync(join(folder, 'README.md'), 'Of the project.');
  const evidence = [{ id: 'readme', file: { path: 'README.md', min_bytes: 1 } }];
  const steps = [{ id: 'write', title: 'Write', prompt: 'Write it.', evidence }];
  const flow = { id: 'prove-it', name: 'Prove', description: 'Proves it.', version: '1.0.0', steps };
  writeFileSync(join(definitions, 'prove-it.json'), JSON.stringify(flow));
  const common = ['--port', '0', '--state', join(folder, 'state'), '--workflows', definitions];
  expect(await collectWith(common)).toMatchObject({ error: { data: { reason: 'no-folder' } } });
  expect(await collectWith([...common, '--project', folder])).toMatchObject({
    result: { evidence: [{ evidence_id: 'readme', status: 'passed' }] },
  });
  for (const wrong of [['--project', join(folder, 'README.md')], ['--project']])
    expect(await run([...common, ...wrong]).ended).toEqual([2, null]);
}, 60_000);

/** Starts a server and a session, and returns the response of `collect_evidence`. */
async function collectWith(args: readonly string[]): Promise<unknown> {
  const { child, ended, url } = await serve(args);
  let session: Readonly<Record<string, string>> = {};
  const call = async (method: string, params: object): Promise<{ result: Record<string, string> }> => {
    const reply = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...session,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const id = reply.headers.get('mcp-session-id');
    if (id !== null) session = { 'mcp-session-id': id };
    const text = await reply.text();
    return JSON.parse(/^data: (\{.*\})$/m.exec(text)?.[1] ?? text) as { result: Record<string, string> };
  };
  const clientInfo = { name: 'test', version: '1' };
  await call('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  const { result: started } = await call('start_session', { workflow_id: 'prove-it', agent_id: 'agent' });
  const { result: moved } = await call('next_activity', { session_token: started['session_token'] });
  const collected = await call('collect_evidence', { session_token: moved['session_token'] });
  child.kill('SIGTERM');
  await ended;
  return collected;
}
