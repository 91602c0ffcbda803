import { lstat, realpath } from 'node:fs/promises';
import { systemCode } from '../system-code.ts';

/** A directory as it is found under a name that may lead elsewhere tomorrow. */
export interface FoundDirectory {
  /** Its real path; absent when there is no directory, or it can't be looked at. */
  readonly root?: string;
  /** Changes when the name leads to another directory, or to none, and when its permissions change. */
  readonly identity: string;
  /** Why there is no root, unless it is simply missing. */
  readonly error?: unknown;
}

/** Looks up what a directory's name leads to. Never throws. */
export async function identifyDirectory(directory: string): Promise<FoundDirectory> {
  try {
    const root = await realpath(directory);
    return { root, identity: await identifyFolder(root) };
  } catch (error) {
    const identity = systemCode(error);
    return identity === 'ENOENT' ? { identity } : { identity, error };
  }
}

/** What tells a folder from another one that takes its name. */
export async function identifyFolder(path: string): Promise<string> {
  const { dev, ino, birthtimeNs, mode } = await lstat(path, { bigint: true });
  return [path, dev, ino, birthtimeNs, mode].join('|');
}
