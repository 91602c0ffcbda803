/**
 * The session token of whoever is signed in. It is kept in the storage of this origin, which no page of another host or
 * port can read, and is there again after a reload and in every tab; no browser sends it by itself, as it does cookies.
 */
const tokenKey = 'workflowlookup.session';

/** What belongs to a sign-in at the authorization server until its page sends the browser back; of this tab alone. */
const journeyKey = 'workflowlookup.journey';

/** The headers by which the server knows who asks; none where nobody is signed in. */
export function sessionHeaders(): Readonly<Record<string, string>> {
  const token = localStorage.getItem(tokenKey);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** Keeps what somebody is signed in by, or forgets it. */
export function keepSession(token: string | undefined): void {
  if (token === undefined) localStorage.removeItem(tokenKey);
  else localStorage.setItem(tokenKey, token);
}

/** Tells when somebody signs in or out in another tab. */
export function watchSession(listener: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === tokenKey || key === null) listener();
  });
}

/** Keeps what finishes a sign-in that began in this tab. */
export function keepJourney(journey: string): void {
  sessionStorage.setItem(journeyKey, journey);
}

/** Gives it once; `undefined` where none began here. */
export function takeJourney(): string | undefined {
  const journey = sessionStorage.getItem(journeyKey) ?? undefined;
  sessionStorage.removeItem(journeyKey);
  return journey;
}
