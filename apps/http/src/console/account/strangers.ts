import type { Context, MiddlewareHandler, Next } from 'hono';
import { answerError, answerTooMany } from '../answer-error.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { limitBody, requestOf } from '../read-input.ts';

/** Largest body of a request that nobody is signed in for. What a sign-in sends is smaller. */
const maxBytes = 16_384;

/** How long such a body may be on its way. */
const maxMs = 5000;

/** How many of these requests one address may have under way. */
const ofOneAddress = 16;

/** A request under way. */
interface Stranger {
  readonly address: string;
  /** Answers it at once; absent as soon as its body is read. */
  drop?: (() => void) | undefined;
}

/**
 * Takes requests that come before a sign-in. Anybody can send them, so all of them together use at most a quarter of the
 * requests that the server takes at once, and those with a credential keep the rest. Their bodies are read here. Where
 * there is no room, the oldest one whose body is still on its way makes room: nobody keeps others out with idle
 * connections.
 *
 * @see docs/operations.md#limits
 */
export function admitStrangers({
  failed,
  network: { maxRequests },
}: Pick<ConsoleParts, 'failed'> & {
  readonly network: Pick<ConsoleParts['network'], 'maxRequests'>;
}): MiddlewareHandler {
  const ofAll = Math.ceil(maxRequests / 4);
  const limit = limitBody(maxBytes);
  /** The oldest come first. */
  const underWay = new Set<Stranger>();

  /** Whether fewer than this many of them are under way, if need be because the oldest unread one was dropped. */
  function hasRoom(most: number, isOne: (stranger: Stranger) => boolean): boolean {
    const found = [...underWay].filter(isOne);
    if (found.length < most) return true;
    const oldest = found.find(({ drop }) => drop !== undefined);
    if (oldest === undefined) return false;
    oldest.drop?.();
    return underWay.delete(oldest);
  }

  async function take(context: Context, next: Next, stranger: Stranger): Promise<Response | void> {
    let timer: NodeJS.Timeout | undefined;
    const stopped = new Promise<'late' | 'dropped'>((resolve) => {
      timer = setTimeout(() => resolve('late'), maxMs);
      stranger.drop = () => resolve('dropped');
    });
    // Hono keeps the text for the route.
    const body = limit(context, async () => void (await context.req.text()));
    const refused = await Promise.race([body, stopped]).finally(() => clearTimeout(timer));
    stranger.drop = undefined;
    if (refused === undefined) return next();
    if (typeof refused !== 'string') return refused;
    context.header('connection', 'close');
    if (refused === 'dropped') return answerTooMany(context, 1);
    const message = `The body did not arrive within ${maxMs / 1000} s. Send the request again.`;
    return answerError(context, { code: 'INVALID_PARAMS', message }, 408);
  }

  return async (context, next) => {
    const address = failed.addressOf(requestOf(context));
    if (!hasRoom(ofOneAddress, (one) => one.address === address) || !hasRoom(ofAll, () => true))
      return answerTooMany(context, 1);
    const stranger: Stranger = { address };
    underWay.add(stranger);
    return take(context, next, stranger).finally(() => underWay.delete(stranger));
  };
}
