import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { compress } from 'hono/compress';
import { requestMessages } from '../messages.ts';

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
 * Matches a path that is an address within the pages: no segment begins with a dot, and it is not under `assets/`.
 */
const address = /^(?!assets\/)(?:[\w~@:-][\w.~@:-]*\/)*(?:[\w~@:-][\w.~@:-]*)?$/;

/** Matches a path with a segment that begins with a dot. Such files are not part of the pages. */
const hidden = /\/\./;

const year = 31_536_000;

/** Serves the files by their names, and `index.html` for every address that the pages handle themselves. */
export function pageRoutes(root: string | undefined = installedPages()): Hono {
  const nameOf = (path: string): string => path.replace(/^\/console\/?/, '');
  const pages = new Hono();
  if (root !== undefined && existsSync(root)) {
    const index = serveStatic({ root, path: 'index.html' });
    const files = serveStatic({ root, rewriteRequestPath: nameOf });
    pages
      // Only static files are compressed. Compressing secrets together with text that an attacker chooses can reveal the
      // secrets.
      .use(compress())
      .use('/assets/*', async (context, next) => {
        await next();
        // Their names contain a hash of their content.
        if (context.res.ok) context.header('cache-control', `public, max-age=${year}, immutable`);
      })
      .get('/*', (context, next) => (hidden.test(context.req.path) ? next() : files(context, next)))
      .get('/*', (context, next) => (address.test(nameOf(context.req.path)) ? index(context, next) : next()));
  }
  return pages.get('/*', ({ req, text }) =>
    text(address.test(nameOf(req.path)) ? requestMessages.notBuilt() : requestMessages.noPage(), 404),
  );
}
