import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import type { PageFile, PageFiles } from './page-files.ts';
import { installedPages, listPageFiles } from './page-files.ts';

/** What pages may do: nothing that does not come from this server, and in nobody's frame. */
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

/** Whether a path is one that the pages know themselves: words without dots in front, and no file of ours. */
function isAddress(name: string): boolean {
  return !name.startsWith('assets/') && /^[\w~@:-][\w.~@:-]*(\/[\w~@:-][\w.~@:-]*)*\/?$/.test(name);
}

const year = 31_536_000;

/** Serves the pages: a file by its name, and the first page for every address that the pages know themselves. */
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

  // Files alone: what holds anything secret is not compressed beside what strangers may choose.
  return new Hono().use(compress()).get('/*', async (context) => {
    const { pathname } = new URL(context.req.url);
    const name = pathname.replace(/^\/console\/?/, '');
    const file = await find(name === '' ? 'index.html' : name);
    if (file === undefined)
      return context.text(
        isAddress(name) || name === '' ? 'The console is not built.' : 'There is no such page.',
        404,
      );
    const bytes = await readFile(file.path);
    return context.body(new Uint8Array(bytes), 200, {
      'content-type': file.type,
      'cache-control': file.isHashed ? `public, max-age=${year}, immutable` : 'no-store',
    });
  });
}
