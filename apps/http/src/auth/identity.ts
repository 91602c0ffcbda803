import type { Scope } from '@workflowlookup/host';
import type { Tool } from '@workflowlookup/mcp';
import { credentialMessages } from '../messages.ts';

/** The sender of a request and their scopes. */
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

export type Verdict =
  | { readonly kind: 'known'; readonly identity: Identity }
  /** The verifier does not handle this kind of credential. */
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

/** Identifies the sender of a bearer credential. */
export type Verifier = (credential: string) => Promise<Verdict>;

/** The sender of a request, or the reason why it is refused. */
type Authentication =
  | { readonly identity: Identity }
  | { readonly missing: true }
  | { readonly reason: string; readonly isOver?: true; readonly key?: string };

/**
 * Finds out who sends a request. Only the `Authorization` header counts. Returns `undefined` if the credential can't be
 * checked yet, for example because the keys of its issuer are not available.
 */
export async function authenticate(
  request: Request,
  verifiers: readonly Verifier[],
): Promise<Authentication | undefined> {
  if (!request.headers.has('authorization')) return { missing: true };
  const credential = bearerOf(request);
  if (credential === undefined) return { reason: credentialMessages.notOneBearer() };
  for (const verify of verifiers) {
    const verdict = await verify(credential);
    if (verdict.kind === 'known') return { identity: verdict.identity };
    if (verdict.kind === 'refused') return verdict;
    if (verdict.kind === 'unsettled') return undefined;
  }
  return { reason: credentialMessages.unknown() };
}

/** The bearer credential of a request; `undefined` where its header is missing or is not exactly one. */
export function bearerOf(request: Request): string | undefined {
  return /^Bearer ([\w.~+/-]+=*)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}

/** Tools by which a person answers: the right to do so is enough for them. */
const answering: ReadonlySet<string> = new Set(['present_checkpoint', 'respond_checkpoint']);

/** Returns whether a credential with these scopes may call a tool. Every request also requires `read`. */
export function mayCall({ name, annotations }: Tool, scopes: ReadonlySet<Scope>): boolean {
  if (annotations.readOnlyHint || scopes.has('write')) return true;
  return answering.has(name) && scopes.has('checkpoints:respond');
}
