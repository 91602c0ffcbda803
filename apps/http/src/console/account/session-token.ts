import { hkdfSync, randomUUID } from 'node:crypto';
import type { KeyRing } from '@workflowlookup/core/tokens';
import { scopes } from '@workflowlookup/host';
import type { Context } from 'hono';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { z } from 'zod';
import type { ConsoleParts } from '../requests.ts';
import { answerTooMany, requestOf } from '../requests.ts';
import type { Accounts, SignedInUser } from './accounts.ts';

/** Seals values that a page of the console keeps, so that the page can neither read nor change them. */
interface Seal<Claims> {
  /** Seals claims with the signing key. They expire after `seconds`. */
  close(keys: KeyRing, claims: object, seconds: number): Promise<string>;
  /**
   * Returns the claims if they were sealed with a key of the ring and have not expired at the time `at`, by default
   * now; otherwise `undefined`. Claims with a lifetime over `mostSeconds` are refused, because whoever sealed them
   * chose their expiry.
   */
  open(keys: KeyRing, sealed: string, mostSeconds: number, at?: Date): Promise<Claims | undefined>;
}

/** The maximum length of a sealed value. What the console seals has fewer than 2,000 characters. */
const maxLength = 4096;

/** How far the clocks of two servers may differ. */
const clockSeconds = 60;

/** Creates a seal. It does not open values that were sealed for another issuer. */
export function createSeal<Shape extends z.ZodType>({
  issuer,
  claims: shape,
}: {
  readonly issuer: string;
  readonly claims: Shape;
}): Seal<z.infer<Shape>> {
  /** Derives a key for this purpose, so that nothing else made with the same keys is accepted here. */
  const secretOf = (secret: Uint8Array): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', secret, '', issuer, 32));

  return {
    close: ({ signing }, claims, seconds) =>
      new EncryptJWT({ ...claims })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: signing.id })
        .setIssuer(issuer)
        .setJti(randomUUID())
        .setIssuedAt()
        .setExpirationTime(`${seconds}s`)
        .encrypt(secretOf(signing.secret)),
    async open({ verifying }, sealed, mostSeconds, at = new Date()) {
      if (sealed === '' || sealed.length > maxLength) return undefined;
      try {
        const { payload } = await jwtDecrypt(
          sealed,
          ({ kid }) => {
            const key = verifying.find(({ id }) => id === kid);
            if (key === undefined) throw new errors.JWEDecryptionFailed();
            return secretOf(key.secret);
          },
          {
            issuer,
            keyManagementAlgorithms: ['dir'],
            contentEncryptionAlgorithms: ['A256GCM'],
            currentDate: at,
          },
        );
        const { iat = 0, exp = Infinity } = payload;
        const isTooLong = exp - iat > mostSeconds || iat > Date.now() / 1000 + clockSeconds;
        return isTooLong ? undefined : shape.safeParse(payload).data;
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
        throw error;
      }
    },
  };
}

const newClaims = z.discriminatedUnion('way', [
  z.object({ way: z.literal('secret') }),
  z.object({ way: z.literal('key'), key: z.string() }),
  z.object({ way: z.literal('oauth'), principal: z.string(), scopes: z.array(z.enum(scopes)) }),
]);

/** The user of a session token. The scopes of a key are looked up for each request. */
export type NewClaims = z.infer<typeof newClaims>;

const sessionClaims = z.intersection(z.object({ jti: z.string(), exp: z.number() }), newClaims);

/** {@link NewClaims} with the id of the sign-in and the time when it expires. */
export type SessionClaims = z.infer<typeof sessionClaims>;

/** How long a sign-in lasts. One through an authorization server lasts an hour, because that server may revoke it. */
export const sessionSeconds = { secret: 12 * 3600, key: 12 * 3600, oauth: 3600 } as const;

/** The longest of these times. A token that states a longer one is refused. */
export const longestSessionSeconds = Math.max(...Object.values(sessionSeconds));

/** Seals session tokens, and opens them. */
export const sessionSeal = createSeal({ issuer: 'workflowlookup-console', claims: sessionClaims });

/**
 * Returns the sender of a request; `undefined` if nobody is signed in. The token comes in a header that only pages of
 * the console's origin can set, because only they can read the storage that holds it. It is not a cookie, because a
 * browser would send that to every port of the machine.
 *
 * @throws STORE_UNAVAILABLE
 */
export async function holderOf(context: Context, accounts: Accounts): Promise<SignedInUser | undefined> {
  const token = tokenOf(context);
  return token === undefined ? undefined : accounts.holder(token);
}

/**
 * Like `holderOf`, but wrong tokens are limited and audited like wrong credentials at `/mcp`: after too many, it
 * returns a 429 response. A token that was once valid counts only against itself, not against its sender's address.
 *
 * @throws STORE_UNAVAILABLE
 */
export async function identify(
  context: Context,
  accounts: Accounts,
  { failed, host }: Pick<ConsoleParts, 'failed' | 'host'>,
): Promise<SignedInUser | Response | undefined> {
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
