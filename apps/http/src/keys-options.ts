import type { HostOptions, NewApiKey, Scope } from '@workflowlookup/host';
import type { Environment } from '@workflowlookup/host/flags';
import { parseCommandLine, readPlace } from '@workflowlookup/host/flags';

/** What is to be done with API keys. */
export type KeysAction =
  | { readonly action: 'create'; readonly key: NewApiKey }
  | { readonly action: 'list'; readonly asJson?: boolean }
  | { readonly action: 'revoke'; readonly id: string };

/** What is to be done, and where the keys are. */
export type KeysRequest = KeysAction & {
  readonly place: Pick<HostOptions, 'stateDirectory' | 'database' | 'audit' | 'environment'>;
};

const flags = {
  principal: { type: 'string' },
  scope: { type: 'string', multiple: true },
  expires: { type: 'string' },
  state: { type: 'string' },
  database: { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** Reads what follows `keys`; a text says what is wrong with it. */
export function readKeysOptions(args: readonly string[], env: Environment): KeysRequest | string {
  const parsed = parseCommandLine({ args: [...args], options: flags, strict: true, allowPositionals: true });
  if (typeof parsed === 'string') return parsed;
  const {
    values,
    positionals: [action, id, ...rest],
  } = parsed;
  const found = readPlace(values, env);
  if (typeof found === 'string') return found;
  const place = { ...found, environment: env };
  if (action !== 'list' && values.json === true) return '--json works only with keys list';
  if (action === 'revoke' && id !== undefined && rest.length === 0) return { action, id, place };
  if (id !== undefined || (action !== 'list' && action !== 'create'))
    return 'keys takes one of: create, list, revoke ID';
  if (action === 'list') return { action, ...(values.json === true && { asJson: true }), place };
  const key = readWanted(values);
  return typeof key === 'string' ? key : { action, key, place };
}

function readWanted({
  principal,
  scope = [],
  expires,
}: {
  readonly principal?: string;
  readonly scope?: readonly string[];
  readonly expires?: string;
}): NewApiKey | string {
  if (principal === undefined || scope.length === 0)
    return 'keys create needs --principal and at least one --scope';
  // What is no scope is refused where the key is made.
  const scopes = scope.flatMap((one) => one.split(',')) as Scope[];
  return { principal, scopes, ...(expires !== undefined && { expiresAt: expires }) };
}
