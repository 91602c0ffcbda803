import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Output, Terminal } from '../terminal/terminal.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface CommandLine {
  readonly terminal: Terminal;
  readonly env: Environment;
  readonly version: string;
  exit(code: ExitCode): void;
}

/** What a command gets, with the output in the form that `--json` asks for. */
export interface CommandContext extends Output, Pick<CommandLine, 'env' | 'version'> {}

/**
 * Exit codes: success, a problem was found, the command could not do its work, or it lacked the keys to check
 * everything.
 */
export const exitCodes = { ok: 0, findings: 1, usage: 2, unchecked: 3 } as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Returns the parts that apply: `undefined` and `false` stand for those that don't. */
export function present<Part>(parts: readonly (Part | false | undefined)[]): readonly Part[] {
  return parts.filter((part) => part !== undefined && part !== false) as Part[];
}

/** Returns the members of an object that are not undefined. */
export function defined<Values extends object>(
  values: Values,
): { [Name in keyof Values]?: Exclude<Values[Name], undefined> } {
  const members = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as ReturnType<typeof defined<Values>>;
}

/** Returns whether a text is an HTTP address without credentials. */
export function isHttpUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}

export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns the command that starts this program at a terminal: its name if it is on the PATH, otherwise its file. */
export function ownCommand(entry: string, env: Environment): string {
  if (/[\\/]_npx[\\/]/.test(entry)) return 'npx -y workflowlookup';
  return isOnPath(env['PATH'] ?? env['Path'] ?? '') ? 'workflowlookup' : `node ${shellArgument(entry)}`;
}

/** npm adds these folders to the PATH of the programs it starts, which the PATH of a terminal lacks. */
const ofNpm = /[\\/]node_modules[\\/]\.bin[\\/]?$/;

function isOnPath(path: string): boolean {
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !ofNpm.test(folder));
  const names =
    process.platform === 'win32' ? ['workflowlookup.cmd', 'workflowlookup.exe'] : ['workflowlookup'];
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name))));
}

export function shellArgument(path: string): string {
  return process.platform === 'win32' ? `"${path}"` : shellWord(path);
}

/** The file that starts this program. Bundled files are beside it. */
export const ownEntry = fileURLToPath(new URL('main.js', import.meta.url));
