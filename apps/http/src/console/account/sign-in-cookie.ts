import type { Context } from 'hono';
import type { NetworkOptions } from '../../network-options.ts';
import type { Accounts, NewSignIn } from './accounts.ts';
import { createConsoleCookie } from './console-cookie.ts';
import type { Signed } from './signed.ts';

const cookie = createConsoleCookie({ path: '/console', sameSite: 'Strict' });

/** Who sends a request; `undefined` where nobody is signed in. @throws STORAGE */
export async function holderOf(context: Context, accounts: Accounts): Promise<Signed | undefined> {
  const value = cookie.read(context);
  return value === undefined ? undefined : accounts.holder(value);
}

/** Gives a browser what it is signed in by. */
export function giveSignIn(
  context: Context,
  { publicUrl = context.req.url }: NetworkOptions,
  { cookie: value, seconds }: NewSignIn,
): void {
  // What ends TLS in front of the server is known by the public address.
  cookie.give(context, { value, seconds, isSecure: publicUrl.startsWith('https:') });
}

/** Takes it from a browser. */
export function takeSignIn(context: Context): void {
  cookie.take(context);
}
