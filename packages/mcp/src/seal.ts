import { createHmac, timingSafeEqual } from 'node:crypto';
import type { KeyRing } from '@workflowlookup/core';

/** Signs values that a client holds for the server, and opens what a client sends back. */
export interface Seal {
  /** JSON and a signature, both in base64url, a dot between. The value is signed, not hidden. */
  close(value: object): string;
  /** `undefined` for what was not sealed by any key of the ring for this purpose. */
  open(sealed: string): unknown;
}

/** Makes the seal of these keys for one purpose: what was sealed for another does not open. */
export function createSeal(keys: KeyRing, purpose: string): Seal {
  const signatureOf = (body: string, secret: Uint8Array): Buffer =>
    createHmac('sha256', secret).update(`${purpose}:`).update(body).digest();

  return {
    close(value) {
      const body = Buffer.from(JSON.stringify(value)).toString('base64url');
      return `${body}.${signatureOf(body, keys.signing.secret).toString('base64url')}`;
    },
    open(sealed) {
      const [body = '', signature = ''] = sealed.split('.');
      const given = Buffer.from(signature, 'base64url');
      const isGenuine = keys.verifying.some(({ secret }) => {
        const due = signatureOf(body, secret);
        return due.length === given.length && timingSafeEqual(due, given);
      });
      if (!isGenuine || sealed !== `${body}.${given.toString('base64url')}`) return undefined;
      return JSON.parse(Buffer.from(body, 'base64url').toString('utf8'));
    },
  };
}
