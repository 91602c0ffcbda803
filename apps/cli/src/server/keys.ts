import type { ApiKey, ApiKeys, Scope } from '@workflowlookup/host';
import { apiKeyStatus, addressTokenOf, loadKeyRing, newSignInSecret } from '@workflowlookup/host';
import { WorkflowError, idInCommand } from '@workflowlookup/schema';
import type { CommandLine, ExitCode } from '../command-line.ts';
import { exitCodes } from '../command-line.ts';
import type { StateFlags } from '../commands/options.ts';
import { messages } from '../messages.ts';
import { withState } from '../open-host.ts';
import { columns, momentText, plainLine } from '../terminal/plain-text.ts';
import type { Output } from '../terminal/terminal.ts';
import { createOutput } from '../terminal/terminal.ts';

export interface KeysContext extends Output {
  readonly keys: ApiKeys;
}

/** Opens the stored API keys, and closes them afterwards. */
export async function withKeys(
  line: CommandLine,
  options: StateFlags,
  work: (context: KeysContext) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { openApiKeys } = await import('@workflowlookup/host');
  const output = createOutput(line.terminal, options.json ?? false);
  return withState(line, options, ({ access }) => work({ ...output, keys: openApiKeys(access) }));
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
  if (!asJson) await terminal.warn(`${messages.keys.secretFollows(key.id, principal)}\n`);
  await answer({ key, secret }, () => secret);
  return exitCodes.ok;
}

export async function list({ answer, keys }: KeysContext): Promise<ExitCode> {
  const all = await keys.list();
  const keysWithStatus = all.map((key) => ({ ...key, status: apiKeyStatus(key) }));
  await answer({ keys: keysWithStatus }, () =>
    all.length === 0
      ? 'No keys.'
      : columns([['KEY', 'PRINCIPAL', 'SCOPES', 'CREATED (UTC)', 'ENDS'], ...all.map(cellsOf)]),
  );
  return exitCodes.ok;
}

function cellsOf(key: ApiKey): readonly string[] {
  const { id, principal, scopes, createdAt } = key;
  return [
    plainLine(id),
    plainLine(principal),
    plainLine(scopes.join(',')),
    momentText(createdAt),
    endOf(key),
  ];
}

function endOf(key: ApiKey): string {
  const { expiresAt = '', revokedAt = '' } = key;
  switch (apiKeyStatus(key)) {
    case 'revoked':
      return `revoked ${momentText(revokedAt)}`;
    case 'expired':
      return `expired ${momentText(expiresAt)}`;
    case 'active':
      return key.isUnsealed === true
        ? `not sealed: keys seal ${idInCommand(key.id)}`
        : expiresAt && `expires ${momentText(expiresAt)}`;
  }
}

export async function revoke({ answer, keys }: KeysContext, id: string): Promise<ExitCode> {
  if (!(await keys.revoke(id))) throw new WorkflowError('NOT_FOUND', messages.keys.none(id));
  await answer({ id, revoked: true }, () => messages.keys.revoked(id));
  return exitCodes.ok;
}

/** Accepts the record of a key that this server did not sign, after a person has checked it. */
export async function seal({ answer, keys, terminal }: KeysContext, id: string): Promise<ExitCode> {
  const key = (await keys.list()).find((one) => one.id === id);
  if (key === undefined) throw new WorkflowError('NOT_FOUND', messages.keys.none(id));
  if (key.isUnsealed === true) {
    if (!terminal.isInteractive)
      throw new WorkflowError('HUMAN_REQUIRED', messages.keys.sealNeedsTerminal(id));
    const { principal, scopes, createdAt } = key;
    await terminal.warn(
      `${messages.keys.sealWarning(id, plainLine(principal), scopes.join(', '), plainLine(createdAt))}\n`,
    );
    if (!/^y(es)?$/i.test((await terminal.ask(messages.keys.sealQuestion)) ?? ''))
      throw new WorkflowError('CANCELLED', messages.keys.sealDeclined);
    await keys.seal(id);
  }
  await answer({ id, sealed: true }, () => messages.keys.sealed(id));
  return exitCodes.ok;
}

export interface AddressOptions extends StateFlags {
  readonly port: string;
}

/** Prints the address for agents and, at a terminal, a new link that signs a person in. */
export async function printAddresses(
  line: CommandLine,
  { port, ...options }: AddressOptions,
): Promise<ExitCode> {
  if (!/^\d{1,5}$/.test(port)) throw new WorkflowError('INVALID_INPUT', messages.options.port(port));
  const { terminal, env } = line;
  const keys = await withState(line, options, async ({ state }) =>
    loadKeyRing({ stateDirectory: state.directory, environment: env }),
  );
  const root = `http://127.0.0.1:${port}`;
  const agents = `${root}/mcp/${addressTokenOf(keys)}`;
  // Only a person gets the link: an agent that runs commands has no terminal.
  const console = terminal.isInteractive
    ? `${root}/console/#sign-in=${newSignInSecret(keys, Date.now())}`
    : undefined;
  const { answer } = createOutput(terminal, options.json ?? false);
  await answer({ agents, ...(console !== undefined && { console }) }, () =>
    [agents, ...(console === undefined ? [] : [console])].join('\n'),
  );
  if (console === undefined) await terminal.warn(`${messages.keys.signInNeedsTerminal}\n`);
  return exitCodes.ok;
}
