import { expect, test } from 'vitest';
import { connectMessages } from '../../src/messages/clients.ts';
import type { ClientId, Machine, Scope } from '../../src/connect/clients.ts';
import { configFileOf, scopesOf } from '../../src/connect/clients.ts';
import { ownServer, serverOf } from '../../src/connect/connect.ts';

const linux: Machine = { platform: 'linux', home: '/home/ada', cwd: '/project', env: {} };
const mac: Machine = { platform: 'darwin', home: '/Users/ada', cwd: '/project', env: {} };
const windows: Machine = { platform: 'win32', home: 'C:\\Users\\ada', cwd: 'C:\\work', env: {} };

test.each<[ClientId, Scope, Machine, string]>([
  ['claude-code', 'project', linux, '/project/.mcp.json'],
  ['claude-code', 'user', linux, '/home/ada/.claude.json'],
  ['claude-code', 'user', { ...linux, env: { CLAUDE_CONFIG_DIR: '/c' } }, '/c/.claude.json'],
  ['claude-code', 'user', windows, 'C:\\Users\\ada\\.claude.json'],
  ['claude-desktop', 'user', linux, '/home/ada/.config/Claude/claude_desktop_config.json'],
  ['claude-desktop', 'user', mac, '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json'],
  [
    'claude-desktop',
    'user',
    { ...windows, env: { APPDATA: 'D:\\Roaming' } },
    'D:\\Roaming\\Claude\\claude_desktop_config.json',
  ],
  ['vscode', 'project', windows, 'C:\\work\\.vscode\\mcp.json'],
  ['vscode', 'user', linux, '/home/ada/.config/Code/User/mcp.json'],
  ['vscode', 'user', { ...linux, env: { XDG_CONFIG_HOME: '/x' } }, '/x/Code/User/mcp.json'],
  ['vscode', 'user', mac, '/Users/ada/Library/Application Support/Code/User/mcp.json'],
  ['vscode', 'user', windows, 'C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json'],
  ['cursor', 'project', mac, '/project/.cursor/mcp.json'],
  ['cursor', 'user', windows, 'C:\\Users\\ada\\.cursor\\mcp.json'],
  ['codex', 'user', mac, '/Users/ada/.codex/config.toml'],
  ['codex', 'user', { ...linux, env: { CODEX_HOME: '/c' } }, '/c/config.toml'],
  ['codex', 'project', linux, '/project/.codex/config.toml'],
])('The file of %s in the scope %s is found', (id, scope, machine, file) => {
  expect(scopesOf(id)).toContain(scope);
  expect(configFileOf(id, scope, machine)).toBe(file);
});

test('A program that npx downloaded is started with npx, and any other with its path', () => {
  expect(ownServer('/opt/flows/dist/main.js', 'linux')).toEqual({
    command: process.execPath,
    args: ['/opt/flows/dist/main.js', 'serve', 'stdio'],
  });
  expect(ownServer('/home/ada/.npm/_npx/1f/node_modules/workflowlookup/dist/main.js', 'linux')).toEqual({
    command: 'npx',
    args: ['-y', 'workflowlookup', 'serve', 'stdio'],
  });
  expect(
    ownServer(String.raw`C:\npm-cache\_npx\1f\node_modules\workflowlookup\dist\main.js`, 'win32'),
  ).toEqual({
    command: 'cmd',
    args: ['/c', 'npx', '-y', 'workflowlookup', 'serve', 'stdio'],
  });
});

const own = { command: 'node', args: ['main.js'] };

test.each([
  { flags: { keyEnv: 'KEY' }, says: connectMessages.keyEnvWithoutHttp },
  { flags: { http: 'flows.example.com' }, says: connectMessages.httpUrl },
  { flags: { http: 'ftp://flows.example.com' }, says: connectMessages.httpUrl },
  { flags: { http: 'https://ada:secret@flows.example.com' }, says: connectMessages.httpUrl },
  { flags: { http: 'https://x/mcp', keyEnv: 'wl_1-2' }, says: connectMessages.keyEnvName },
  {
    flags: { http: 'https://x/mcp', serverOptions: ['--state', 'x'] },
    says: connectMessages.serverOptions('--state x'),
  },
])('The options $flags are refused', ({ flags, says }) => {
  expect(() => serverOf({ serverOptions: [], ...flags }, own)).toThrow(says);
});
