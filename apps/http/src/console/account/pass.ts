import { hkdfSync, randomUUID } from 'node:crypto';
import type { KeyRing } from '@workflowlookup/core';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { z } from 'zod';

/** Who signed in, as the cookie says it; what they may do is looked up each time. */
export type Pass = z.infer<typeof claims>;

const claims = z.object({
  jti: z.string(),
  exp: z.number(),
  way: z.enum(['secret', 'key']),
  /** Of the API key. */
  key: z.string().optional(),
});

/** How long one stays signed in. */
export const passSeconds = 12 * 3600;

/** Kept apart from what else the keys sign. */
const purpose = 'workflowlookup console';
const issuer = 'workflowlookup-console';

/** Seals a cookie with the signing key: whoever holds it can neither read nor change it. */
export async function sealPass(
  { signing }: KeyRing,
  { way, key }: Pick<Pass, 'way' | 'key'>,
): Promise<string> {
  return new EncryptJWT({ way, ...(key !== undefined && { key }) })
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: signing.id })
    .setIssuer(issuer)
    .setJti(randomUUID())
    .setExpirationTime(`${passSeconds}s`)
    .encrypt(secretOf(signing.secret));
}

/** What a cookie says that was sealed with a key of the ring and is not over. */
export async function openPass({ verifying }: KeyRing, sealed: string): Promise<Pass | undefined> {
  if (sealed.length > 4096) return undefined;
  try {
    const { payload } = await jwtDecrypt(
      sealed,
      ({ kid }) => {
        const key = verifying.find(({ id }) => id === kid);
        if (key === undefined) throw new errors.JWEDecryptionFailed();
        return secretOf(key.secret);
      },
      { issuer, keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] },
    );
    return claims.safeParse(payload).data;
  } catch (error) {
    if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
    throw error;
  }
}

function secretOf(secret: Uint8Array): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
}
