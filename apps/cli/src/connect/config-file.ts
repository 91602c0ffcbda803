import { readFile } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { WorkflowError, isJsonObject } from '@workflowlookup/schema';
import type { Environment } from '../command-line.ts';
import { messages } from '../messages.ts';
import type { ClientId, Entry } from './clients.ts';

/** Who a configuration file is for: everyone who works on the project, or only the user. */
export type Scope = 'project' | 'user';

/** The machine that a client runs on. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly home: string;
  readonly cwd: string;
  readonly env: Environment;
}

interface Places extends Machine {
  readonly join: (...parts: string[]) => string;
  /** The folder where the operating system keeps application settings. */
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

/** Returns the scopes for which a client has a file, the usual one first. */
export function scopesOf(id: ClientId): readonly [Scope, ...Scope[]] {
  if (projectFiles[id] === undefined) return ['user'];
  return id === 'codex' ? ['user', 'project'] : ['project', 'user'];
}

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

/**
 * Reads the configuration file of a client. Returns `undefined` if the file does not exist.
 *
 * @throws WorkflowError INVALID_FILE if it is not UTF-8
 */
export async function readConfig(file: string): Promise<ConfigText | undefined> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (bytes === undefined) return undefined;
  try {
    return { file, text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw problemAt({ file, text: '' }, 0, messages.connect.notUtf8);
  }
}

export interface ConfigText {
  /** The path, for messages. */
  readonly file: string;
  readonly text: string;
}

/** Returns an error that says why a file can't be changed, with the position. */
export function problemAt({ file, text }: ConfigText, offset: number, message: string): WorkflowError {
  const lines = text.slice(0, offset).split('\n');
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return new WorkflowError(
    'INVALID_FILE',
    messages.connect.notChanged(`${file}:${lines.length}:${column}`, message),
  );
}

export function lineEnd(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** Returns whether an entry reaches its server in the same way, so that what the user added to it still applies. */
export function isOfSameKind(old: unknown, { url }: Entry): old is Entry {
  return isJsonObject(old) && (url === undefined ? 'command' : 'url') in old;
}
