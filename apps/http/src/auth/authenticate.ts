import type { Identity, Verifier } from './identity.ts';

/** Who sends a request, or why that can't be told. */
export type Authentication =
  | { readonly identity: Identity }
  | { readonly missing: true }
  | { readonly reason: string; readonly isOver?: true; readonly key?: string };

/**
 * Tells who sends a request by its `Authorization` header; never by anything else of it. `undefined` for a credential that
 * can't be judged yet.
 */
export async function authenticate(
  request: Request,
  verifiers: readonly Verifier[],
): Promise<Authentication | undefined> {
  if (!request.headers.has('authorization')) return { missing: true };
  const credential = bearerOf(request);
  if (credential === undefined) return { reason: 'The Authorization header must be one bearer credential' };
  for (const verify of verifiers) {
    const verdict = await verify(credential);
    if (verdict.kind === 'known') return { identity: verdict.identity };
    if (verdict.kind === 'refused') return verdict;
    if (verdict.kind === 'unsettled') return undefined;
  }
  return { reason: 'The credential is not one this server knows' };
}

/** The bearer credential of a request; `undefined` where its header is missing or is not exactly one. */
export function bearerOf(request: Request): string | undefined {
  return /^Bearer ([\w.~+/-]+=*)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
}
