import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';

/** What a cookie is for. */
export interface ConsoleCookieOptions {
  /** Behind the name, where it is not the sign-in itself. */
  readonly suffix?: string;
  /** Where browsers send it. */
  readonly path: string;
  readonly sameSite: 'Lax' | 'Strict';
}

/** What a browser keeps. */
interface ConsoleCookieValue {
  readonly value: string;
  /** How long. */
  readonly seconds: number;
  /** Over TLS alone. */
  readonly isSecure: boolean;
}

/** A cookie of the console: for no script. */
export interface ConsoleCookie {
  read(context: Context): string | undefined;
  give(context: Context, cookie: ConsoleCookieValue): void;
  take(context: Context): void;
}

/**
 * Makes one. Its name has the port in it, because browsers give the cookies of one port of a machine to all others: two
 * servers would sign each other's people out.
 */
export function createConsoleCookie({ suffix, path, sameSite }: ConsoleCookieOptions): ConsoleCookie {
  const options = { path, sameSite, httpOnly: true } as const;

  function nameOf(context: Context): string {
    const { port, protocol } = new URL(context.req.url);
    const parts = ['workflowlookup-console', port === '' ? protocol.replace(':', '') : port];
    return [...parts, ...(suffix === undefined ? [] : [suffix])].join('-');
  }

  return {
    read: (context) => getCookie(context, nameOf(context)),
    give: (context, { value, seconds, isSecure }) =>
      setCookie(context, nameOf(context), value, { ...options, secure: isSecure, maxAge: seconds }),
    take: (context) => void deleteCookie(context, nameOf(context), options),
  };
}
