import { hkdfSync, randomUUID } from 'node:crypto';
import type { KeyRing } from '@workflowlookup/core';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import type { z } from 'zod';

/** Seals what a browser keeps: whoever holds it can neither read nor change it. */
export interface CookieSeal<Claims> {
  /** For so many seconds, with the signing key. */
  close(keys: KeyRing, claims: object, seconds: number): Promise<string>;
  /** What was sealed with a key of the ring and is not over; `undefined` for anything else. */
  open(keys: KeyRing, sealed: string): Promise<Claims | undefined>;
}

/** The longest value looked at: browsers keep no longer ones. */
const maxLength = 4096;

/** Makes a seal; what was sealed for another issuer does not open. */
export function createCookieSeal<Shape extends z.ZodType>({
  issuer,
  claims: shape,
}: {
  readonly issuer: string;
  readonly claims: Shape;
}): CookieSeal<z.infer<Shape>> {
  /** Kept apart from what else the keys sign. */
  const secretOf = (secret: Uint8Array): Uint8Array =>
    new Uint8Array(hkdfSync('sha256', secret, '', issuer, 32));

  return {
    close: ({ signing }, claims, seconds) =>
      new EncryptJWT({ ...claims })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM', kid: signing.id })
        .setIssuer(issuer)
        .setJti(randomUUID())
        .setExpirationTime(`${seconds}s`)
        .encrypt(secretOf(signing.secret)),
    async open({ verifying }, sealed) {
      if (sealed === '' || sealed.length > maxLength) return undefined;
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
        return shape.safeParse(payload).data;
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof TypeError) return undefined;
        throw error;
      }
    },
  };
}
