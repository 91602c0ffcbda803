import type { NetworkOptions } from '../network-options.ts';
import { clientAddress } from './client-address.ts';
import { createRateLimit } from './rate-limit.ts';

/** Keeps whoever sends wrong credentials from trying many: those of one address are then refused unread. */
export interface FailedCredentials {
  /** Keeps in mind where the connection of a request comes from. */
  note(request: Request, peer: string | undefined): void;
  /** How many seconds pass until a credential of this sender is looked at; 0 where it is now. */
  wait(request: Request): number;
  /** Counts a request whose credential was wrong. */
  count(request: Request): void;
}

/** Makes one; of `authFailures` a minute, 0 is no limit. */
export function createFailedCredentials({
  authFailures,
  trustedProxies,
}: Pick<NetworkOptions, 'authFailures' | 'trustedProxies'>): FailedCredentials {
  const limit = createRateLimit({ perSecond: authFailures / 60, burst: authFailures });
  const peers = new WeakMap<Request, string>();
  const senderOf = (request: Request): string =>
    clientAddress(peers.get(request) ?? '', request.headers.get('x-forwarded-for'), trustedProxies);
  return {
    note(request, peer) {
      if (peer !== undefined) peers.set(request, peer);
    },
    wait: (request) => limit.wait(senderOf(request)),
    count: (request) => void limit.take(senderOf(request)),
  };
}
