import type { ApiError, CustomHeader } from '@workflowlookup/console/contract';

/** A header that no page of another origin can send without asking first. */
const customHeader: CustomHeader = 'x-workflowlookup-console';

/**
 * What keeps a page of somebody else from acting for whoever is signed in here: it is told by what browsers say of where
 * a request comes from, and for what changes something by a header of our own besides. The cookie is same-site too, but
 * all ports of one machine are one site.
 */
export function refuseForeign(request: Request): ApiError | undefined {
  const { headers, method, url } = request;
  const site = headers.get('sec-fetch-site') ?? 'none';
  const origin = headers.get('origin');
  if (!['same-origin', 'none'].includes(site)) return refusal('It comes from another site.');
  if (origin !== null && hostOf(origin) !== new URL(url).host)
    return refusal('It comes from a page of another origin.');
  if (['GET', 'HEAD'].includes(method) || headers.get(customHeader) === '1') return undefined;
  return refusal(`It lacks the header ${customHeader}: 1.`);
}

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

function refusal(message: string): ApiError {
  return { code: 'FORBIDDEN', message };
}
