import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Environment } from './command-line.ts';
import { shellWord } from './render/shell-word.ts';

/** The command with which a person starts this program again at a terminal: its name if that is on the PATH, otherwise its file. */
export function ownCommand(entry: string, env: Environment): string {
  if (/[\\/]_npx[\\/]/.test(entry)) return 'npx -y workflowlookup';
  return isOnPath(env['PATH'] ?? env['Path'] ?? '') ? 'workflowlookup' : `node ${shellArgument(entry)}`;
}

/** A folder that npm puts on the PATH of what it starts is not on that of a terminal. */
function isOnPath(path: string): boolean {
  const folders = path.split(delimiter).filter((folder) => folder !== '' && !isOfNpm(folder));
  const names =
    process.platform === 'win32' ? ['workflowlookup.cmd', 'workflowlookup.exe'] : ['workflowlookup'];
  return folders.some((folder) => names.some((name) => existsSync(join(folder, name))));
}

function isOfNpm(folder: string): boolean {
  return /[\\/]node_modules[\\/]\.bin[\\/]?$/.test(folder);
}

/** A path as the shell of this platform takes it. */
export function shellArgument(path: string): string {
  return process.platform === 'win32' ? `"${path}"` : shellWord(path);
}
