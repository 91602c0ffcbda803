import { readdir } from 'node:fs/promises';
import { dirname, extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the built pages. */
export interface PageFile {
  /** Absolute path. */
  readonly path: string;
  readonly type: string;
  /** Its name changes with what is in it. */
  readonly isHashed: boolean;
}

/** Files by their path, `/` between the parts. */
export type PageFiles = ReadonlyMap<string, PageFile>;

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
};

/** Where the built pages are installed; `undefined` where they are not. */
export function installedPages(): string | undefined {
  try {
    const manifest = import.meta.resolve('@workflowlookup/console/package.json');
    return join(dirname(fileURLToPath(manifest)), 'dist');
  } catch {
    // Nobody installed them: the console says so.
    return undefined;
  }
}

/** Everything in a folder that a browser may have: what is not in the list is not served, whatever is asked for. */
export async function listPageFiles(folder: string): Promise<PageFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .flatMap((entry) => {
        const path = join(entry.parentPath, entry.name);
        const type = types[extname(entry.name)];
        const name = path.slice(folder.length + 1).replaceAll(sep, '/');
        return type === undefined
          ? []
          : [[name, { path, type, isHashed: name.startsWith('assets/') }] as const];
      }),
  );
}
