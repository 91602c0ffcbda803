import { createHost } from '@workflowlookup/host';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine, Environment } from '../command-line.ts';
import type { SourceFlags } from '../definitions/add-definition-command.ts';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { isHttpUrl } from '../is-http-url.ts';
import { createOutput } from '../output.ts';
import { ownEntry } from '../own-entry.ts';
import type { StateFlags } from '../state/add-state-command.ts';
import type { Check } from './check.ts';
import { checkAddress } from './check-address.ts';
import { checkDatabase } from './check-database.ts';
import { checkDisk } from './check-disk.ts';
import { checkKeys } from './check-keys.ts';
import { checkNode } from './check-node.ts';
import { checkSources } from './check-sources.ts';
import { checkState } from './check-state.ts';
import { findingsText } from './findings-text.ts';
import { roundTrip } from './round-trip.ts';
import { hostOptionsOf, serverFlagsOf } from './server-flags.ts';

/** What `doctor` takes. */
export interface DoctorOptions extends SourceFlags, StateFlags {
  readonly url?: string;
  readonly keyEnv?: string;
}

/** Looks at everything a server needs, makes nothing, and says what to set right. */
export async function doctor({ terminal, env }: CommandLine, options: DoctorOptions): Promise<ExitCode> {
  const { url, keyEnv } = options;
  if (url === undefined && keyEnv !== undefined)
    throw new WorkflowError(
      'INVALID_PARAMS',
      '--key-env goes with --url: a server started here takes no key.',
    );
  const found =
    url === undefined
      ? await checkHere(serverFlagsOf(options), env)
      : await checkAddress({ url: checkedUrl(url), ...keyOf(keyEnv, env) });
  const checks = [checkNode(), ...found];
  const ok = checks.every(({ standing }) => standing !== 'problem');
  const { answer } = createOutput(terminal, options.json ?? false);
  await answer({ ok, checks }, () => findingsText(checks, terminal));
  return ok ? exitCodes.ok : exitCodes.findings;
}

/** In this order: modes are looked at before anything is opened, which sets them. */
async function checkHere(flags: readonly string[], env: Environment): Promise<readonly Check[]> {
  const host = createHost(hostOptionsOf(flags, env));
  const { directory } = host.state;
  try {
    return [
      ...(await checkSources(host)),
      ...(await checkState(directory)),
      await checkDisk(directory),
      checkKeys({ stateDirectory: directory, environment: env }),
      await checkDatabase(host),
      await roundTrip(
        {
          command: process.execPath,
          args: [ownEntry, 'serve', 'stdio', ...flags],
          env: variablesIn(env),
          isQuiet: true,
        },
        () => 'See what it says by itself: workflowlookup serve stdio, with the same flags.',
      ),
    ];
  } finally {
    await host.close();
  }
}

function checkedUrl(url: string): string {
  if (isHttpUrl(url)) return url;
  throw new WorkflowError('INVALID_PARAMS', '--url takes an http or https URL without a password.');
}

function keyOf(keyEnv: string | undefined, env: Environment): { readonly key?: string } {
  if (keyEnv === undefined) return {};
  const key = env[keyEnv];
  if (key) return { key };
  throw new WorkflowError('INVALID_PARAMS', `The environment variable '${keyEnv}' of --key-env is not set.`);
}

function variablesIn(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
