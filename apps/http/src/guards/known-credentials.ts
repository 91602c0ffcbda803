import { createHash } from 'node:crypto';
import type { Identity } from '../auth/identity.ts';

/** Credentials that were accepted lately. */
export interface KnownCredentials {
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
