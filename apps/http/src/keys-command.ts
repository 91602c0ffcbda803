import type { ApiKey, ApiKeys } from '@workflowlookup/host';
import { createHost, openApiKeys, apiKeyStatus } from '@workflowlookup/host';
import { WorkflowError, writeOutHidden } from '@workflowlookup/schema';
import type { KeysAction, KeysRequest } from './options.ts';
import { optionMessages } from './messages.ts';

/** The output of a command, and whether it succeeded. */
export interface CommandOutcome {
  readonly ok: boolean;
  readonly text: string;
}

/** Makes, lists or revokes API keys. A secret is printed when it is made and never again. */
export async function runKeysCommand({ place, ...request }: KeysRequest): Promise<CommandOutcome> {
  const host = createHost(place);
  try {
    const who = { channel: 'cli', person: host.person } as const;
    return await host.audit.within(who, () => act(openApiKeys(host.access), request));
  } catch (error) {
    if (error instanceof WorkflowError) return { ok: false, text: `${error.message}\n` };
    throw error;
  } finally {
    await host.close();
  }
}

async function act(keys: ApiKeys, request: KeysAction): Promise<CommandOutcome> {
  switch (request.action) {
    case 'create':
      return { ok: true, text: `${(await keys.create(request.key)).secret}\n` };
    case 'list':
      return { ok: true, text: listText(await keys.list(), request.asJson ?? false) };
    case 'revoke':
      return (await keys.revoke(request.id))
        ? { ok: true, text: `${optionMessages.revoked(request.id)}\n` }
        : { ok: false, text: `${optionMessages.noKey(request.id)}\n` };
  }
}

/** One line for each key, or JSON, as `workflowlookup keys list` prints it. */
function listText(keys: readonly ApiKey[], asJson: boolean): string {
  if (!asJson) return keys.map(lineOf).join('');
  const json = { keys: keys.map((key) => ({ ...key, status: apiKeyStatus(key) })) };
  return `${JSON.stringify(json, undefined, 2).replaceAll(/[^\n -~]/g, escaped)}\n`;
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function lineOf(key: ApiKey): string {
  const { id, principal, scopes, createdAt, expiresAt, revokedAt, isUnsealed = false } = key;
  const isPast = apiKeyStatus(key) === 'expired';
  const ends = [
    ...(expiresAt === undefined ? [] : [optionMessages.expiresAt(expiresAt, isPast)]),
    ...(revokedAt === undefined ? [] : [optionMessages.revokedAt(revokedAt)]),
    ...(isUnsealed ? [optionMessages.notSealed(id)] : []),
  ];
  // Somebody who can write to the database can write anything into a record that isn't sealed.
  const line = [id, principal, scopes.join(','), optionMessages.createdAt(createdAt), ...ends].join('  ');
  return `${writeOutHidden(line.replaceAll(/\s/g, ' '))}\n`;
}
