import type { ApiKey } from '@workflowlookup/host';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { plainLine } from '../plain-text.ts';
import { columns } from '../render/columns.ts';
import { momentText } from '../render/times.ts';
import type { KeysContext } from './with-keys.ts';

/** Lists the keys, with what each is good for. */
export async function list({ answer, keys }: KeysContext): Promise<ExitCode> {
  const all = await keys.list();
  await answer({ keys: all }, () =>
    all.length === 0
      ? 'No keys.'
      : columns([['KEY', 'PRINCIPAL', 'SCOPES', 'CREATED (UTC)', 'ENDS'], ...all.map(cellsOf)]),
  );
  return exitCodes.ok;
}

function cellsOf({ id, principal, scopes, createdAt, expiresAt, revokedAt }: ApiKey): readonly string[] {
  const end =
    revokedAt === undefined
      ? expiresAt && `expires ${momentText(expiresAt)}`
      : `revoked ${momentText(revokedAt)}`;
  return [id, plainLine(principal), scopes.join(','), momentText(createdAt), end ?? ''];
}
