import type { Me, NewSession, SignedIn, SignedOut } from '@workflowlookup/console/contract';
import type { AuditContext } from '@workflowlookup/host';
import type { Context } from 'hono';
import { Hono } from 'hono';
import { z } from 'zod';
import { answerError, answerTooMany } from '../answer-error.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { readBody, requestOf } from '../read-input.ts';
import type { Accounts, NewSignIn } from './accounts.ts';
import { identify } from './session-token.ts';
import type { Signed } from './signed.ts';
import { permissionsOf } from './signed.ts';

const given = z.union([
  z.strictObject({ secret: z.string().max(512) }),
  z.strictObject({ key: z.string().max(512) }),
]);

/** Says who one is, signs in and out. */
export function accountRoutes(parts: ConsoleParts, accounts: Accounts): Hono {
  const {
    version,
    failed,
    rate,
    host: { audit },
  } = parts;

  async function me(context: Context): Promise<Response> {
    const signed = await identify(context, accounts, parts);
    if (signed instanceof Response) return signed;
    const waitSeconds = signed === undefined ? 0 : rate.take(signed.principal, 1);
    if (waitSeconds > 0) return answerTooMany(context, waitSeconds);
    const found: Me =
      signed === undefined ? { state: 'signed-out', ...waysInto(parts), version } : describe(signed, parts);
    return context.json(found);
  }

  return new Hono()
    .get('/me', async (context) => me(context))
    .post('/sign-in', async (context) => {
      const credential = await readBody(context, given);
      const text = 'secret' in credential ? credential.secret : credential.key;
      const waitSeconds = failed.wait(requestOf(context), text);
      if (waitSeconds > 0) return answerTooMany(context, waitSeconds);
      const found =
        'secret' in credential
          ? await accounts.withSecret(credential.secret)
          : await accounts.withKey(credential.key);
      if (found === undefined) {
        const untilSeconds = failed.count(requestOf(context), text);
        if (untilSeconds > 0) return answerTooMany(context, untilSeconds);
        audit.record({ action: 'sign-in', outcome: 'refused', code: 'TOKEN_INVALID' });
        return answerError(context, {
          code: 'TOKEN_INVALID',
          message: 'That does not sign anybody in here.',
        });
      }
      audit.record({ action: 'sign-in', outcome: 'done', ...actorOf(found.signed) });
      return context.json(newSession(found, parts));
    })
    .post('/sign-out', async (context) => {
      const signed = await identify(context, accounts, parts);
      if (signed instanceof Response) return signed;
      if (signed !== undefined) {
        await accounts.end(signed);
        audit.record({ action: 'sign-out', outcome: 'done', ...actorOf(signed) });
      }
      return context.body(null, 204);
    });
}

function waysInto({ network: { keys, oauth }, verifiers }: ConsoleParts): Pick<SignedOut, 'ways'> {
  const hasOAuth = oauth?.client !== undefined;
  const all = { secret: verifiers.length === 0, key: keys, oauth: hasOAuth };
  const ways = (Object.keys(all) as (keyof typeof all)[]).filter((way) => all[way]);
  return { ways };
}

/** What the page of somebody who just signed in gets. */
export function newSession({ token, signed }: NewSignIn, parts: ConsoleParts): NewSession {
  return { token, me: describe(signed, parts) };
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

/** Who somebody is in the audit log. */
export function actorOf({ principal, person, key }: Signed): AuditContext {
  return { principal, person, ...(key !== undefined && { key }) };
}
