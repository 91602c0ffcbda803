import type { SignedIn } from '@workflowlookup/console/contract';
import type { Operator } from '@workflowlookup/core/operator';
import type { ApiKey, Host, Scope } from '@workflowlookup/host';
import { isScope, openApiKeys, openRevokedIds, readSignInSecret, scopes } from '@workflowlookup/host';
import type { Identity } from '../../auth/authentication.ts';
import { credentialOf, personOf } from '../../auth/authentication.ts';
import type { ConsoleParts } from '../requests.ts';
import type { SessionClaims } from './session-token.ts';
import { longestSessionSeconds, sessionSeal, sessionSeconds } from './session-token.ts';

export interface SignedInUser {
  readonly id: string;
  readonly way: 'secret' | 'key' | 'oauth';
  readonly principal: string;
  /** The name answers carry. */
  readonly person: string;
  /** As `/mcp` names it: the same credential is the same caller, whichever way it comes. */
  readonly credential?: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Id of the API key they signed in by. */
  readonly key?: string;
  /** Milliseconds since the epoch. */
  readonly untilMs: number;
}

/** The one user of this machine: they have the command line, which sees everything too. */
const localPrincipal = 'local';

/** Whether the sessions of all principals are shown. Only the user of this machine sees them, never a credential. */
export function seesAll({ way }: SignedInUser): boolean {
  return way === 'secret';
}

/**
 * How long a request waits, in milliseconds, until titles, outcomes and figures are up to date. The first request after an
 * upgrade finds all sessions outdated.
 */
const indexWaitMs = 300;

/** Returns the operator that reads ahead of the first request. It waits for nothing. */
export function operatorForWarmUp(host: Pick<Host, 'operatorOf'>): Operator {
  const nobody = { channel: 'console', indexWaitMs: 0 } as const;
  return host.operatorOf(nobody);
}

/** The actions of a user on the sessions that they may see. */
export function operatorFor(host: Pick<Host, 'operatorOf'>, signed: SignedInUser): Operator {
  const { person, principal, credential } = signed;
  const who = {
    person,
    channel: 'console',
    indexWaitMs,
    ...(credential !== undefined && { credential }),
  } as const;
  return host.operatorOf(seesAll(signed) ? who : { ...who, principal });
}

/**
 * What somebody may do beside looking. Definitions are everybody's: whoever changes one could take the checkpoints out of
 * it, so an agent's credential does not do.
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

/** Somebody who signs in, and the session token they get. */
export interface NewSignIn {
  readonly signed: SignedInUser;
  readonly token: string;
}

/** The id and the end of a sign-in. */
type Term = Pick<SessionClaims, 'jti' | 'exp'>;

/** The claims of a token without its term. */
type NewClaims = SessionClaims extends infer One
  ? One extends SessionClaims
    ? Omit<One, keyof Term>
    : never
  : never;

/** Signs users in and out, and checks session tokens. */
export interface Accounts {
  /** `undefined` for a secret of no link, of one that was used, or of one whose time is over. @throws STORE_UNAVAILABLE */
  withSecret(secret: string): Promise<NewSignIn | undefined>;
  /** `undefined` for a key that does not count, or that may not read. @throws STORE_UNAVAILABLE */
  withKey(secret: string): Promise<NewSignIn | undefined>;
  /** `undefined` for somebody who may not read. @throws STORE_UNAVAILABLE */
  withIdentity(identity: Identity): Promise<NewSignIn | undefined>;
  /**
   * Who holds a session token; `undefined` once its time is over, it was ended, or its key does not count, and for one that
   * no sign-in of this database gave out. @throws STORE_UNAVAILABLE
   */
  holder(token: string): Promise<SignedInUser | undefined>;
  /** The API key of a session token that a server with these keys gave out, however long ago; `undefined` for any other text. @throws STORE_UNAVAILABLE */
  issued(token: string): Promise<Pick<SignedInUser, 'key'> | undefined>;
  /** Ends a sign-in on all servers of the database. @throws STORE_UNAVAILABLE */
  end(signed: SignedInUser): Promise<void>;
}

