import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../command-line.ts';

export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** Returns the command that starts this program at a terminal: its name if it is on the PATH, otherwise its file. */
export function ownCommand(entry: string, env: Environment): string {
  if (/[\\/]_npx[\\/]/.test(entry)) return 'npx -y workflowlookup';
  return isOnPath(env['PATH'] ?? env['Path'] ?? '') ? 'workflowlookup' : `node ${shellArgument(entry)}`;
}

/** npm adds folders to the PATH of the programs it starts, which the PATH of a terminal lacks. */
function isOnPath(path: string): boolean {
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !isOfNpm(folder));
  const names =
    process.platform === 'win32' ? ['workflowlookup.cmd', 'workflowlookup.exe'] : ['workflowlookup'];
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name))));
}

function isOfNpm(folder: string): boolean {
  return /[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder);
}

export function shellArgument(path: string): string {
  return process.platform === 'win32' ? `"${path}"` : shellWord(path);
}

/** The file that starts this program. Bundled files are beside it. */
export const ownEntry = fileURLToPath(new URL('main.js', import.meta.url));
