import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '@workflowlookup/core/tokens';

/** Signs values that a client keeps for the server, and verifies them when the client sends them back. */
export interface Signer {
  /** Returns the value as JSON and a signature, both in base64url and separated by a dot. The value is not encrypted. */
  sign(value: object): string;
  /** Returns the value, or `undefined` if no verification key signed it for this purpose. */
  verify(sealed: string): unknown;
}

/** Creates a signer for one purpose: a value that was signed for another purpose is not accepted. */
export function createSigner(keys: KeyRing, purpose: string): Signer {
  const signatureOf = (body: string, secret: Uint8Array): Buffer =>
    createHmac('sha256', secret).update(`${purpose}:`).update(body).digest();

  return {
    sign(value) {
      const body = Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${body}.${signatureOf(body, keys.signing.secret).toString('base64url')}`;
    },
    verify(sealed) {
      const [body = '', signature = ''] = sealed.split('.');
      const given = Buffer.from(signature, 'base64url');
      const isGenuine = keys.verifying.some(({ secret }) => {
        const expected = signatureOf(body, secret);
        return expected.length === given.length && timingSafeEqual(expected, given);
      });
      if (!isGenuine || sealed !== `${body}.${given.toString('base64url')}`) return undefined;
      return JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
    },
  };
}