/** Makes the accounts. The state is opened when somebody signs in. */
export function createAccounts({ host, network, verifiers }: ConsoleParts): Accounts {
  const keys = openApiKeys(host.access);
  // The database keeps such ids until a time: those of sign-ins, and those of sign-outs.
  const kept = openRevokedIds(host.access);
  const used = new Set<string>();

  async function begin(claims: NewClaims): Promise<NewSignIn | undefined> {
    const { keys: ring } = await host.vault();
    const token = await sessionSeal.close(ring, claims, sessionSeconds[claims.way]);
    const signed = await whose(token);
    if (signed === undefined) return undefined;
    // The database records which tokens were given out, so the keys alone can't make a valid one.
    await kept.add(signInNote(signed), signed.untilMs);
    return { signed, token };
  }

  /** Returns whether a link may sign somebody in, and uses it up. */
  async function useLink(given: string): Promise<boolean> {
    if (verifiers.length > 0) return false;
    const link = readSignInSecret((await host.vault()).keys, given, Date.now());
    if (link === undefined || used.has(link.id)) return false;
    // If two come at once, only one is accepted.
    used.add(link.id);
    const note = `console-link:${link.id}`;
    if (await kept.has(note)) return false;
    // Before it signs in, so that a link is good once, and not at all where that can't be kept.
    await kept.add(note, link.untilMs);
    return true;
  }

  async function holder(token: string): Promise<SignedInUser | undefined> {
    const signed = await whose(token);
    if (signed === undefined || !(await kept.has(signInNote(signed)))) return undefined;
    return (await kept.has(signOutNote(signed))) ? undefined : signed;
  }

  /** Whom a token names, if its key is still accepted. */
  async function whose(token: string): Promise<SignedInUser | undefined> {
    const claims = await sessionSeal.open((await host.vault()).keys, token, longestSessionSeconds);
    if (claims === undefined) return undefined;
    switch (claims.way) {
      case 'secret':
        return localUser(claims);
      case 'key':
        return keyHolder(claims, claims.key);
      case 'oauth':
        return network.oauth === undefined ? undefined : tokenHolder(claims, network.oauth.client?.id);
    }
  }

  /** Only where nobody needs a credential: a server that was started anew with them knows no local user. */
  function localUser({ jti, exp }: Term): SignedInUser | undefined {
    if (verifiers.length > 0) return undefined;
    const { person } = host;
    return {
      id: jti,
      way: 'secret',
      principal: localPrincipal,
      person,
      scopes: new Set(scopes),
      untilMs: exp * 1000,
    };
  }

  async function keyHolder({ jti, exp }: Term, id: string): Promise<SignedInUser | undefined> {
    const key = network.keys ? await keys.find(id) : undefined;
    if (key?.scopes.includes('read') !== true) return undefined;
    const untilMs = Math.min(exp * 1000, key.expiresAt === undefined ? Infinity : Date.parse(key.expiresAt));
    return { id: jti, way: 'key', untilMs, ...ownerOf(key) };
  }

  return {
    withSecret: async (given) => ((await useLink(given)) ? begin({ way: 'secret' }) : undefined),
    async withKey(given) {
      const key = network.keys ? await keys.verify(given) : undefined;
      return key && begin({ way: 'key', key: key.id });
    },
    withIdentity: async ({ principal, scopes: granted }) =>
      begin({ way: 'oauth', principal, scopes: [...granted] }),
    holder,
    async issued(token) {
      const { keys: ring } = await host.vault();
      const claims = await sessionSeal.open(ring, token, longestSessionSeconds, new Date(0));
      return claims && (claims.way === 'key' ? { key: claims.key } : {});
    },
    end: async (signed) => kept.add(signOutNote(signed), signed.untilMs),
  };
}

/** The identity of an access token. Its principal is the person. */
function tokenHolder(
  { jti, exp, principal, scopes: granted }: Extract<SessionClaims, { way: 'oauth' }>,
  client: string | undefined,
): SignedInUser | undefined {
  const credential = credentialOf({ ...(client !== undefined && { client }) });
  if (!granted.includes('read')) return undefined;
  return {
    id: jti,
    way: 'oauth',
    principal,
    person: personOf({ principal }),
    ...(credential !== undefined && { credential }),
    scopes: new Set(granted),
    untilMs: exp * 1000,
  };
}

function ownerOf({
  principal,
  id: key,
  scopes: granted,
}: ApiKey): Pick<SignedInUser, 'principal' | 'person' | 'scopes' | 'credential' | 'key'> {
  const credential = credentialOf({ key });
  return {
    principal,
    key,
    person: personOf({ principal, key }),
    ...(credential !== undefined && { credential }),
    scopes: new Set(granted.filter(isScope)),
  };
}

function signInNote({ id }: SignedInUser): string {
  return `console-sign-in:${id}`;
}

function signOutNote({ id }: SignedInUser): string {
  return `console:${id}`;
}
