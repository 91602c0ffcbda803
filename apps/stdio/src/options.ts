import { delimiter } from 'node:path';
import { parseArgs } from 'node:util';
import type { HostOptions, SourceOptions } from '@workflowlookup/host';
import type { ToolSetName } from '@workflowlookup/mcp';
import type { Environment } from './session-options.ts';
import { readSessionOptions, sessionFlags } from './session-options.ts';

/** What the command line and the environment ask for. */
export type Request =
  | { readonly kind: 'serve'; readonly host: HostOptions; readonly tools: ToolSetName }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  /** Something that can't be done, said in one line. */
  | { readonly kind: 'refused'; readonly reason: string };

const flags = {
  workflows: { type: 'string', multiple: true },
  'no-bundled': { type: 'boolean' },
  'no-user': { type: 'boolean' },
  'no-project': { type: 'boolean' },
  ...sessionFlags,
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

/** Flags of releases to come: known, so that they are refused by name and not as a typing error. */
const laterFlags = new Set(['--database', '--writable']);

/** What `--help` prints. */
export const usage = `Usage: workflowlookup-stdio [options]

Serves workflows to one agent over standard input and output (MCP and plain JSON-RPC).

Options:
  --workflows DIR   add a directory of definitions; repeatable, later ones win
  --no-bundled      leave out the bundled workflows
  --no-user         leave out ~/.workflowlookup/workflows
  --no-project      leave out ./workflows and ./.workflowlookup/workflows
  --tools SET       all (default), lookup (no sessions) or sessions
  -h, --help        print this
  -v, --version     print the version

Sessions:
  --state DIR       where sessions and keys are kept (default ~/.workflowlookup/state)
  --tokens KIND     reference (default: short) or self-contained
  --enforcement M   advisory (default: as the workflow says) or strict
  --gates WHO       declared (default: as the workflow says) or human: no agent
                    answers a checkpoint
  --min-response-seconds N
                    how long a checkpoint is open before an agent may answer it
                    with an option (default 3)
  --trust-elicitation
                    a person's answer through the client counts where only a
                    person may answer

Environment:
  WORKFLOW_STORAGE_PATH       directories of definitions, separated by '${delimiter}'
  WORKFLOW_INCLUDE_BUNDLED    false leaves the bundled workflows out
  WORKFLOW_INCLUDE_USER       false leaves the user's directory out
  WORKFLOW_INCLUDE_PROJECT    false leaves the project's directories out
  WORKFLOWLOOKUP_STATE        as --state
  WORKFLOWLOOKUP_KEYS         keys for tokens, in place of those of the state directory

Example:
  workflowlookup-stdio --workflows ./team-workflows
`;

/** Reads the command line and the environment. What this release can't do is refused, never ignored. */
export function readOptions(args: readonly string[], env: Environment): Request {
  const later = args.map((arg) => arg.split('=', 1)[0] ?? '').find((flag) => laterFlags.has(flag));
  if (later !== undefined) return refused(`${later} is not available in this release`);
  const parsed = parse(args);
  if (typeof parsed === 'string') return refused(parsed);
  if (parsed.help === true) return { kind: 'help' };
  if (parsed.version === true) return { kind: 'version' };
  const sources = readSources(parsed, env);
  if (typeof sources === 'string') return refused(sources);
  const sessions = readSessionOptions(parsed, env);
  if (typeof sessions === 'string') return refused(sessions);
  return { kind: 'serve', host: { ...sources, ...sessions.host }, tools: sessions.tools };
}

function parse(args: readonly string[]): ReturnType<typeof parseFlags> | string {
  try {
    return parseFlags(args);
  } catch (error) {
    // parseArgs says in its message which argument it could not take.
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}

function parseFlags(args: readonly string[]) {
  return parseArgs({ args: [...args], options: flags, strict: true }).values;
}

function readSources(parsed: ReturnType<typeof parseFlags>, env: Environment): SourceOptions | string {
  const unclear = switches.find((name) => !switchWords.includes(wordOf(env, name)));
  if (unclear !== undefined) return `${unclear} must be true or false, found '${env[unclear]}'`;
  const storagePaths = (env['WORKFLOW_STORAGE_PATH'] ?? '').split(delimiter).map((path) => path.trim());
  return {
    includeBundled: parsed['no-bundled'] !== true && isOn(env, 'WORKFLOW_INCLUDE_BUNDLED'),
    includeUser: parsed['no-user'] !== true && isOn(env, 'WORKFLOW_INCLUDE_USER'),
    includeProject: parsed['no-project'] !== true && isOn(env, 'WORKFLOW_INCLUDE_PROJECT'),
    storagePaths: storagePaths.filter((path) => path !== ''),
    directories: parsed.workflows ?? [],
  };
}

const switches = ['WORKFLOW_INCLUDE_BUNDLED', 'WORKFLOW_INCLUDE_USER', 'WORKFLOW_INCLUDE_PROJECT'] as const;
const offWords: readonly string[] = ['false', '0', 'no'];
const switchWords: readonly string[] = ['', 'true', '1', 'yes', ...offWords];

function wordOf(env: Environment, name: string): string {
  return (env[name] ?? '').trim().toLowerCase();
}

function isOn(env: Environment, name: string): boolean {
  return !offWords.includes(wordOf(env, name));
}

function refused(reason: string): Request {
  return { kind: 'refused', reason };
}
