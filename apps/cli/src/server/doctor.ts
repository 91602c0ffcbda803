import type { HostOptions } from '@workflowlookup/host';
import { createHost } from '@workflowlookup/host';
import { hostFlags, parseCommandLine, readHostFlags } from '@workflowlookup/host/flags';
import { WorkflowError } from '@workflowlookup/schema';
import type { CommandLine, Environment, ExitCode } from '../command-line.ts';
import { exitCodes, isHttpUrl } from '../command-line.ts';
import type { SourceFlags, StateFlags } from '../commands/options.ts';
import { messages } from '../messages.ts';
import { columns } from '../terminal/layout.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { ownEntry } from '../terminal/shell.ts';
import type { Emphasis, Terminal } from '../terminal/terminal.ts';
import { createOutput } from '../terminal/terminal.ts';
import type { Check } from './checks.ts';
import {
  checkAddress,
  checkDatabase,
  checkDisk,
  checkKeys,
  checkNode,
  checkSources,
  checkState,
  roundTrip,
} from './checks.ts';

export interface DoctorOptions extends SourceFlags, StateFlags {
  readonly url?: string;
  readonly keyEnv?: string;
}

/** Checks everything a server needs, without creating anything, and prints how to fix problems. */
export async function doctor({ terminal, env }: CommandLine, options: DoctorOptions): Promise<ExitCode> {
  const { url, keyEnv } = options;
  if (url === undefined && keyEnv !== undefined)
    throw new WorkflowError('INVALID_INPUT', messages.options.keyEnvWithoutUrl);
  const found =
    url === undefined
      ? await checkThisMachine(serverFlagsOf(options), env)
      : await checkAddress({ url: checkedUrl(url), ...keyOf(keyEnv, env) });
  const checks = [checkNode(), ...found];
  const ok = checks.every(({ standing }) => standing !== 'problem');
  const { answer } = createOutput(terminal, options.json ?? false);
  await answer({ ok, checks }, () => findingsText(checks, terminal));
  return ok ? exitCodes.ok : exitCodes.findings;
}

/** File modes are checked first because opening the state directory corrects them. */
async function checkThisMachine(flags: readonly string[], env: Environment): Promise<readonly Check[]> {
  const host = createHost(serverOptionsOf(flags, env));
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
        () => 'See its messages: run workflowlookup serve stdio with the same flags.',
      ),
    ];
  } finally {
    await host.close();
  }
}

function checkedUrl(url: string): string {
  if (isHttpUrl(url)) return url;
  throw new WorkflowError('INVALID_INPUT', messages.options.url);
}

function keyOf(keyEnv: string | undefined, env: Environment): { readonly key?: string } {
  if (keyEnv === undefined) return {};
  const key = env[keyEnv];
  if (key) return { key };
  throw new WorkflowError('INVALID_INPUT', messages.options.keyEnvUnset(keyEnv));
}

function variablesIn(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

function serverFlagsOf(flags: SourceFlags & StateFlags): readonly string[] {
  const { workflows = [], bundled, user, project, state, database } = flags;
  return [
    ...workflows.flatMap((directory) => ['--workflows', directory]),
    ...(bundled === false ? ['--no-bundled'] : []),
    ...(user === false ? ['--no-user'] : []),
    ...(project === false ? ['--no-project'] : []),
    ...(state === undefined ? [] : ['--state', state]),
    ...(database === undefined ? [] : ['--database', database]),
  ];
}

/**
 * Returns the options that such a server would use.
 *
 * @throws WorkflowError INVALID_INPUT
 */
function serverOptionsOf(flags: readonly string[], env: Environment): HostOptions {
  const parsed = parseCommandLine({ args: [...flags], options: hostFlags, strict: true });
  const options = typeof parsed === 'string' ? parsed : readHostFlags(parsed.values, env);
  if (typeof options === 'string') throw new WorkflowError('INVALID_INPUT', options);
  return options;
}

const emphasisOf = { ok: 'green', problem: 'red', skipped: 'dim' } as const satisfies Record<
  Check['standing'],
  Emphasis
>;

/** Formats the checks, one line each, with the fix below a problem. */
function findingsText(checks: readonly Check[], { paint }: Pick<Terminal, 'paint'>): string {
  const rows = columns(checks.map(({ standing, name, says }) => [standing, name, plainLine(says)])).split(
    '\n',
  );
  const lines = checks.flatMap(({ standing, fix }, at) => {
    const row = rows[at] ?? '';
    const painted = paint(emphasisOf[standing], row.slice(0, standing.length)) + row.slice(standing.length);
    return fix === undefined ? [painted] : [painted, `         ${plainLine(fix)}`];
  });
  const problems = checks.filter(({ standing }) => standing === 'problem').length;
  const sum = problems === 1 ? '1 problem.' : `${problems} problems.`;
  const waits = checks.some(({ standing, fix }) => standing === 'skipped' && fix !== undefined);
  const none = waits
    ? 'No problems, but a person must decide about the definitions above.'
    : 'No problems found.';
  return [...lines, '', problems === 0 ? none : sum].join('\n');
}
