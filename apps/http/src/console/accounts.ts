import { hkdfSync, randomUUID } from 'node:crypto';
import type { SignedIn } from '@workflowlookup/console/contract';
import type { Operator } from '@workflowlookup/core/operator';
import type { KeyRing } from '@workflowlookup/core/tokens';
import type { ApiKey, Host, Scope } from '@workflowlookup/host';
import { openApiKeys, readSignInSecret, scopes } from '@workflowlookup/host';
import { defined } from '@workflowlookup/schema';
import type { Context } from 'hono';
import { EncryptJWT, errors, jwtDecrypt } from 'jose';
import { z } from 'zod';
import type { Identity } from '../auth/authentication.ts';
import { credentialOf, personOf } from '../auth/authentication.ts';
import type { ConsoleParts } from './requests.ts';
import { answerTooMany, requestOf } from './requests.ts';

export interface SignedInUser {
  readonly id: string;
  readonly way: 'secret' | 'key' | 'oauth';
  readonly principal: string;
  /** The name that is recorded with their answers. */
  readonly person: string;
  /** The same name that `/mcp` uses, so that one credential counts as one caller in the console and over MCP. */
  readonly credential?: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The id of the API key that they signed in with. */
  readonly key?: string;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
}

/** The principal of the one user of this machine, who may see every session, as they may on the command line. */
const localPrincipal = 'local';

/** Whether the sessions of all principals are shown. Only the user of this machine sees them, never a credential. */
export function seesAll({ way }: SignedInUser): boolean {
  return way === 'secret';
}

/**
 * How long a request waits, in milliseconds, for the index of titles, outcomes and figures to be updated. After an
 * upgrade, all of it is outdated.
 */
const indexWaitMs = 300;

/** Returns the operator of a user, limited to the sessions that they may see. */
export function operatorFor(host: Pick<Host, 'operatorOf'>, signed: SignedInUser): Operator {
  const { person, principal, credential } = signed;
  return host.operatorOf({
    person,
    channel: 'console',
    indexWaitMs,
    ...defined({ credential, principal: seesAll(signed) ? undefined : principal }),
  });
}

/**
 * Returns what a user may do besides reading. Definitions are shared by all users, and whoever edits one can remove its
 * checkpoints, so saving also requires the scope `checkpoints:respond`, which credentials of agents should not have.
 */
export function permissionsOf(signed: SignedInUser, host: Pick<Host, 'sources'>): SignedIn['may'] {
  const answer = signed.scopes.has('checkpoints:respond');
  const hasPlace = host.sources.some(({ isWritable }) => isWritable === true);
  return {
    answer,
    save: answer && signed.scopes.has('write') && hasPlace,
    sees: seesAll(signed) ? 'all' : 'own',
  };
}

/** A user who has just signed in, and their session token. */
export interface NewSignIn {
  readonly signed: SignedInUser;
  readonly token: string;
}

/** Signs users in and out, and checks session tokens. */
export interface Accounts {
  /**
   * Signs in with the secret of a link. Returns `undefined` if the secret is unknown, used or expired. @throws
   * STORE_UNAVAILABLE
   */
  withSecret(secret: string): Promise<NewSignIn | undefined>;
  /**
   * Signs in with an API key. Returns the id of the key and the reason if the key has expired, was revoked, or was not
   * made with the keys of this server: its sender had the secret. Returns `undefined` if it is unknown or lacks the scope
   * `read`. @throws STORE_UNAVAILABLE
   */
  withKey(secret: string): Promise<NewSignIn | { readonly key: string; readonly reason: string } | undefined>;
  /**
   * Signs in with the identity from an access token. Returns `undefined` if it lacks the scope `read`. @throws
   * STORE_UNAVAILABLE
   */
  withIdentity(identity: Identity): Promise<NewSignIn | undefined>;
  /**
   * Returns the user of a session token. Returns `undefined` if the token has expired, its user has signed out, its API
   * key is no longer valid, or this database did not issue it. @throws STORE_UNAVAILABLE
   */
  holder(token: string): Promise<SignedInUser | undefined>;
  /**
   * Returns the API key of a session token that a server with these keys issued, even if the token has expired;
   * `undefined` for any other text. @throws STORE_UNAVAILABLE
   */
  issued(token: string): Promise<Pick<SignedInUser, 'key'> | undefined>;
  /** Ends a sign-in on all servers of the database. @throws STORE_UNAVAILABLE */
  end(signed: SignedInUser): Promise<void>;
}

