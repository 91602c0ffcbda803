import type { Me, SignedIn } from '@workflowlookup/console/contract';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import { answerError, answerTooMany } from '../answer-error.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { readBody } from '../read-input.ts';
import type { Accounts } from './accounts.ts';
import { giveConsoleCookie, readConsoleCookie, takeConsoleCookie } from './console-cookie.ts';
import type { Signed } from './signed.ts';
import { permissionsOf } from './signed.ts';

const given = z.union([
  z.strictObject({ secret: z.string().max(512) }),
  z.strictObject({ key: z.string().max(512) }),
]);

/** Says who one is, signs in and out. */
export function accountRoutes(parts: ConsoleParts, accounts: Accounts): Hono {
  const { network, secret, version, failed } = parts;

  async function me(context: Context): Promise<Me> {
    const signed = await holderOf(context, accounts);
    if (signed !== undefined) return describe(signed, parts);
    const ways = [
      ...(secret === undefined ? [] : ['secret' as const]),
      ...(network.keys ? ['key' as const] : []),
    ];
    return { state: 'signed-out', ways, version };
  }

  return new Hono()
    .get('/me', async (context) => context.json(await me(context)))
    .post('/sign-in', async (context) => {
      const waitSeconds = failed.wait(context.req.raw);
      if (waitSeconds > 0) return answerTooMany(context, waitSeconds);
      const credential = await readBody(context, given);
      const found =
        'secret' in credential
          ? await accounts.withSecret(credential.secret)
          : await accounts.withKey(credential.key);
      if (found === undefined) {
        failed.count(context.req.raw);
        return answerError(context, {
          code: 'TOKEN_INVALID',
          message: 'That does not sign anybody in here.',
        });
      }
      const { signed, cookie: value, seconds } = found;
      giveConsoleCookie(context, { value, seconds, isSecure: isOverTls(context, parts) });
      return context.json(describe(signed, parts));
    })
    .post('/sign-out', async (context) => {
      const signed = await holderOf(context, accounts);
      if (signed !== undefined) await accounts.end(signed);
      takeConsoleCookie(context);
      return context.body(null, 204);
    });
}

/** Who sends a request; `undefined` where nobody is signed in. */
export async function holderOf(context: Context, accounts: Accounts): Promise<Signed | undefined> {
  const cookie = readConsoleCookie(context);
  return cookie === undefined ? undefined : accounts.holder(cookie);
}

/** What ends TLS in front of the server says so, or its public address does. */
function isOverTls(context: Context, { network: { oauth, publicUrl } }: ConsoleParts): boolean {
  const known = publicUrl ?? oauth?.resource ?? context.req.url;
  return known.startsWith('https:');
}

function describe(signed: Signed, { host, version }: ConsoleParts): SignedIn {
  const { principal, person, scopes, untilMs } = signed;
  return {
    state: 'signed-in',
    principal,
    person,
    scopes: [...scopes],
    may: permissionsOf(signed, host),
    until: new Date(untilMs).toISOString(),
    version,
  };
}
