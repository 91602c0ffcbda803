import type { BigIntStats } from 'node:fs';
import { lstat, realpath } from 'node:fs/promises';
import { sep } from 'node:path';

/** Where a symbolic link leads, seen from the source it lies in. */
export type LinkTarget =
  | { readonly kind: 'inside'; readonly path: string; readonly stats: BigIntStats }
  | { readonly kind: 'outside' }
  | { readonly kind: 'broken'; readonly error: unknown };

/** Resolves a link; what lies outside `root` (a real path) is neither opened nor looked at beyond its name. */
export async function resolveLink(root: string, link: string): Promise<LinkTarget> {
  try {
    const path = await realpath(link);
    if (!isInside(root, path)) return { kind: 'outside' };
    return { kind: 'inside', path, stats: await lstat(path, { bigint: true }) };
  } catch (error) {
    return { kind: 'broken', error };
  }
}

/** Whether a real path lies in a folder, or is that folder, after the links of the folder's own path are resolved. */
export async function liesIn(folder: string, path: string): Promise<boolean> {
  try {
    return isInside(await realpath(folder), path);
  } catch {
    // Nothing lies in a folder that is not there.
    return false;
  }
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
