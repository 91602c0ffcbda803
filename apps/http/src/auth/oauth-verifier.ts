import { isScope } from '@workflowlookup/host';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import type { Verdict, Verifier } from './identity.ts';

/** Whose access tokens count. */
export interface OAuthOptions {
  /** The authorization server, as its metadata and the tokens name it. */
  readonly issuer: string;
  /** What the tokens must be made out to: this server. */
  readonly audience: string;
  readonly now?: () => Date;
}

/** Signatures that anybody can verify and only the issuer can make. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** How far clocks may be apart. */
const toleranceSeconds = 5;

/** Tells holders of access tokens of an authorization server: JWTs by the keys it publishes. */
export function createOAuthVerifier({ issuer, audience, now = () => new Date() }: OAuthOptions): Verifier {
  let keys: Promise<JWTVerifyGetKey> | undefined;
  const loadKeys = (): Promise<JWTVerifyGetKey> => {
    keys ??= findKeys(issuer).catch((error: unknown) => {
      keys = undefined;
      throw error;
    });
    return keys;
  };
  return async (credential) => {
    if (credential.split('.').length !== 3) return { kind: 'unknown' };
    try {
      const { payload } = await jwtVerify(credential, await loadKeys(), {
        issuer,
        audience,
        algorithms,
        clockTolerance: toleranceSeconds,
        requiredClaims: ['exp'],
        currentDate: now(),
      });
      return verdictOn(payload, issuer);
    } catch (error) {
      const reason = error instanceof errors.JOSEError ? reasonOf(error) : undefined;
      if (reason !== undefined)
        return { kind: 'refused', reason, ...(error instanceof errors.JWTExpired && { isOver: true }) };
      throw error;
    }
  };
}

function verdictOn(payload: JWTPayload, issuer: string): Verdict {
  const holder = payload.sub ?? payload['client_id'];
  if (typeof holder !== 'string') return { kind: 'refused', reason: 'The token names no subject' };
  const { scope } = payload;
  const named = typeof scope === 'string' ? scope.split(' ') : [];
  return {
    kind: 'known',
    identity: { principal: `${issuer}#${holder}`, scopes: new Set(named.filter(isScope)) },
  };
}

/** What may be told of a token that does not count; nothing where it is the keys that can't be had. */
function reasonOf({ code }: errors.JOSEError): string | undefined {
  const known: Readonly<Record<string, string>> = {
    ERR_JWT_EXPIRED: 'The token is expired',
    ERR_JWT_CLAIM_VALIDATION_FAILED: 'The token is not made out to this server by its issuer',
    ERR_JWS_SIGNATURE_VERIFICATION_FAILED: 'The token is not signed by its issuer',
    ERR_JWKS_NO_MATCHING_KEY: 'The token is not signed by its issuer',
  };
  return known[code] ?? (code.startsWith('ERR_JWKS') ? undefined : 'The token is not valid');
}

/** The places where an issuer says where its keys are (RFC 8414, OpenID Connect Discovery). */
function metadataUrls(issuer: string): readonly string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

async function findKeys(issuer: string): Promise<JWTVerifyGetKey> {
  for (const url of metadataUrls(issuer)) {
    const response = await fetch(url, { signal: AbortSignal.timeout(10_000), redirect: 'error' });
    const found = response.ok ? ((await response.json()) as Readonly<Record<string, unknown>>) : {};
    if (found['issuer'] === issuer && typeof found['jwks_uri'] === 'string')
      return createRemoteJWKSet(new URL(found['jwks_uri']));
  }
  throw new Error('The authorization server publishes no metadata that names its keys');
}
