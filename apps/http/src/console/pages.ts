import { readFile, readdir } from 'node:fs/promises';
import { dirname, extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { Hono } from 'hono';
import { requestMessages } from '../messages.ts';

interface PageFile {
  readonly path: string;
  readonly type: string;
  /** Whether its name contains a hash of its content. */
  readonly isHashed: boolean;
}

/** Files by their path, `/` between the parts. */
type PageFiles = ReadonlyMap<string, PageFile>;

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

/** The folder of the built pages, or `undefined` if they are not installed. */
function installedPages(): string | undefined {
  try {
    const manifest = import.meta.resolve('@workflowlookup/console/package.json');
    return join(dirname(fileURLToPath(manifest)), 'dist');
  } catch {
    // They are not installed, and the console says so.
    return undefined;
  }
}

/** Lists the files in a folder that browsers may load. No other file is served. */
async function listPageFiles(folder: string): Promise<PageFiles> {
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

/** The content security policy: pages load only from this server, and no other page can frame them. */
export const contentSecurityPolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * Returns whether a path is an address within the pages: no segment begins with a dot, and it is not under `assets/`.
 */
function isAddress(name: string): boolean {
  return !name.startsWith('assets/') && /^[\w~@:-][\w.~@:-]*(\/[\w~@:-][\w.~@:-]*)*\/?$/.test(name);
}

async function compressed(path: string): Promise<Uint8Array<ArrayBuffer>> {
  return new Uint8Array(await promisify(gzip)(await readFile(path)));
}

const inMemory = new Map<string, Promise<Uint8Array<ArrayBuffer>>>();

/**
 * Compresses a file once and keeps the result. The files never change, and all of them together take less than a
 * megabyte.
 */
function compressedOnce(path: string): Promise<Uint8Array<ArrayBuffer>> {
  const known = inMemory.get(path);
  if (known !== undefined) return known;
  const made = compressed(path);
  inMemory.set(path, made);
  made.catch(() => inMemory.delete(path));
  return made;
}

const year = 31_536_000;

/** The new names of pages that were renamed. People may have bookmarks of the old ones. */
const moved: Readonly<Record<string, string>> = { gates: 'checkpoints', runs: 'sessions' };

/** Returns the new address of a renamed page, with the same query; `undefined` for any other page. */
function movedTo({ pathname, search }: URL): string | undefined {
  const [, page = '', rest = ''] = /^\/console\/([a-z]+)(\/.*)?$/.exec(pathname) ?? [];
  const now = moved[page];
  if (now === undefined) return undefined;
  // A tab of the session page was renamed as well.
  return `/console/${now}${rest}${search.replace(/(?<=[?&]tab=)gates\b/, 'checkpoints')}`;
}

/** Serves the files by their names, and `index.html` for every address that the pages handle themselves. */
export function pageRoutes(folder: string | undefined = installedPages()): Hono {
  let files: Promise<PageFiles> | undefined;

  async function find(name: string): Promise<PageFile | undefined> {
    if (folder === undefined) return undefined;
    files ??= listPageFiles(folder);
    const listed = await files;
    // A folder that was empty may have been built meanwhile.
    if (!listed.has('index.html')) files = undefined;
    return listed.get(name) ?? (isAddress(name) ? listed.get('index.html') : undefined);
  }

  return new Hono().get('/*', async (context) => {
    const url = new URL(context.req.url);
    const present = movedTo(url);
    if (present !== undefined) return context.redirect(present, 308);
    const { pathname } = url;
    const name = pathname.replace(/^\/console\/?/, '');
    const file = await find(name === '' ? 'index.html' : name);
    if (file === undefined)
      return context.text(
        isAddress(name) || name === '' ? requestMessages.notBuilt() : requestMessages.noPage(),
        404,
      );
    const headers = {
      'content-type': file.type,
      'cache-control': file.isHashed ? `public, max-age=${year}, immutable` : 'no-store',
      vary: 'accept-encoding',
    };
    // Only static files are compressed. Compressing secrets together with text that an attacker chooses can reveal the
    // secrets.
    if (!/\bgzip\b/.test(context.req.header('accept-encoding') ?? ''))
      return context.body(new Uint8Array(await readFile(file.path)), 200, headers);
    const bytes = await (file.isHashed ? compressedOnce(file.path) : compressed(file.path));
    return context.body(bytes, 200, { ...headers, 'content-encoding': 'gzip' });
  });
}
