import { scopes } from '@workflowlookup/host';
import { z } from 'zod';
import { createCookieSeal } from './cookie-seal.ts';

/** Who signed in, as the cookie says it; what a key may do is looked up each time. */
export type Pass = z.infer<typeof claims>;

const claims = z.intersection(
  z.object({ jti: z.string(), exp: z.number() }),
  z.discriminatedUnion('way', [
    z.object({ way: z.literal('secret') }),
    z.object({ way: z.literal('key'), key: z.string() }),
    z.object({ way: z.literal('oauth'), principal: z.string(), scopes: z.array(z.enum(scopes)) }),
  ]),
);

/** How long one stays signed in; through an authorization server, which may think otherwise by then, for an hour. */
export const passSeconds = { secret: 12 * 3600, key: 12 * 3600, oauth: 3600 } as const;

/** Seals passes, and opens them. */
export const passSeal = createCookieSeal({ issuer: 'workflowlookup-console', claims });
