import type { Scope } from '@workflowlookup/host';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import type { KeysContext } from './with-keys.ts';

/** What `create` takes. */
export interface CreateOptions {
  readonly principal: string;
  /** What is no scope is refused where the key is made. */
  readonly scope: readonly string[];
  readonly expires?: string;
}

/** Makes a key. The secret alone goes to standard output, so that it can be piped to where it is kept. */
export async function create(
  { answer, asJson, keys, terminal }: KeysContext,
  { principal, scope, expires }: CreateOptions,
): Promise<ExitCode> {
  const { key, secret } = await keys.create({
    principal,
    scopes: scope as readonly Scope[],
    ...(expires !== undefined && { expiresAt: expires }),
  });
  if (!asJson) await terminal.warn(`Key ${key.id} of ${principal}. This is shown once:\n`);
  await answer({ key, secret }, () => secret);
  return exitCodes.ok;
}
