import type { ApiKey } from '@workflowlookup/host';
import { openApiKeys, stateDirectoryOf } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { KeysRequest } from './keys-options.ts';

/** What a command printed, and whether it did what it was asked to. */
export interface CommandOutcome {
  readonly ok: boolean;
  readonly text: string;
}

/** Makes, lists or revokes API keys. A secret is printed when it is made and never again. */
export function runKeysCommand(request: KeysRequest): CommandOutcome {
  const { state } = request;
  const stateDirectory = stateDirectoryOf(state === undefined ? {} : { stateDirectory: state });
  const keys = openApiKeys({ stateDirectory });
  try {
    switch (request.action) {
      case 'create': {
        const { principal, scopes, expiresAt } = request;
        const { secret } = keys.create({
          principal,
          scopes,
          ...(expiresAt === undefined ? {} : { expiresAt }),
        });
        return { ok: true, text: `${secret}\n` };
      }
      case 'list':
        return { ok: true, text: keys.list().map(lineOf).join('') };
      case 'revoke':
        return keys.revoke(request.id)
          ? { ok: true, text: `Revoked ${request.id}\n` }
          : { ok: false, text: `There is no key with the id '${request.id}'\n` };
    }
  } catch (error) {
    if (error instanceof WorkflowError) return { ok: false, text: `${error.message}\n` };
    throw error;
  }
}

function lineOf({ id, principal, scopes, createdAt, expiresAt, revokedAt }: ApiKey): string {
  const ends = [
    ...(expiresAt === undefined ? [] : [`expires ${expiresAt}`]),
    ...(revokedAt === undefined ? [] : [`revoked ${revokedAt}`]),
  ];
  return `${[id, principal, scopes.join(','), `created ${createdAt}`, ...ends].join('  ')}\n`;
}
