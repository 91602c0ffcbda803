import type { Scope } from '@workflowlookup/host';

/** Who sends a request, and what for. */
export interface Identity {
  readonly principal: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Id of the API key, where it is one. */
  readonly key?: string;
}

/** What became of a credential. */
export type Verdict =
  | { readonly kind: 'known'; readonly identity: Identity }
  /** Not one of this way's credentials. */
  | { readonly kind: 'unknown' }
  /** One that does not count; the reason may be shown. One that did until its time was over is no guess. */
  | { readonly kind: 'refused'; readonly reason: string; readonly isOver?: true };

/** One way of telling who somebody is by a bearer credential. */
export type Verifier = (credential: string) => Promise<Verdict>;
