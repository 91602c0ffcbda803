const prefix = '#sign-in=';

/**
 * The secret of the address the server printed, which is taken out of the address bar and the history. A fragment is never
 * sent to a server or in a referrer.
 */
export function takeSecret(): string | undefined {
  const { hash, pathname, search } = location;
  if (!hash.startsWith(prefix)) return undefined;
  history.replaceState(null, '', pathname + search);
  return decodeURIComponent(hash.slice(prefix.length));
}
