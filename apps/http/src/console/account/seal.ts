import { hkdfSync, randomUUID } from 'node:crypto';
import type { KeyRing } from '@workflowlookup/core';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import type { z } from 'zod';

/** Seals values that a page of the console keeps, so that the page can neither read nor change them. */
export interface Seal<Claims> {
  /** For so many seconds, with the signing key. */
  close(keys: KeyRing, claims: object, seconds: number): Promise<string>;
  /**
   * What was sealed with a key of the ring and has not expired; `undefined` for anything else. `mostSeconds` bounds its
   * age whatever expiry it states: an expiry is only what the one who sealed it wanted. `at` is the moment at which it must
   * not have expired, now by default.
   */
  open(keys: KeyRing, sealed: string, mostSeconds: number, at?: Date): Promise<Claims | undefined>;
}

/** The longest value looked at; what the console seals is under 2,000 characters. */
const maxLength = 4096;

/** So far the clocks of two servers may differ. */
const clockSeconds = 60;

/** Makes a seal; what was sealed for another issuer does not open. */
export function createSeal<Shape extends z.ZodType>({
  issuer,
  claims: shape,
}: {
  readonly issuer: string;
  readonly claims: Shape;
}): Seal<z.infer<Shape>> {
  /** Kept apart from what else the keys sign. */
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
