import type { Environment } from '@workflowlookup/host/flags';
import { isSafeUrl } from '../guards/is-safe-url.ts';

/** Who is told, and what proves that it is us. */
export interface WebhookOptions {
  readonly url: string;
  /** As Standard Webhooks spells it: base64, with `whsec_` in front or not. */
  readonly secret: string;
}

const variable = 'WORKFLOWLOOKUP_WEBHOOK_SECRET';

/** Reads the flag and the variable; a text says what is wrong. An address may hold a secret, so it is not repeated. */
export function readWebhook(
  url: string | undefined,
  { [variable]: secret = '' }: Environment,
): { readonly webhook?: WebhookOptions } | string {
  if (url === undefined) return {};
  if (!isSafeUrl(url)) return '--webhook must be an https URL, or http of this machine';
  if (!/^(whsec_)?[A-Za-z0-9+/]{32,}={0,2}$/.test(secret))
    return `--webhook needs ${variable}: 24 random bytes or more in base64, as 'openssl rand -base64 32' prints`;
  return { webhook: { url, secret } };
}
