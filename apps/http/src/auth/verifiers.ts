import type { ApiKeys } from '@workflowlookup/host';
import { isScope } from '@workflowlookup/host';
import type { Log } from '@workflowlookup/mcp';
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { createRemoteJWKSet, errors, jwtVerify } from 'jose';
import type { Verdict, Verifier } from './authentication.ts';
import { credentialMessages } from '../messages.ts';
import type { NetworkOptions } from '../options.ts';

/** Asymmetric signature algorithms: anybody can verify a signature, and only the issuer can make one. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

const toleranceSeconds = 5;

/**
 * How long fetched keys of the issuer count as new. While they do, a token signed with an unknown key does not cause
 * another fetch, because anybody can make up such a token.
 */
const newKeysMs = 2000;

/** Claims that every token needs, and those that RFC 9068 (section 2.2) requires as well. */
const required = {
  any: ['exp', 'sub'],
  'at+jwt': ['exp', 'sub', 'iat', 'jti', 'client_id'],
} as const;

/** Claims that name the client: the one of RFC 9068, then those of OpenID Connect, Okta and Entra. */
const clientClaims = {
  any: ['client_id', 'azp', 'cid', 'appid'],
  'at+jwt': ['client_id'],
} as const;

/**
 * The client of all tokens that name none. They can't be told apart, so they count as one credential: if one of them
 * worked on a session as an agent, none of them can answer its checkpoints.
 */
const unnamedClient = '?';

/**
 * Creates the verifier of access tokens: JWTs that the authorization server signed with a key it publishes.
 *
 * @see docs/operations.md#access-tokens
 */
export function createOAuthVerifier({
  issuer,
  audience,
  typ,
  now = () => new Date(),
}: Pick<NonNullable<NetworkOptions['oauth']>, 'issuer' | 'audience' | 'typ'> & {
  readonly now?: () => Date;
}): Verifier {
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
        requiredClaims: [...required[typ]],
        ...(typ === 'at+jwt' && { typ }),
        currentDate: now(),
      });
      return verdictOn(payload, issuer, typ);
    } catch (error) {
      if (error instanceof KeyNotThereYet) return { kind: 'unsettled' };
      const reason = error instanceof errors.JOSEError ? reasonOf(error) : undefined;
      if (reason !== undefined)
        return { kind: 'refused', reason, ...(error instanceof errors.JWTExpired && { isOver: true }) };
      throw error;
    }
  };
}

/** Thrown for a token whose key is not among the keys fetched a moment ago. The issuer may have published it since. */
class KeyNotThereYet extends Error {}

/**
 * Returns whether a token is an ID token: it has claims that only ID tokens of OpenID Connect have, or the type that
 * Keycloak writes into the payload.
 */
function isIdToken(payload: JWTPayload): boolean {
  return payload['typ'] === 'ID' || ['nonce', 'at_hash', 'c_hash'].some((name) => name in payload);
}

function verdictOn(payload: JWTPayload, issuer: string, typ: keyof typeof clientClaims): Verdict {
  const { sub, scope } = payload;
  if (!isName(sub)) return { kind: 'refused', reason: credentialMessages.noSubject() };
  if (isIdToken(payload)) return { kind: 'refused', reason: credentialMessages.idToken() };
  // Such a token is bound to a key, so that a thief can't use it. This server can't check who holds the key, so it
  // refuses the token.
  if ('cnf' in payload) return { kind: 'refused', reason: credentialMessages.bound() };
  const named = typeof scope === 'string' ? scope.split(' ') : [];
  const client = clientClaims[typ].map((name) => payload[name]).find(isName);
  if (client === undefined && typ === 'at+jwt') return { kind: 'refused', reason: wrongClaim('client_id') };
  return {
    kind: 'known',
    identity: {
      principal: `${issuer}#${sub}`,
      scopes: new Set(named.filter(isScope)),
      client: client ?? unnamedClient,
    },
  };
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/**
 * Returns the reason to show the holder of a token that is not accepted; `undefined` if the keys could not be fetched.
 */
function reasonOf(error: errors.JOSEError): string | undefined {
  const { code } = error;
  if (error instanceof errors.JWTClaimValidationFailed) return wrongClaim(error.claim);
  const known: Readonly<Record<string, string>> = {
    ERR_JWT_EXPIRED: credentialMessages.expired(),
    ERR_JWS_SIGNATURE_VERIFICATION_FAILED: credentialMessages.wrongSignature(),
    ERR_JWKS_NO_MATCHING_KEY: credentialMessages.wrongSignature(),
  };
  // jose has the generic code for keys that the issuer did not send.
  const isOfKeys = code.startsWith('ERR_JWKS') || code === 'ERR_JOSE_GENERIC';
  return known[code] ?? (isOfKeys ? undefined : credentialMessages.notValid());
}

function wrongClaim(claim: string): string {
  switch (claim) {
    case 'typ':
      return credentialMessages.notAnAccessToken();
    case 'sub':
      return credentialMessages.noSubject();
    case 'iat':
    case 'jti':
    case 'client_id':
      return credentialMessages.noClaim(claim);
    default:
      return credentialMessages.otherServer();
  }
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
      return keysAt(new URL(found['jwks_uri']));
  }
  throw new Error(credentialMessages.noIssuerKeys());
}

/** The keys at an address. @throws KeyNotThereYet where they were fetched too lately to be fetched again for one more */
function keysAt(url: URL): JWTVerifyGetKey {
  const keys = createRemoteJWKSet(url, { cooldownDuration: newKeysMs });
  return async (header, token) => {
    const areNew = keys.coolingDown;
    return keys(header, token).catch((error: unknown) => {
      throw areNew && error instanceof errors.JWKSNoMatchingKey ? new KeyNotThereYet() : error;
    });
  };
}

/** Identifies holders of API keys. It logs each key whose record was not made with the key ring. */
export function createApiKeyVerifier(keys: ApiKeys, log: Log): Verifier {
  // Each key is logged once, because its holder may send it as often as they like.
  const logged = new Set<string>();
  return async (credential) => {
    if (!credential.startsWith('wlk_')) return { kind: 'unknown' };
    const found = await keys.check(credential);
    if (found.status === 'unknown') return { kind: 'refused', reason: credentialMessages.unknownKey() };
    const { principal, scopes, id: key } = found.key;
    if (found.status === 'good')
      return { kind: 'known', identity: { principal, scopes: new Set(scopes), key } };
    if (found.status === 'unsealed' && !logged.has(key)) {
      logged.add(key);
      log('error', 'api_key_not_sealed', { key });
    }
    const { unsealedKey, refusedKey } = credentialMessages;
    const reason = found.status === 'over' ? refusedKey(key, found.reason) : unsealedKey(key);
    return { kind: 'refused', reason, isOver: true, key };
  };
}
