import type { ApiKey } from '@workflowlookup/host';
import { standingOf } from '@workflowlookup/host';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { plainLine } from '../plain-text.ts';
import { columns } from '../render/columns.ts';
import { momentText } from '../render/times.ts';
import type { KeysContext } from './with-keys.ts';

/** Lists the keys, with what each is good for. */
export async function list({ answer, keys }: KeysContext): Promise<ExitCode> {
  const all = await keys.list();
  const keysWithStanding = all.map((key) => ({ ...key, standing: standingOf(key) }));
  await answer({ keys: keysWithStanding }, () =>
    all.length === 0
      ? 'No keys.'
      : columns([['KEY', 'PRINCIPAL', 'SCOPES', 'CREATED (UTC)', 'ENDS'], ...all.map(cellsOf)]),
  );
  return exitCodes.ok;
}

function cellsOf(key: ApiKey): readonly string[] {
  const { id, principal, scopes, createdAt } = key;
  return [id, plainLine(principal), scopes.join(','), momentText(createdAt), endOf(key)];
}

function endOf(key: ApiKey): string {
  const { expiresAt = '', revokedAt = '' } = key;
  switch (standingOf(key)) {
    case 'revoked':
      return `revoked ${momentText(revokedAt)}`;
    case 'expired':
      return `expired ${momentText(expiresAt)}`;
    case 'active':
      return key.isUnsealed === true
        ? `not sealed: keys seal ${key.id}`
        : expiresAt && `expires ${momentText(expiresAt)}`;
  }
}
