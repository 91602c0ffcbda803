import { createContext } from 'react';
import { ask } from '../api/ask.ts';
import { reasonOf, Refusal } from '../api/refusal.ts';
import type { SignedIn } from '../contract.ts';

/** What came of the address the page was opened at. */
export interface Arrival {
  /** Whom a secret in it signed in. */
  readonly me?: SignedIn;
  /** Why nobody was. */
  readonly problem?: string;
}

/** What came of the address, for the page that signs in. */
export const ArrivalContext = createContext<Arrival>({});

const secretPrefix = '#sign-in=';
const failed = '#sign-in-failed';

/**
 * Signs in with the secret of the address the server printed. It is taken out of the address bar and the history first; a
 * fragment is never sent to a server or in a referrer.
 */
export async function arrive(): Promise<Arrival> {
  const { hash, pathname, search } = location;
  if (!hash.startsWith('#sign-in')) return {};
  history.replaceState(null, '', pathname + search);
  if (hash === failed) return { problem: 'The authorization server signed nobody in.' };
  try {
    const secret = decodeURIComponent(hash.slice(secretPrefix.length));
    return { me: await ask('POST /sign-in', { body: { secret } }) };
  } catch (error) {
    const isOld = error instanceof Refusal && error.status === 401;
    return {
      problem: isOld
        ? 'This address is not of this start of the server: open the one it printed last.'
        : reasonOf(error),
    };
  }
}
