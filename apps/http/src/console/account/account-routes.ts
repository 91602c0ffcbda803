import type { Me, NewSession, SignedIn, SignedOut } from '@workflowlookup/console/contract';
import type { AuditContext } from '@workflowlookup/host';
import { defined, WorkflowError } from '@workflowlookup/schema';
import type { Context, MiddlewareHandler, Next } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import type { ConsoleParts } from '../requests.ts';
import { answerError, answerTooMany, limitBody, readBody, requestOf } from '../requests.ts';
import type { Accounts, NewSignIn, SignedInUser } from './accounts.ts';
import { permissionsOf } from './accounts.ts';
import { identify } from './session-token.ts';
import { requestMessages } from '../../messages.ts';

const given = z.union([
  z.strictObject({ secret: z.string().max(512) }),
  z.strictObject({ key: z.string().max(512) }),
]);

/** Returns the signed-in user, and signs users in and out. */
export function accountRoutes(parts: ConsoleParts, accounts: Accounts): Hono {
  const {
    version,
    failed,
    rate,
    host: { audit },
  } = parts;

  async function me(context: Context): Promise<Response> {
    const signed = await identify(context, accounts, parts);
    if (signed instanceof Response) return signed;
    const waitSeconds = signed === undefined ? 0 : rate.take(signed.principal, 1);
    if (waitSeconds > 0) return answerTooMany(context, waitSeconds);
    const found: Me =
      signed === undefined
        ? { state: 'signed-out', ...signInMethodsOf(parts), version }
        : describe(signed, parts);
    return context.json(found);
  }

  return new Hono()
    .get('/me', async (context) => me(context))
    .post('/sign-in', async (context) => {
      const credential = await readBody(context, given);
      const text = 'secret' in credential ? credential.secret : credential.key;
      const waitSeconds = failed.wait(requestOf(context), text);
      if (waitSeconds > 0) return answerTooMany(context, waitSeconds);
      const found =
        'secret' in credential
          ? await accounts.withSecret(credential.secret)
          : await accounts.withKey(credential.key);
      if (found === undefined || !('signed' in found)) {
        const untilSeconds = failed.count(requestOf(context), text, found !== undefined);
        if (untilSeconds > 0) return answerTooMany(context, untilSeconds);
        const { key, reason } = found ?? {};
        const data = defined({ key });
        audit.record({ action: 'sign-in', outcome: 'refused', code: 'TOKEN_INVALID', ...data });
        const message =
          reason === undefined ? requestMessages.wrongSignIn() : requestMessages.refusedSignIn(reason);
        throw new WorkflowError('TOKEN_INVALID', message, { data });
      }
      audit.record({ action: 'sign-in', outcome: 'done', ...actorOf(found.signed) });
      return context.json(newSession(found, parts));
    })
    .post('/sign-out', async (context) => {
      const signed = await identify(context, accounts, parts);
      if (signed instanceof Response) return signed;
      if (signed !== undefined) {
        await accounts.end(signed);
        audit.record({ action: 'sign-out', outcome: 'done', ...actorOf(signed) });
      }
      return context.body(null, 204);
    });
}

function signInMethodsOf({ network: { keys, oauth }, verifiers }: ConsoleParts): Pick<SignedOut, 'methods'> {
  const hasOAuth = oauth?.client !== undefined;
  const all = { secret: verifiers.length === 0, key: keys, oauth: hasOAuth };
  const methods = (Object.keys(all) as (keyof typeof all)[]).filter((method) => all[method]);
  return { methods };
}

export function newSession({ token, signed }: NewSignIn, parts: ConsoleParts): NewSession {
  return { token, me: describe(signed, parts) };
}

function describe(signed: SignedInUser, { host, version }: ConsoleParts): SignedIn {
  const { principal, person, scopes, untilMs } = signed;
  return {
    state: 'signed-in',
    principal,
    person,
    scopes: [...scopes],
    may: permissionsOf(signed, host),
    until: new Date(untilMs).toISOString(),
    version,
  };
}

export function actorOf({ principal, person, key }: SignedInUser): AuditContext {
  return { principal, person, ...(key !== undefined && { key }) };
}

/** The maximum size of a body before sign-in, in bytes. The bodies of sign-ins are smaller. */
const maxBytes = 16_384;

/** How long the client may take to send such a body. */
const maxMs = 5000;

/** How many of these requests one address may have in progress. */
const ofOneAddress = 16;

/** A request in progress. */
interface UnauthenticatedRequest {
  readonly address: string;
  /** Ends the request at once with a refusal; absent as soon as its body is read. */
  drop?: (() => void) | undefined;
}

/**
 * Limits requests that are sent without a credential. Since anybody can send them, together they use at most a quarter
 * of the server's simultaneous requests, and the rest stays free for users who are signed in. If there is no room, the
 * oldest request whose body is still arriving is dropped, so that nobody can block others with idle connections.
 *
 * @see docs/operations.md#limits
 */
export function admitUnauthenticated({
  failed,
  network: { maxRequests },
}: Pick<ConsoleParts, 'failed'> & {
  readonly network: Pick<ConsoleParts['network'], 'maxRequests'>;
}): MiddlewareHandler {
  const ofAll = Math.ceil(maxRequests / 4);
  const limit = limitBody(maxBytes);
  /** Ordered by arrival, the oldest first. */
  const inFlight = new Set<UnauthenticatedRequest>();

  /**
   * Returns whether another request fits within the limit `most`. To make room, it may drop the oldest request whose
   * body is still arriving.
   */
  function hasRoom(most: number, isOne: (stranger: UnauthenticatedRequest) => boolean): boolean {
    const found = [...inFlight].filter(isOne);
    if (found.length < most) return true;
    const oldest = found.find(({ drop }) => drop !== undefined);
    if (oldest === undefined) return false;
    oldest.drop?.();
    return inFlight.delete(oldest);
  }

  async function take(
    context: Context,
    next: Next,
    stranger: UnauthenticatedRequest,
  ): Promise<Response | void> {
    let timer: NodeJS.Timeout | undefined;
    const stopped = new Promise<'late' | 'dropped'>((resolve) => {
      timer = setTimeout(() => resolve('late'), maxMs);
      stranger.drop = () => resolve('dropped');
    });
    // Hono caches the text, so the route can read the body again.
    const body = limit(context, async () => void (await context.req.text()));
    const refused = await Promise.race([body, stopped]).finally(() => clearTimeout(timer));
    stranger.drop = undefined;
    if (refused === undefined) return next();
    if (typeof refused !== 'string') return refused;
    context.header('connection', 'close');
    if (refused === 'dropped') return answerTooMany(context, 1);
    const message = requestMessages.bodyTooLate(maxMs / 1000);
    return answerError(context, { code: 'TIMEOUT', message });
  }

  return async (context, next) => {
    const address = failed.addressOf(requestOf(context));
    if (!hasRoom(ofOneAddress, (one) => one.address === address) || !hasRoom(ofAll, () => true))
      return answerTooMany(context, 1);
    const stranger: UnauthenticatedRequest = { address };
    inFlight.add(stranger);
    return take(context, next, stranger).finally(() => inFlight.delete(stranger));
  };
}
