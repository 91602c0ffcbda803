import { createHash } from 'node:crypto';
import type { Identity } from '../auth/identity.ts';
import type { NetworkOptions } from '../network-options.ts';
import { clientAddress } from './addresses.ts';
import { createRateLimit } from './rate-limit.ts';

/**
 * Limits wrong credentials. A credential that fails again and again is refused without a lookup, and counts against
 * nobody else. An unknown one counts against its address too: beyond the limit, unknown credentials have to wait. A
 * good credential is never held back, whatever else comes from its address.
 *
 * @see docs/operations.md#limits
 */
export interface FailedCredentials {
  /** Keeps in mind where the connection of a request comes from. */
  note(request: Request, peer: string | undefined): void;
  /** Where a request comes from, as trusted proxies say it. */
  addressOf(request: Request): string;
  /** Seconds until this credential is looked up again; 0 for at once. */
  wait(request: Request, credential: string): number;
  /**
   * Counts a refused credential. `isOver`: it is known, and expired or revoked, so it counts against itself alone.
   * Returns how many seconds its sender has to wait; 0 if it may send another one now.
   */
  count(request: Request, credential: string, isOver?: boolean): number;
}

/** Makes one; of `authFailures` a minute, 0 is no limit. */
export function createFailedCredentials(
  { authFailures, trustedProxies }: Pick<NetworkOptions, 'authFailures' | 'trustedProxies'>,
  now?: () => number,
): FailedCredentials {
  const rate = { perSecond: authFailures / 60, burst: authFailures };
  const ofAddress = createRateLimit(rate, now);
  const ofCredential = createRateLimit(rate, now);
  const peers = new WeakMap<Request, string>();
  const addressOf = (request: Request): string =>
    clientAddress(peers.get(request) ?? '', request.headers.get('x-forwarded-for'), trustedProxies);
  const senderOf = (request: Request, credential: string): string =>
    `${addressOf(request)} ${createHash('sha256').update(credential).digest('base64')}`;
  return {
    note(request, peer) {
      if (peer !== undefined) peers.set(request, peer);
    },
    addressOf,
    wait: (request, credential) =>
      authFailures === 0 ? 0 : ofCredential.wait(senderOf(request, credential)),
    count(request, credential, isOver = false) {
      if (authFailures === 0) return 0;
      const own = ofCredential.take(senderOf(request, credential));
      return isOver ? own : Math.max(own, ofAddress.take(addressOf(request)));
    },
  };
}

interface KnownCredentials {
  add(credential: string, identity: Identity): void;
  /** Whose it was, or `undefined` if it was not accepted within the last hour. */
  get(credential: string): Identity | undefined;
}

/** How long one is remembered, and how many. */
const keepMs = 3_600_000;
const most = 1_000;

/** Makes the memory of one server. The credentials themselves are not in it. */
export function createKnownCredentials(now: () => number = () => performance.now()): KnownCredentials {
  const known = new Map<string, { readonly identity: Identity; readonly untilMs: number }>();
  const hashOf = (credential: string): string => createHash('sha256').update(credential).digest('base64');
  return {
    add(credential, identity) {
      const hash = hashOf(credential);
      known.delete(hash);
      known.set(hash, { identity, untilMs: now() + keepMs });
      const [oldest] = known.keys();
      if (known.size > most && oldest !== undefined) known.delete(oldest);
    },
    get(credential) {
      const found = known.get(hashOf(credential));
      return found !== undefined && now() < found.untilMs ? found.identity : undefined;
    },
  };
}
