import type { Identity, Verifier } from './identity.ts';

/** Who sends a request, or why that can't be told. */
export type Authentication =
  | { readonly identity: Identity }
  | { readonly missing: true }
  | { readonly reason: string; readonly isOver?: true };

/** Tells who sends a request by its `Authorization` header; never by anything else of it. */
export async function authenticate(
  request: Request,
  verifiers: readonly Verifier[],
): Promise<Authentication> {
  const header = request.headers.get('authorization');
  if (header === null) return { missing: true };
  const credential = /^Bearer ([\w.~+/-]+=*)$/i.exec(header)?.[1];
  if (credential === undefined) return { reason: 'The Authorization header must be one bearer credential' };
  for (const verify of verifiers) {
    const verdict = await verify(credential);
    if (verdict.kind === 'known') return { identity: verdict.identity };
    if (verdict.kind === 'refused') return verdict;
  }
  return { reason: 'The credential is not one this server knows' };
}