/** Creates the accounts. The database is opened when the first user signs in. */
export function createAccounts({ host, network, verifiers, verifyKey }: ConsoleParts): Accounts {
  const keys = openApiKeys(host.access);
  const used = new Set<string>();

  /** Notes a sign-in, a sign-out or a used link among the revoked ids of the database, until it expires. */
  const addNote = async (note: string, untilMs: number): Promise<void> =>
    (await host.access.open()).revokeId(note, new Date(untilMs).toISOString());
  const isNoted = async (note: string): Promise<boolean> => (await host.access.open()).isRevoked(note);

  async function begin(claims: NewClaims): Promise<NewSignIn | undefined> {
    const { keys: ring } = await host.vault();
    const token = await sessionSeal.close(ring, claims, sessionSeconds[claims.way]);
    const signed = await whose(token);
    if (signed === undefined) return undefined;
    // The database records which tokens were given out, so the keys alone can't make a valid one.
    await addNote(signInNote(signed), signed.untilMs);
    return { signed, token };
  }

  /** Returns whether a link may sign somebody in, and uses it up. */
  async function useLink(given: string): Promise<boolean> {
    if (verifiers.length > 0) return false;
    const link = readSignInSecret((await host.vault()).keys, given, Date.now());
    if (link === undefined || used.has(link.id)) return false;
    // If two requests use the link at the same time, only one is accepted.
    used.add(link.id);
    const note = `console-link:${link.id}`;
    if (await isNoted(note)) return false;
    // The link is marked as used before the sign-in. If that can't be stored, the sign-in fails, so no link works
    // twice.
    await addNote(note, link.untilMs);
    return true;
  }

  async function holder(token: string): Promise<SignedInUser | undefined> {
    const signed = await whose(token);
    if (signed === undefined || !(await isNoted(signInNote(signed)))) return undefined;
    return (await isNoted(signOutNote(signed))) ? undefined : signed;
  }

  /** Returns the user that a token names, if its key is still accepted. */
  async function whose(token: string): Promise<SignedInUser | undefined> {
    const claims = await sessionSeal.open((await host.vault()).keys, token, longestSessionSeconds);
    const identity = claims && (await identityOf(claims));
    if (claims === undefined || identity?.scopes.has('read') !== true) return undefined;
    const { jti: id, exp, way } = claims;
    const { principal, scopes: granted, key, expiresAt } = identity;
    const credential = credentialOf(identity);
    return {
      id,
      way,
      principal,
      person: way === 'secret' ? host.person : personOf(identity),
      scopes: granted,
      ...defined({ credential, key }),
      untilMs: Math.min(exp * 1000, expiresAt === undefined ? Infinity : Date.parse(expiresAt)),
    };
  }

  /** Returns who a token was issued to, and when their API key expires. */
  async function identityOf(
    claims: SessionClaims,
  ): Promise<(Identity & Pick<ApiKey, 'expiresAt'>) | undefined> {
    switch (claims.way) {
      case 'secret':
        // Without credentials there is one local user. A server that was restarted with credentials has none, so older
        // tokens of the local user are refused.
        return verifiers.length > 0 ? undefined : { principal: localPrincipal, scopes: new Set(scopes) };
      case 'key': {
        const key = network.keys ? await keys.find(claims.key) : undefined;
        return key && { ...key, scopes: new Set(key.scopes), key: claims.key };
      }
      case 'oauth': {
        const client = network.oauth?.client?.id;
        const { principal, scopes: granted } = claims;
        return network.oauth && { principal, scopes: new Set(granted), ...defined({ client }) };
      }
    }
  }

  return {
    withSecret: async (given) => ((await useLink(given)) ? begin({ way: 'secret' }) : undefined),
    async withKey(given) {
      const verdict = await verifyKey?.(given);
      const key = verdict?.kind === 'known' ? verdict.identity.key : undefined;
      if (key !== undefined) return begin({ way: 'key', key });
      if (verdict?.kind !== 'refused' || verdict.key === undefined) return undefined;
      return { key: verdict.key, reason: verdict.reason };
    },
    withIdentity: async ({ principal, scopes: granted }) =>
      begin({ way: 'oauth', principal, scopes: [...granted] }),
    holder,
    async issued(token) {
      const { keys: ring } = await host.vault();
      const claims = await sessionSeal.open(ring, token, longestSessionSeconds, new Date(0));
      return claims && (claims.way === 'key' ? { key: claims.key } : {});
    },
    end: async (signed) => addNote(signOutNote(signed), signed.untilMs),
  };
}

function signInNote({ id }: SignedInUser): string {
  return `console-sign-in:${id}`;
}

function signOutNote({ id }: SignedInUser): string {
  return `console:${id}`;
}

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

const newClaims = z.discriminatedUnion('way', [
  z.object({ way: z.literal('secret') }),
  z.object({ way: z.literal('key'), key: z.string() }),
  z.object({ way: z.literal('oauth'), principal: z.string(), scopes: z.array(z.enum(scopes)) }),
]);

/** The user of a session token. The scopes of a key are looked up for each request. */
type NewClaims = z.infer<typeof newClaims>;

const sessionClaims = z.intersection(z.object({ jti: z.string(), exp: z.number() }), newClaims);

/** {@link NewClaims} with the id of the sign-in and the time when it expires. */
type SessionClaims = z.infer<typeof sessionClaims>;

/** How long a sign-in lasts. One through an authorization server lasts an hour, because that server may revoke it. */
const sessionSeconds = { secret: 12 * 3600, key: 12 * 3600, oauth: 3600 } as const;

/** The longest of these times. A token that states a longer one is refused. */
const longestSessionSeconds = Math.max(...Object.values(sessionSeconds));

/** Seals session tokens, and opens them. */
export const sessionSeal = createSeal({ issuer: 'workflowlookup-console', claims: sessionClaims });

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
