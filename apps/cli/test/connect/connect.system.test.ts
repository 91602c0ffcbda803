import { spawnSync } from 'node:child_process';
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createHost } from '@workflowlookup/host';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { terminalMessages } from '../../src/messages/common.ts';
import { connectMessages, hookMessages } from '../../src/messages/clients.ts';
import { eventually, openServer } from '../../../stdio/test/support/server-process.ts';
import type { CliOptions } from '../support/cli-process.ts';
import { ownCommand } from '../../src/commands/command-line.ts';
import { startCli } from '../support/cli-process.ts';
import { jsonOf } from '../support/json-schemas.ts';
import { buildCli, removeApp } from '../support/test-cli.ts';

let entry: string;
let root: string;

beforeAll(async () => {
  entry = await buildCli();
}, 60_000);

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'workflowlookup-connect-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

afterAll(() => removeApp(entry));

const connect = (args: readonly string[], more: Partial<CliOptions> = {}) =>
  startCli(['connect', ...args], { entry, cwd: root, ...more }).ended;
const inRoot = (...path: string[]): string => join(root, ...path);
const masked = (text: string): string =>
  text
    .replaceAll('\r', '')
    .replaceAll(process.execPath, 'NODE')
    .replaceAll(entry, 'ENTRY')
    .replaceAll(root, 'ROOT');

const canOpenTerminal = String(spawnSync('script', ['--version']).stdout).includes('util-linux');

