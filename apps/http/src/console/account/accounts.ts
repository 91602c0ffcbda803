import type { SignedIn } from '@workflowlookup/console/contract';
import type { Operator } from '@workflowlookup/core/operator';
import type { ApiKey, Host, Scope } from '@workflowlookup/host';
import { openApiKeys, readSignInSecret, scopes } from '@workflowlookup/host';
import { defined } from '@workflowlookup/schema';
import type { Identity } from '../../auth/authentication.ts';
import { credentialOf, personOf } from '../../auth/authentication.ts';
import type { ConsoleParts } from '../requests.ts';
import type { NewClaims, SessionClaims } from './session-token.ts';
import { longestSessionSeconds, sessionSeal, sessionSeconds } from './session-token.ts';

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
