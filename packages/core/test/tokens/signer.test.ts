import { describe, expect, it } from 'vitest';
import { createSigner } from '../../src/tokens.ts';
import { keyRing } from '../support/tokens.ts';

describe('a signer', () => {
  const signer = createSigner(keyRing(1), 'mcp-session');
  const signed = signer.sign({ id: 'é😀', until: 7 });

  it('reads back what it signed, also with an older key', () => {
    expect(signer.verify(signed)).toEqual({ id: 'é😀', until: 7 });
    expect(createSigner(keyRing(2, 1), 'mcp-session').verify(signed)).toEqual({ id: 'é😀', until: 7 });
  });

  it('refuses values of another key or for another purpose', () => {
    expect(createSigner(keyRing(2), 'mcp-session').verify(signed)).toBeUndefined();
    expect(createSigner(keyRing(1), 'request-state').verify(signed)).toBeUndefined();
  });

  it('refuses a signature that is cut short or followed by more', () => {
    const [body = '', signature = ''] = signed.split('.');
    // A session token needs no more than these 16 bytes.
    const short = Buffer.from(signature, 'base64url').subarray(0, 16).toString('base64url');
    for (const other of [short, signature.slice(0, -1), '', `${signature}=`, `${signature}.a`])
      expect(signer.verify(`${body}.${other}`)).toBeUndefined();
  });
});
