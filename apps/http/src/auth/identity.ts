import type { Scope } from '@workflowlookup/host';

/** Who sends a request, and what for. */
export interface Identity {
  readonly principal: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Id of the API key, where it is one. */
  readonly key?: string;
  /** The OAuth client that a token was given to; tokens that don't say share one name. */
  readonly client?: string;
}

/**
 * What tells one credential of a principal from another: an API key by its id, a token by the client it was given to. No
 * secret. Absent where the server asks for none.
 */
export function credentialOf({ key, client }: Pick<Identity, 'key' | 'client'>): string | undefined {
  if (key !== undefined) return `key:${key}`;
  return client === undefined ? undefined : `client:${client}`;
}

/** The name that answers carry. Several people may have keys of one principal, so it names the key. */
export function personOf({ principal, key }: Pick<Identity, 'principal' | 'key'>): string {
  return key === undefined ? principal : `${principal} (key ${key})`;
}

/** What became of a credential. */
export type Verdict =
  | { readonly kind: 'known'; readonly identity: Identity }
  /** Not one of this way's credentials. */
  | { readonly kind: 'unknown' }
  /** One that can't be judged yet. The same one may count in a few seconds. */
  | { readonly kind: 'unsettled' }
  /** One that does not count; the reason may be shown. One that did until its time was over is no guess. */
  | {
      readonly kind: 'refused';
      readonly reason: string;
      readonly isOver?: true;
      /** Id of the API key it is. */
      readonly key?: string;
    };

/** One way of telling who somebody is by a bearer credential. */
export type Verifier = (credential: string) => Promise<Verdict>;
