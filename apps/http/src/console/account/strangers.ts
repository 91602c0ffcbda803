import type { MiddlewareHandler } from 'hono';
import { createShare } from '../../guards/share.ts';
import { answerError, answerTooMany } from '../answer-error.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { limitBody, requestOf } from '../read-input.ts';

/** Largest body of a request that nobody is signed in for. What a sign-in sends is smaller. */
const maxBytes = 16_384;

/** How long such a body may be on its way. */
const maxMs = 5000;

/** How many of these requests one address may have under way. */
const ofOneAddress = 16;

/**
 * Takes requests that come before a sign-in. Anybody can send them, so all of them together use at most a quarter of the
 * requests that the server takes at once, and those with a credential keep the rest. Their bodies are read here.
 *
 * @see docs/operations.md#limits
 */
export function admitStrangers({
  failed,
  network: { maxRequests },
}: Pick<ConsoleParts, 'failed' | 'network'>): MiddlewareHandler {
  const ofAll = createShare(Math.ceil(maxRequests / 4));
  const ofAddress = createShare(ofOneAddress);
  const limit = limitBody(maxBytes);

  const take: MiddlewareHandler = async (context, next) => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<'late'>((resolve) => {
      timer = setTimeout(() => resolve('late'), maxMs);
    });
    // Hono keeps the text for the route.
    const body = limit(context, async () => void (await context.req.text()));
    const refused = await Promise.race([body, late]).finally(() => clearTimeout(timer));
    if (refused === undefined) return next();
    if (refused !== 'late') return refused;
    context.header('connection', 'close');
    const message = `The body did not arrive within ${maxMs / 1000} s. Send the request again.`;
    return answerError(context, { code: 'INVALID_PARAMS', message }, 408);
  };

  return async (context, next) => {
    const tooMany = (): Response => answerTooMany(context, 1);
    const ofThisServer = async () => ofAll.run('', async () => take(context, next)) ?? tooMany();
    return ofAddress.run(failed.addressOf(requestOf(context)), ofThisServer) ?? tooMany();
  };
}
