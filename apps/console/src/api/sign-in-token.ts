/**
 * The storage key of the sign-in token. Local storage is limited to this origin, shared by its tabs and kept across
 * reloads. Unlike a cookie, a browser never sends it on its own.
 */
const tokenKey = 'workflowlookup.session';

/** The storage key of the state of an OAuth sign-in. It is limited to the tab that started the sign-in. */
const oauthStateKey = 'workflowlookup.journey';

/** Returns the headers that authenticate a request, or no headers if nobody is signed in. */
export function authorizationHeader(): Readonly<Record<string, string>> {
  const token = localStorage.getItem(tokenKey);
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** Stores the sign-in token, or removes it if the token is undefined. */
export function storeSignInToken(token: string | undefined): void {
  if (token === undefined) localStorage.removeItem(tokenKey);
  else localStorage.setItem(tokenKey, token);
}

/** Calls the listener when a user signs in or out in another tab. */
export function onSignInTokenChange(listener: () => void): void {
  addEventListener('storage', ({ key }) => {
    if (key === tokenKey || key === null) listener();
  });
}

/** Stores the state of an OAuth sign-in that starts in this tab. */
export function storeOAuthState(journey: string): void {
  sessionStorage.setItem(oauthStateKey, journey);
}

/** Returns the state of the OAuth sign-in and removes it. Returns `undefined` if no sign-in was started in this tab. */
export function takeOAuthState(): string | undefined {
  const journey = sessionStorage.getItem(oauthStateKey) ?? undefined;
  sessionStorage.removeItem(oauthStateKey);
  return journey;
}
