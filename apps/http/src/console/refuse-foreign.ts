import type { ApiError } from '@workflowlookup/console/contract';

/**
 * Refuses what pages of another origin send, as browsers state it. They could not act for whoever is signed in anyway,
 * since they have no session token; this keeps them from trying credentials, and from reading whether somebody could.
 */
export function refuseForeign({ headers, url }: Request): ApiError | undefined {
  const site = headers.get('sec-fetch-site') ?? 'none';
  const origin = headers.get('origin');
  if (!['same-origin', 'none'].includes(site)) return refusal('It comes from another site.');
  if (origin !== null && hostOf(origin) !== new URL(url).host)
    return refusal('It comes from a page of another origin.');
  return undefined;
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function refusal(message: string): ApiError {
  return { code: 'FORBIDDEN', message };
}
