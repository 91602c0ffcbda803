import type { ApiKey, ApiKeys, Scope } from '@workflowlookup/host';
import { apiKeyStatus, addressTokenOf, newSignInSecret, openApiKeys } from '@workflowlookup/host';
import { WorkflowError, idInCommand } from '@workflowlookup/schema';
import type { CommandContext, ExitCode } from '../commands/command-line.ts';
import type { StateFlags } from '../commands/options.ts';
import { optionMessages } from '../messages/common.ts';
import { keyMessages } from '../messages/server.ts';
import { withState } from '../open-host.ts';
import { columns, momentText, plainLine } from '../terminal/plain-text.ts';
import { agrees, requireTerminal } from '../terminal/terminal.ts';

export interface KeysContext extends CommandContext {
  readonly keys: ApiKeys;
}

/** Opens the stored API keys, and closes them afterwards. */
export function withKeys(
  context: CommandContext,
  options: StateFlags,
  work: (context: KeysContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  return withState(context, options, ({ access }) => work({ ...context, keys: openApiKeys(access) }));
}

export interface CreateOptions {
  readonly principal: string;
  /** Unknown scopes are refused when the key is created. */
  readonly scope: readonly string[];
  readonly expires?: string;
}

/** Creates a key. Only the secret goes to standard output, so that it can be piped to a secret store. */
export async function create(
  { answer, asJson, keys, terminal }: KeysContext,
  { principal, scope, expires }: CreateOptions,
): Promise<ExitCode> {
  const { key, secret } = await keys.create({
    principal,
    scopes: scope as readonly Scope[],
    ...(expires !== undefined && { expiresAt: expires }),
  });
  if (!asJson) await terminal.warn(`${keyMessages.secretFollows(key.id, principal)}\n`);
  return answer({ key, secret }, () => secret);
}

export async function list({ answer, keys }: KeysContext): Promise<ExitCode> {
  const all = await keys.list();
  const keysWithStatus = all.map((key) => ({ ...key, status: apiKeyStatus(key) }));
  return answer({ keys: keysWithStatus }, () =>
    all.length === 0
      ? keyMessages.noKeys
      : columns([
          ['KEY', 'PRINCIPAL', 'SCOPES', 'CREATED (UTC)', 'ENDS'],
          ...all.map((key) => [
            key.id,
            key.principal,
            key.scopes.join(','),
            momentText(key.createdAt),
            endOf(key),
          ]),
        ]),
  );
}

function endOf(key: ApiKey): string {
  const { expiresAt = '', revokedAt = '' } = key;
  const status = apiKeyStatus(key);
  if (status === 'revoked') return keyMessages.revokedAt(momentText(revokedAt));
  if (status === 'expired') return keyMessages.expiredAt(momentText(expiresAt));
  if (key.isUnsealed === true) return keyMessages.notSealed(idInCommand(key.id));
  return expiresAt && keyMessages.expiresAt(momentText(expiresAt));
}

export async function revoke({ answer, keys }: KeysContext, id: string): Promise<ExitCode> {
  if (!(await keys.revoke(id))) throw new WorkflowError('NOT_FOUND', keyMessages.none(id));
  return answer({ id, revoked: true }, () => keyMessages.revoked(id));
}

/** Accepts the record of a key that this server did not sign, after a person has checked it. */
export async function seal({ answer, keys, terminal }: KeysContext, id: string): Promise<ExitCode> {
  const key = (await keys.list()).find((one) => one.id === id);
  if (key === undefined) throw new WorkflowError('NOT_FOUND', keyMessages.none(id));
  if (key.isUnsealed === true) {
    await requireTerminal(terminal, keyMessages.sealNeedsTerminal(id));
    const { principal, scopes, createdAt } = key;
    await terminal.warn(
      `${keyMessages.sealWarning(id, plainLine(principal), scopes.join(', '), plainLine(createdAt))}\n`,
    );
    if (!(await agrees(terminal, keyMessages.sealQuestion)))
      throw new WorkflowError('CANCELLED', keyMessages.sealDeclined);
    await keys.seal(id);
  }
  return answer({ id, sealed: true }, () => keyMessages.sealed(id));
}

export interface AddressOptions extends StateFlags {
  readonly port: string;
}

/** Prints the address for agents and, at a terminal, a new link that signs a person in. */
export async function printAddresses(
  context: CommandContext,
  { port, ...options }: AddressOptions,
): Promise<ExitCode> {
  if (!/^\d{1,5}$/.test(port)) throw new WorkflowError('INVALID_INPUT', optionMessages.port(port));
  const { answer, terminal } = context;
  const keys = await withState(context, options, async (host) => host.keys());
  const root = `http://127.0.0.1:${port}`;
  const agents = `${root}/mcp/${addressTokenOf(keys)}`;
  // Only a person gets the link: an agent that runs commands has no terminal.
  const console = terminal.isInteractive
    ? `${root}/console/#sign-in=${newSignInSecret(keys, Date.now())}`
    : undefined;
  const code = await answer({ agents, console }, () =>
    [agents, ...(console === undefined ? [] : [console])].join('\n'),
  );
  if (console === undefined) await terminal.warn(`${keyMessages.signInNeedsTerminal}\n`);
  return code;
}
