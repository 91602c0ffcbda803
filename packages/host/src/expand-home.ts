import { join } from 'node:path';

/** A path in which `~` means the home: shells expand it, the config files of clients do not. */
export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}