describe('the configuration block that connect prints', () => {
  test('is the only text on standard output, so that it can be piped', async () => {
    const { code, out, err } = await connect(['codex', '--', '--state', '/s s']);
    expect({ code, out: masked(out), err: masked(err) }).toEqual({
      code: 0,
      out: '[mcp_servers.workflowlookup]\ncommand = "NODE"\nargs = ["ENTRY","serve","stdio","--state","/s s"]\n',
      err:
        `${connectMessages.add('Codex', 'ROOT/.codex/config.toml')}\n` +
        `${hookMessages.offer('codex', undefined)}\n`,
    });
  });

  test('is followed by the command that installs hooks for the user if it is for the user', async () => {
    const { err } = await connect(['claude-code', '--scope', 'user']);
    expect(err).toContain(`${hookMessages.offer('claude-code', 'user')}\n`);
  });

  test('is not followed by a hint about hooks if they are installed', async () => {
    await startCli(['hooks', 'install', 'codex', '--user', '--yes'], { entry, cwd: root }).ended;
    const { code, err } = await connect(['codex']);
    expect({ code, err: masked(err) }).toEqual({
      code: 0,
      err: `${connectMessages.add('Codex', 'ROOT/.codex/config.toml')}\n`,
    });
  });

  test('is printed as JSON with --json', async () => {
    const { out, err } = await connect(['claude-code', '--json']);
    expect(err).toBe('');
    expect(jsonOf('connect', out)).toEqual({
      client: 'claude-code',
      where: 'run',
      language: 'sh',
      text: `claude mcp add workflowlookup -- ${process.execPath} ${entry} serve stdio`,
    });
  });

  test('starts a server that lists its tools', async () => {
    const { out } = await connect(['cursor', '--', '--no-bundled', '--tools', 'lookup']);
    const { mcpServers } = JSON.parse(out) as {
      mcpServers: { workflowlookup: { command: string; args: readonly [string, ...string[]] } };
    };
    const { command, args } = mcpServers.workflowlookup;
    expect(command).toBe(process.execPath);
    const [main, ...rest] = args;
    const server = await openServer({ entry: main, args: rest, cwd: root });
    const { result } = await server.request('tools/list');
    server.endInput();
    expect(await server.ended).toBe(0);
    expect(result?.['tools']).toHaveLength(5);
  });

  test.each([
    { args: [], says: "missing required argument 'client'" },
    { args: ['emacs'], says: 'Allowed choices are claude-code, claude-desktop, vscode, cursor, codex' },
    { args: ['cursor', '--state', 'x'], says: "unknown option '--state'" },
    {
      args: ['claude-desktop', '--http', 'https://x/mcp'],
      says: connectMessages.noAddress('Claude Desktop', 'https://x/mcp', 'claude-desktop'),
    },
    {
      args: ['claude-desktop', '--scope', 'project'],
      says: connectMessages.noScope('Claude Desktop', 'project'),
    },
    { args: ['cursor', '--http', 'x'], says: connectMessages.httpUrl },
  ])('is not printed for $args', async ({ args, says }) => {
    const { code, out, err } = await connect(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(says);
  });
});

describe('an untrusted definition of the project', () => {
  beforeEach(async () => {
    await mkdir(inRoot('workflows'));
    await writeFile(inRoot('workflows', 'mine.json'), '{"id": "my-flow"}');
  });

  /** Returns the printed command that trusts the definition, with these folders on the PATH. */
  async function commandWith(...folders: readonly string[]): Promise<string> {
    const path = [...folders, dirname(process.execPath), '/usr/bin', '/bin'].join(':');
    const { err } = await connect(['codex'], { env: { PATH: path } });
    const command = /Review them: (?<command>.*)\n/.exec(err)?.groups?.['command'] ?? '';
    const listed = spawnSync('sh', ['-c', `${command} --list --json`], {
      cwd: root,
      encoding: 'utf8',
      env: { PATH: path, HOME: root },
    });
    expect(jsonOf('trust', listed.stdout)).toMatchObject({ untrusted: [{ id: 'my-flow' }] });
    return masked(command);
  }

  test('is counted in the same way as by the server that the client starts', async () => {
    const elsewhere = inRoot('my state');
    const host = createHost({ stateDirectory: elsewhere });
    host.trust.trustFolder(inRoot('workflows'), 'ana');
    await host.close();
    const note = async (...options: readonly string[]): Promise<string> =>
      masked((await connect(['codex', '--', '--tools', 'lookup', ...options])).err);
    expect(await note()).toContain(connectMessages.untrusted(1, 'node ENTRY trust'));
    for (const options of [['--state', elsewhere], ['--trust-project'], ['--no-project']])
      expect(await note(...options)).not.toContain(' trust');
    // The command has the state directory of that server.
    expect(await note('--state', inRoot('none yet'))).toContain("trust --state 'ROOT/none yet'\n");
  });

  test('can be trusted with the printed command', async () => {
    const bins = [inRoot('bin'), inRoot('node_modules', '.bin')];
    for (const bin of bins) {
      await mkdir(bin, { recursive: true });
      await symlink(entry, join(bin, 'workflowlookup'));
    }
    await chmod(entry, 0o755);
    expect(await commandWith()).toBe('node ENTRY trust');
    // npm adds this folder to the PATH of the programs that it starts. It is not on the PATH of a terminal.
    expect(await commandWith(inRoot('node_modules', '.bin'))).toBe('node ENTRY trust');
    expect(await commandWith(inRoot('bin'))).toBe('workflowlookup trust');
    expect(ownCommand('/home/ana/.npm/_npx/0/node_modules/workflowlookup/dist/main.js', {})).toBe(
      'npx -y workflowlookup',
    );
  });
});

describe('connect --write', () => {
  const json = async (file: string): Promise<unknown> => JSON.parse(await readFile(inRoot(file), 'utf8'));

  test('creates the file, reports that, and has nothing to do the second time', async () => {
    const { code, out, err } = await connect(['vscode', '--write', '--yes']);
    expect({ code, out: masked(out) }).toEqual({
      code: 0,
      out: `${connectMessages.written('ROOT/.vscode/mcp.json', 'created', 'VS Code')}\n`,
    });
    expect(masked(err)).toContain('ROOT/.vscode/mcp.json\n+{\n+  "servers": {\n');
    expect(await json('.vscode/mcp.json')).toEqual({
      servers: {
        workflowlookup: { type: 'stdio', command: process.execPath, args: [entry, 'serve', 'stdio'] },
      },
    });
    const again = await connect(['vscode', '--write']);
    expect(masked(again.out)).toBe(`${connectMessages.alreadyKnown('VS Code', 'ROOT/.vscode/mcp.json')}\n`);
    expect(again.err).toBe('');
  });

  test('changes only its own entry in a file of the user, which stays a link and keeps its mode', async () => {
    await mkdir(inRoot('dotfiles'));
    await mkdir(inRoot('.codex'));
    const before = '# mine\nmodel = "gpt-5"\n';
    await writeFile(inRoot('dotfiles', 'codex.toml'), before, { mode: 0o600 });
    await symlink(inRoot('dotfiles', 'codex.toml'), inRoot('.codex', 'config.toml'));
    const http = ['--http', 'https://flows.example.com/mcp', '--key-env', 'TEAM_KEY'];
    const { out } = await connect(['codex', '--write', '--yes', '--json', ...http]);
    expect(jsonOf('connect', out)).toEqual({
      client: 'codex',
      scope: 'user',
      file: inRoot('.codex', 'config.toml'),
      outcome: 'changed',
    });
    expect(await readFile(inRoot('dotfiles', 'codex.toml'), 'utf8')).toBe(
      `${before}\n[mcp_servers.workflowlookup]\nurl = "https://flows.example.com/mcp"\nbearer_token_env_var = "TEAM_KEY"\n`,
    );
    expect((await lstat(inRoot('.codex', 'config.toml'))).isSymbolicLink()).toBe(true);
    expect((await stat(inRoot('dotfiles', 'codex.toml'))).mode & 0o777).toBe(0o600);
  });

  test('writes nothing if nobody can be asked', async () => {
    const { code, out, err } = await connect(['claude-code', '--write', '--json']);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(jsonOf('error', err)).toMatchObject({
      error: { message: terminalMessages.needsYes(connectMessages.toWrite) },
    });
    await expect(stat(inRoot('.mcp.json'))).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('refuses a broken file, with the position of the error', async () => {
    await writeFile(inRoot('.mcp.json'), '{\n  "mcpServers": {,}\n}\n');
    const { code, out, err } = await connect(['claude-code', '--write', '--yes']);
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(masked(err)).toContain(`ROOT/.mcp.json:2:18: ${connectMessages.notJson('')}`);
    await writeFile(inRoot('.mcp.json'), Buffer.from([0x7b, 0xff, 0x7d]));
    expect(masked((await connect(['claude-code', '--write', '--yes'])).err)).toContain(
      connectMessages.notUtf8,
    );
  });

  test('escapes control characters in the content of a file', async () => {
    await writeFile(inRoot('.mcp.json'), '{\n  "a": 1 // \u001B[2J\u202E\n}\n');
    const { err } = await connect(['claude-code', '--write', '--yes']);
    expect(err).toContain(String.raw`\u{1b}[2J\u{202e}`);
    for (const char of ['\u001B', '\u202E']) expect(err).not.toContain(char);
  });

  test('reports that it cannot write to the folder', async (context) => {
    const other = { uid: 65_534, gid: 65_534 };
    const user = process.getuid?.() === 0 ? other : {};
    await chmod(root, 0o755);
    await mkdir(inRoot('.cursor'));
    if (user === other) {
      await chown(root, other.uid, other.gid);
      await chown(inRoot('.cursor'), other.uid, other.gid);
      const { code } = await connect(['cursor'], user).catch(() => ({ code: 1 }));
      if (code !== 0) return context.skip('another user cannot read this checkout');
    }
    await chmod(inRoot('.cursor'), 0o500);
    const { code, out, err } = await connect(['cursor', '--write', '--yes'], user);
    await chmod(inRoot('.cursor'), 0o700);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err.trim().split('\n').at(-1)).toMatch(/\(EACCES\).*\(NOT_WRITTEN\)$/);
  });

  test.skipIf(!canOpenTerminal).each([
    { input: 'y\n', code: 0, isMade: true },
    { input: 'n\n', code: 2, isMade: false },
    { input: '\u0003', code: 2, isMade: false },
  ])('shows at a terminal what changes and asks: $input', async ({ input, code, isMade }) => {
    const ended = await connect(['cursor', '--write'], { inTerminal: true, input, env: { NO_COLOR: '1' } });
    expect(ended.code).toBe(code);
    expect(masked(ended.out)).toContain('+  "mcpServers": {\n');
    expect(masked(ended.out)).toContain(`${connectMessages.write('ROOT/.cursor/mcp.json')} (y/N)`);
    expect(
      await stat(inRoot('.cursor', 'mcp.json')).then(
        () => true,
        () => false,
      ),
    ).toBe(isMade);
  });

  test.skipIf(!canOpenTerminal)('does not overwrite a file that was changed while it asked', async () => {
    const started = startCli(['connect', 'cursor', '--write'], { entry, cwd: root, inTerminal: true });
    await eventually(
      async () => started.out(),
      (out) => out.includes('(y/N)'),
    );
    await mkdir(inRoot('.cursor'));
    await writeFile(inRoot('.cursor', 'mcp.json'), '{}');
    started.child.stdin?.write('y\n');
    const { code, out } = await started.ended;
    expect(code).toBe(2);
    expect(masked(out)).toContain(connectMessages.changedMeanwhile('ROOT/.cursor/mcp.json'));
    expect(await json('.cursor/mcp.json')).toEqual({});
  });
});
