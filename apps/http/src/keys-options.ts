import type { Scope } from '@workflowlookup/host';
import type { Environment } from '@workflowlookup/host/flags';
import { parseCommandLine } from '@workflowlookup/host/flags';

/** What is to be done with API keys, and in which state directory. */
export type KeysRequest = { readonly state?: string } & (
  | {
      readonly action: 'create';
      readonly principal: string;
      readonly scopes: readonly Scope[];
      readonly expiresAt?: string;
    }
  | { readonly action: 'list' }
  | { readonly action: 'revoke'; readonly id: string }
);

const flags = {
  principal: { type: 'string' },
  scope: { type: 'string', multiple: true },
  expires: { type: 'string' },
  state: { type: 'string' },
} as const;

/** Reads what follows `keys`; a text says what is wrong with it. */
export function readKeysOptions(args: readonly string[], env: Environment): KeysRequest | string {
  const parsed = parseCommandLine({ args: [...args], options: flags, strict: true, allowPositionals: true });
  if (typeof parsed === 'string') return parsed;
  const {
    values,
    positionals: [action, id, ...rest],
  } = parsed;
  const state = values.state ?? env['WORKFLOWLOOKUP_STATE'];
  const where = state ? { state } : {};
  if (action === 'revoke' && id !== undefined && rest.length === 0) return { action, id, ...where };
  if (id !== undefined || (action !== 'list' && action !== 'create'))
    return 'keys takes one of: create, list, revoke ID';
  if (action === 'list') return { action, ...where };
  const wanted = readWanted(values);
  return typeof wanted === 'string' ? wanted : { action, ...wanted, ...where };
}

type Wanted = Omit<Extract<KeysRequest, { action: 'create' }>, 'action' | 'state'>;

function readWanted({
  principal,
  scope = [],
  expires,
}: {
  readonly principal?: string;
  readonly scope?: readonly string[];
  readonly expires?: string;
}): Wanted | string {
  if (principal === undefined || scope.length === 0)
    return 'keys create needs --principal and at least one --scope';
  // What is no scope is refused where the key is made.
  const scopes = scope.flatMap((one) => one.split(',')) as Scope[];
  return { principal, scopes, ...(expires !== undefined && { expiresAt: expires }) };
}
