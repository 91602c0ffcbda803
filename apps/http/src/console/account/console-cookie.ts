import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

const options = { path: '/console', httpOnly: true, sameSite: 'Strict' } as const;

/**
 * The name has the port in it, because browsers give the cookies of one port of a machine to all others: two servers
 * would sign each other's people out.
 */
function nameOf(context: Context): string {
  const { port, protocol } = new URL(context.req.url);
  return `workflowlookup-console-${port === '' ? protocol.replace(':', '') : port}`;
}

/** The cookie of a request. */
export function readConsoleCookie(context: Context): string | undefined {
  return getCookie(context, nameOf(context));
}

/** Gives a browser its cookie: for no script and no other site, and over TLS alone where that is how it comes. */
export function giveConsoleCookie(
  context: Context,
  {
    value,
    seconds,
    isSecure,
  }: { readonly value: string; readonly seconds: number; readonly isSecure: boolean },
): void {
  setCookie(context, nameOf(context), value, { ...options, secure: isSecure, maxAge: seconds });
}

/** Has a browser forget it. */
export function takeConsoleCookie(context: Context): void {
  deleteCookie(context, nameOf(context), options);
}
