import { scopes } from '@workflowlookup/host';
import type { Context } from 'hono';
import { z } from 'zod';
import { answerTooMany } from '../answer-error.ts';
import type { ConsoleParts } from '../console-parts.ts';
import { requestOf } from '../read-input.ts';
import type { Accounts } from './accounts.ts';
import { createSeal } from './seal.ts';
import type { Signed } from './signed.ts';

/** Who signed in, as the session token says it; what a key may do is looked up each time. */
export type SessionClaims = z.infer<typeof claims>;

const claims = z.intersection(
  z.object({ jti: z.string(), exp: z.number() }),
  z.discriminatedUnion('way', [
    z.object({ way: z.literal('secret') }),
    z.object({ way: z.literal('key'), key: z.string() }),
    z.object({ way: z.literal('oauth'), principal: z.string(), scopes: z.array(z.enum(scopes)) }),
  ]),
);

/** How long one stays signed in; through an authorization server, which may think otherwise by then, for an hour. */
export const sessionSeconds = { secret: 12 * 3600, key: 12 * 3600, oauth: 3600 } as const;

/** The longest of them: no token is accepted for longer, whatever it states. */
export const longestSessionSeconds = Math.max(...Object.values(sessionSeconds));

/** Seals session tokens, and opens them. */
export const sessionSeal = createSeal({ issuer: 'workflowlookup-console', claims });

/**
 * Who sends a request; `undefined` where nobody is signed in. The token comes in a header that only pages of the console's
 * origin can fill, since they alone can read the storage it is in. A browser sends no cookie for it: it would send that to
 * every port of the machine.
 *
 * @throws STORAGE
 */
export async function holderOf(context: Context, accounts: Accounts): Promise<Signed | undefined> {
  const token = tokenOf(context);
  return token === undefined ? undefined : accounts.holder(token);
}

/**
 * The same, where wrong tokens are limited and audited as wrong credentials are at `/mcp`: a response for one that was sent
 * too often. A token that was good once counts against itself alone.
 *
 * @throws STORAGE
 */
export async function identify(
  context: Context,
  accounts: Accounts,
  { failed, host }: Pick<ConsoleParts, 'failed' | 'host'>,
): Promise<Signed | Response | undefined> {
  const token = tokenOf(context);
  if (token === undefined) return undefined;
  const waitSeconds = failed.wait(requestOf(context), token);
  if (waitSeconds > 0) return answerTooMany(context, waitSeconds);
  const signed = await accounts.holder(token);
  if (signed !== undefined) return signed;
  const issued = await accounts.issued(token);
  const untilSeconds = failed.count(requestOf(context), token, issued !== undefined);
  if (untilSeconds > 0) return answerTooMany(context, untilSeconds);
  host.audit.record({ action: 'authenticate', outcome: 'refused', code: 'TOKEN_INVALID', ...issued });
  return undefined;
}

function tokenOf(context: Context): string | undefined {
  return /^Bearer ([\w.-]+)$/i.exec(context.req.header('authorization') ?? '')?.[1];
}
