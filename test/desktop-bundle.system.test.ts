import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { root } from '../scripts/support/workspace.mjs';

interface Manifest {
  readonly version: string;
  readonly server: { readonly mcp_config: { readonly command: string; readonly args: readonly string[] } };
  readonly tools: readonly { readonly name: string }[];
}

const home = mkdtempSync(join(tmpdir(), 'desktop-bundle-'));
const unpacked = join(home, 'unpacked');
afterAll(() => rmSync(home, { recursive: true, force: true }));

function makeAndUnpack(): Manifest {
  const made = execFileSync(process.execPath, [join(root, 'scripts/desktop-bundle.mjs'), home], {
    encoding: 'utf8',
  });
  execFileSync('mcpb', ['unpack', made.trim(), unpacked], { shell: process.platform === 'win32' });
  return JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')) as Manifest;
}

/** Starts the server like a desktop client does, and returns the results of the calls. */
function ask({ server }: Manifest, calls: readonly { method: string; params: object }[]): object[] {
  const { command, args } = server.mcp_config;
  const input = calls.map((call, id) => `${JSON.stringify({ jsonrpc: '2.0', id, ...call })}\n`).join('');
  const { stdout } = spawnSync(
    command,
    args.map((arg) => arg.replace('${__dirname}', unpacked)),
    { cwd: home, env: { PATH: process.env['PATH'], HOME: home }, encoding: 'utf8', input },
  );
  return stdout
    .trim()
    .split('\n')
    .map((line) => (JSON.parse(line) as { result: object }).result);
}

test('The bundle for desktop clients is valid, contains no paths of this machine, and starts a server', () => {
  const manifest = makeAndUnpack();
  const clientInfo = { name: 'desktop', version: '1.0.0' };
  const [opened, listed, started] = ask(manifest, [
    { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
    { method: 'tools/list', params: {} },
    {
      method: 'tools/call',
      params: { name: 'start_session', arguments: { workflow_id: 'issue-to-merge', agent_id: 'desktop' } },
    },
  ]);
  expect(opened).toMatchObject({ serverInfo: { version: manifest.version } });
  expect(listed).toMatchObject({ tools: manifest.tools.map(({ name }) => ({ name })) });
  expect(started).not.toMatchObject({ isError: true });
  expect(JSON.stringify(started)).toContain('session_token');
  const files = readdirSync(unpacked, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name));
  expect(paths.filter((path) => readFileSync(path).includes(root))).toEqual([]);
}, 120_000);
