import { WorkflowError } from '@workflowlookup/schema';
import type { SessionOptions } from '../session-options.ts';
import { stateDirectoryOf } from '../session-options.ts';
import { createLazyVault } from '../vault.ts';
import type { ApiKey, ApiKeys, NewApiKey } from './api-key.ts';
import { openApiKeys } from './open-api-keys.ts';

/** What is to be done with API keys. */
export type KeysAction =
  | { readonly action: 'create'; readonly key: NewApiKey }
  | { readonly action: 'list' }
  | { readonly action: 'revoke'; readonly id: string };

/** What is to be done, and where the keys are. */
export type KeysRequest = KeysAction & {
  readonly place: Pick<SessionOptions, 'stateDirectory' | 'database'>;
};

/** What a command printed, and whether it did what it was asked to. */
export interface CommandOutcome {
  readonly ok: boolean;
  readonly text: string;
}

/** Makes, lists or revokes API keys. A secret is printed when it is made and never again. */
export async function runKeysCommand({ place, ...request }: KeysRequest): Promise<CommandOutcome> {
  const vault = createLazyVault({ ...place, stateDirectory: stateDirectoryOf(place) });
  try {
    return await act(openApiKeys(vault.access), request);
  } catch (error) {
    if (error instanceof WorkflowError) return { ok: false, text: `${error.message}\n` };
    throw error;
  } finally {
    await vault.close();
  }
}

async function act(keys: ApiKeys, request: KeysAction): Promise<CommandOutcome> {
  switch (request.action) {
    case 'create':
      return { ok: true, text: `${(await keys.create(request.key)).secret}\n` };
    case 'list':
      return { ok: true, text: (await keys.list()).map(lineOf).join('') };
    case 'revoke':
      return (await keys.revoke(request.id))
        ? { ok: true, text: `Revoked ${request.id}\n` }
        : { ok: false, text: `There is no key with the id '${request.id}'\n` };
  }
}

function lineOf({ id, principal, scopes, createdAt, expiresAt, revokedAt }: ApiKey): string {
  const ends = [
    ...(expiresAt === undefined ? [] : [`expires ${expiresAt}`]),
    ...(revokedAt === undefined ? [] : [`revoked ${revokedAt}`]),
  ];
  return `${[id, principal, scopes.join(','), `created ${createdAt}`, ...ends].join('  ')}\n`;
}
