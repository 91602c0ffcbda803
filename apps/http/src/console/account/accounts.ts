import { createHash, timingSafeEqual } from 'node:crypto';
import { isScope, openApiKeys, openRevokedIds, scopes } from '@workflowlookup/host';
import type { ApiKey } from '@workflowlookup/host';
import type { ConsoleParts } from '../console-parts.ts';
import type { Pass } from './pass.ts';
import { openPass, passSeconds, sealPass } from './pass.ts';
import type { Signed } from './signed.ts';
import { localPrincipal } from './signed.ts';

/** Somebody who signs in, and the cookie they get. */
export interface NewSignIn {
  readonly signed: Signed;
  readonly cookie: string;
  readonly seconds: number;
}

/** Who signs in, who is signed in, and who is no longer. */
export interface Accounts {
  /** `undefined` for a wrong secret. @throws STORAGE */
  withSecret(secret: string): Promise<NewSignIn | undefined>;
  /** `undefined` for a key that does not count, or that may not read. @throws STORAGE */
  withKey(secret: string): Promise<NewSignIn | undefined>;
  /** Who holds a cookie; `undefined` once its time is over, it was ended, or its key does not count. @throws STORAGE */
  holder(cookie: string): Promise<Signed | undefined>;
  /** Ends a sign-in on all servers of the database. @throws STORAGE */
  end(signed: Signed): Promise<void>;
}

/** Makes the accounts. The state is opened when somebody signs in. */
export function createAccounts({ host, network, secret }: ConsoleParts): Accounts {
  const keys = openApiKeys(host.access);
  const revoked = openRevokedIds(host.access);

  async function begin(pass: Pick<Pass, 'way' | 'key'>): Promise<NewSignIn | undefined> {
    const { keys: ring } = await host.vault();
    const cookie = await sealPass(ring, pass);
    const signed = await holder(cookie);
    return signed && { signed, cookie, seconds: passSeconds };
  }

  async function holder(cookie: string): Promise<Signed | undefined> {
    const pass = await openPass((await host.vault()).keys, cookie);
    if (pass === undefined) return undefined;
    const signed = pass.way === 'secret' ? localUser(pass) : await keyHolder(pass);
    return signed === undefined || (await revoked.has(revocationOf(signed))) ? undefined : signed;
  }

  /** Only where nobody needs a credential: a server that was started anew with them knows no local user. */
  function localUser({ jti, exp }: Pass): Signed | undefined {
    if (secret === undefined) return undefined;
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

  async function keyHolder({ jti, exp, key: id = '' }: Pass): Promise<Signed | undefined> {
    const key = network.keys ? await keys.find(id) : undefined;
    if (key?.scopes.includes('read') !== true) return undefined;
    const untilMs = Math.min(exp * 1000, key.expiresAt === undefined ? Infinity : Date.parse(key.expiresAt));
    return { id: jti, way: 'key', untilMs, ...ownerOf(key) };
  }

  return {
    withSecret: async (given) =>
      secret !== undefined && isSame(given, secret) ? begin({ way: 'secret' }) : undefined,
    async withKey(given) {
      const key = network.keys ? await keys.verify(given) : undefined;
      return key && begin({ way: 'key', key: key.id });
    },
    holder,
    end: async (signed) => revoked.add(revocationOf(signed), signed.untilMs),
  };
}

/** Several people may have keys of one principal: answers name the key. */
function ownerOf({
  principal,
  id,
  scopes: granted,
}: ApiKey): Pick<Signed, 'principal' | 'person' | 'scopes'> {
  return { principal, person: `${principal} (key ${id})`, scopes: new Set(granted.filter(isScope)) };
}

function revocationOf({ id }: Signed): string {
  return `console:${id}`;
}

/** Compares in the same time whatever was given. */
function isSame(given: string, due: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(due));
}
