import { createContext } from 'react';
import { ask } from '../api/ask.ts';
import { reasonOf, Refusal } from '../api/refusal.ts';
import { keepSession, takeJourney } from '../api/session.ts';
import type { NewSession, SignedIn } from '../contract.ts';

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
const returned = '#sign-in-returned';

/**
 * Signs in with what the address has: the secret of the one the server printed, or what the authorization server sent the
 * browser back with. It is taken out of the address bar and the history first; a fragment is never sent to a server or in
 * a referrer.
 */
export async function arrive(): Promise<Arrival> {
  const { hash, pathname, search } = location;
  if (!hash.startsWith('#sign-in')) return {};
  history.replaceState(null, '', pathname + search);
  return hash.startsWith(returned) ? arriveWithCode(hash) : arriveWithSecret(hash);
}

async function arriveWithSecret(hash: string): Promise<Arrival> {
  try {
    const secret = decodeURIComponent(hash.slice(secretPrefix.length));
    return { me: await begin(ask('POST /sign-in', { body: { secret } })) };
  } catch (error) {
    const isOld = error instanceof Refusal && error.status === 401;
    return {
      problem: isOld
        ? 'This address signed somebody in already, or is older than 10 minutes. Run `workflowlookup address` for a new one.'
        : reasonOf(error),
    };
  }
}

async function arriveWithCode(hash: string): Promise<Arrival> {
  const journey = takeJourney();
  if (journey === undefined) return { problem: 'This sign-in did not begin in this tab. Begin it here.' };
  try {
    const body = { journey, search: hash.slice(returned.length) };
    return { me: await begin(ask('POST /oauth/finish', { body })) };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}

async function begin(asked: Promise<NewSession>): Promise<SignedIn> {
  const { token, me } = await asked;
  keepSession(token);
  return me;
}
