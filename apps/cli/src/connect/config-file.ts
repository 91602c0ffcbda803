import { posix, win32 } from 'node:path';
import type { Environment } from '../command-line.ts';
import type { ClientId } from './clients.ts';

/** Whose file it is: that of the project, which its people share, or that of the user. */
export type Scope = 'project' | 'user';

/** The machine a client runs on. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The folder of the project. */
  readonly cwd: string;
  readonly env: Environment;
}

interface Places extends Machine {
  readonly join: (...parts: string[]) => string;
  /** Where the system has programs keep their settings. */
  readonly settings: string;
}

const projectFiles: Readonly<Partial<Record<ClientId, readonly string[]>>> = {
  'claude-code': ['.mcp.json'],
  vscode: ['.vscode', 'mcp.json'],
  cursor: ['.cursor', 'mcp.json'],
  codex: ['.codex', 'config.toml'],
};

const userFiles: Readonly<Record<ClientId, (places: Places) => string>> = {
  'claude-code': ({ join, home, env }) => join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'),
  'claude-desktop': ({ join, settings }) => join(settings, 'Claude', 'claude_desktop_config.json'),
  vscode: ({ join, settings }) => join(settings, 'Code', 'User', 'mcp.json'),
  cursor: ({ join, home }) => join(home, '.cursor', 'mcp.json'),
  codex: ({ join, home, env }) => join(env['CODEX_HOME'] || join(home, '.codex'), 'config.toml'),
};

/** The scopes in which a client has a file, the one it is mostly given first. */
export function scopesOf(id: ClientId): readonly [Scope, ...Scope[]] {
  if (projectFiles[id] === undefined) return ['user'];
  return id === 'codex' ? ['user', 'project'] : ['project', 'user'];
}

/** The file that tells a client of servers. */
export function configFileOf(id: ClientId, scope: Scope, machine: Machine): string {
  const { join } = machine.platform === 'win32' ? win32 : posix;
  const inProject = scope === 'project' ? projectFiles[id] : undefined;
  if (inProject !== undefined) return join(machine.cwd, ...inProject);
  return userFiles[id]({ ...machine, join, settings: settingsOf(machine, join) });
}

function settingsOf({ platform, home, env }: Machine, join: Places['join']): string {
  switch (platform) {
    case 'darwin':
      return join(home, 'Library', 'Application Support');
    case 'win32':
      return env['APPDATA'] || join(home, 'AppData', 'Roaming');
    default:
      return env['XDG_CONFIG_HOME'] || join(home, '.config');
  }
}
