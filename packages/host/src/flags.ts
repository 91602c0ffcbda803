import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, resolve } from 'node:path';
import type { parseArgs, ParseArgsConfig } from 'node:util';
import type { TrustedKeyFile } from './options.ts';
import { auditPlaceProblem, databaseProblem, expandHome, placeName, stateDirectoryOf } from './options.ts';
import type { HostOptions } from './create-host.ts';
import type { SourceOptions } from './sources/sources.ts';
import { optionMessages, placeMessages } from './messages.ts';

export { nodeProblem, oldestNode } from './options.ts';

/** The environment as a process has it. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Flags every server has, as `parseArgs` of Node takes them. */
export const hostFlags = {
  workflows: { type: 'string', multiple: true },
  'no-bundled': { type: 'boolean' },
  'no-user': { type: 'boolean' },
  'no-project': { type: 'boolean' },
  'trust-project': { type: 'boolean' },
  state: { type: 'string' },
  database: { type: 'string' },
  tokens: { type: 'string' },
  enforcement: { type: 'string' },
  gates: { type: 'string' },
  autonomy: { type: 'string' },
  'min-response-seconds': { type: 'string' },
  'trust-elicitation': { type: 'boolean' },
  audit: { type: 'string', multiple: true },
  anchor: { type: 'string' },
  'trusted-key': { type: 'string', multiple: true },
  'no-evidence': { type: 'boolean' },
} as const;

/** Reads a command line like `parseArgs` of Node. Returns a text if an argument is not valid. */
export function parseCommandLine<Config extends ParseArgsConfig>(
  config: Config,
): ReturnType<typeof parseArgs<Config>> | string {
  try {
    // Loaded only here, so that callers that only read the environment start faster.
    return process.getBuiltinModule('node:util').parseArgs(config);
  } catch (error) {
    if (error instanceof TypeError) return error.message;
    throw error;
  }
}

/** The values of the flags. */
export type HostFlags = {
  readonly [Name in keyof typeof hostFlags]?: (typeof hostFlags)[Name] extends { readonly multiple: true }
    ? readonly string[]
    : (typeof hostFlags)[Name] extends { readonly type: 'boolean' }
      ? boolean
      : string;
};

/** The part of `--help` about the sources of definitions. */
export const sourcesUsage = `  --workflows DIR   add a directory of definitions; repeatable, later ones override
                    earlier ones
  --no-bundled      leave out the bundled workflows
  --no-user         leave out ~/.workflowlookup/workflows
  --no-project      leave out ./workflows and ./.workflowlookup/workflows
  --trust-project   serve the project's definitions even if no person has trusted
                    them (for CI and containers; see: workflowlookup trust --help)
`;

/** The part of `--help` about sessions. */
export const sessionsUsage = `  --state DIR       directory for sessions and keys (default ~/.workflowlookup/state)
  --database URL    store sessions and API keys in Postgres instead of the state
                    directory: postgres://user@host/database?sslmode=verify-full
  --tokens KIND     reference (default: short) or self-contained
  --enforcement M   advisory or strict (default: as the workflow says)
  --gates WHO       declared (default: as the workflow says) or human: only people
                    can answer checkpoints
  --autonomy A      ask (default) or reversible: take the default option of
                    checkpoints that can be undone, and list them for review
  --min-response-seconds N
                    how long a checkpoint is open before an agent may answer it
                    with an option (default 3)
  --trust-elicitation
                    treat an answer through the agent's client as a person's answer
  --audit PLACE     write an audit log to a file, syslog://HOST[:PORT], or - for
                    standard error; repeatable
  --trusted-key NAME=FILE
                    a public key (Ed25519, PEM): statements that CI signed with its
                    private key count as evidence; repeatable
  --no-evidence     collect no evidence in the working folder
  --anchor PLACE    also write the end of each journal to a file, or post it to an
                    http(s) address, so that deletions from the database show
`;

/** The part of `--help` about environment variables. */
export const environmentUsage = `  WORKFLOW_STORAGE_PATH       directories of definitions, separated by '${delimiter}'
  WORKFLOW_INCLUDE_BUNDLED    false leaves the bundled workflows out
  WORKFLOW_INCLUDE_USER       false leaves the user's directory out
  WORKFLOW_INCLUDE_PROJECT    false leaves the project's directories out
  WORKFLOWLOOKUP_TRUST_PROJECT  true: same as --trust-project
  WORKFLOWLOOKUP_STATE        same as --state
  WORKFLOWLOOKUP_DATABASE     same as --database
  WORKFLOWLOOKUP_KEYS         keys for tokens, instead of those in the state directory
  WORKFLOWLOOKUP_KEYS_NOT_BEFORE
                              refuse API keys made before this time
  WORKFLOWLOOKUP_AUTONOMY     same as --autonomy
  WORKFLOWLOOKUP_AUDIT        same as --audit; separate several places with commas
  WORKFLOWLOOKUP_ANCHOR       same as --anchor
  WORKFLOWLOOKUP_TRUSTED_KEYS same as --trusted-key; separate several keys with commas
`;

const words = {
  tokens: ['reference', 'self-contained'],
  enforcement: ['advisory', 'strict'],
  gates: ['declared', 'human'],
  autonomy: ['ask', 'reversible'],
} as const;

/** One of the words that a flag accepts. */
type Word<Flag extends keyof typeof words> = (typeof words)[Flag][number];

/** Reads the flags of a host. Returns a text if one of them is wrong. */
export function readHostFlags(flags: HostFlags, env: Environment): HostOptions | string {
  const sources = readSources(flags, env);
  if (typeof sources === 'string') return sources;
  const autonomy = flags.autonomy ?? (env['WORKFLOWLOOKUP_AUTONOMY'] || undefined);
  const wrong = (Object.keys(words) as (keyof typeof words)[])
    .map((flag) => wrongWord(flag, flag === 'autonomy' ? autonomy : flags[flag], words[flag]))
    .find((text) => text !== undefined);
  if (wrong !== undefined) return wrong;
  const seconds = flags['min-response-seconds'];
  if (seconds !== undefined && !/^\d{1,6}(\.\d+)?$/.test(seconds))
    return optionMessages.wrongSeconds(seconds);
  const place = readStateFlags(flags, env);
  if (typeof place === 'string') return place;
  const trustedKeys = readTrustedKeys(flags, env);
  if (typeof trustedKeys === 'string') return trustedKeys;
  return {
    ...sources,
    ...place,
    ...(flags['no-evidence'] === true && { evidence: false }),
    ...(flags.tokens !== undefined && { tokens: flags.tokens as Word<'tokens'> }),
    ...(flags.enforcement !== undefined && { enforcement: flags.enforcement as Word<'enforcement'> }),
    ...(flags.gates !== undefined && { gates: flags.gates as Word<'gates'> }),
    ...(autonomy !== undefined && { autonomy: autonomy as Word<'autonomy'> }),
    ...(seconds !== undefined && { minResponseMs: Math.round(Number(seconds) * 1000) }),
    trustElicitation: flags['trust-elicitation'] === true,
    ...(trustedKeys.length > 0 && { trustedKeys }),
    environment: env,
  };
}

/**
 * Returns a message if a directory of `--workflows` or a file of `--trusted-key` does not exist or can't be read, and
 * otherwise `undefined`. A default directory may be missing. A directory that the user named may not, because a typing
 * error must not look like success.
 */
export function placeProblem({
  directories = [],
  trustedKeys = [],
}: Pick<HostOptions, 'directories' | 'trustedKeys'>): string | undefined {
  for (const { file } of trustedKeys) {
    try {
      accessSync(resolve(expandHome(file, homedir())), constants.R_OK);
    } catch (error) {
      return optionMessages.trustedKeyUnreadable(file, (error as NodeJS.ErrnoException).code ?? 'UNKNOWN');
    }
  }
  for (const directory of directories) {
    const path = resolve(expandHome(directory, homedir()));
    try {
      if (!statSync(path).isDirectory()) return optionMessages.directoryIsFile(directory);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? 'UNKNOWN';
      if (code !== 'ENOENT') return optionMessages.directoryUnreadable(directory, code, path);
      return optionMessages.directoryMissing(directory, path);
    }
  }
  return undefined;
}

/** Returns the places of sessions, the audit log and anchors, or a text that says what is wrong. */
export function readStateFlags(
  flags: Pick<HostFlags, 'state' | 'database' | 'audit' | 'anchor'>,
  env: Environment,
): Pick<HostOptions, 'stateDirectory' | 'database' | 'audit' | 'anchor'> | string {
  const state = flags.state ?? env['WORKFLOWLOOKUP_STATE'] ?? '';
  const database = flags.database ?? env['WORKFLOWLOOKUP_DATABASE'] ?? '';
  const problem = database === '' ? undefined : databaseProblem(database, env);
  if (problem !== undefined) return optionMessages.wrongDatabase(problem);
  const notBefore = env['WORKFLOWLOOKUP_KEYS_NOT_BEFORE'];
  if (notBefore !== undefined && !isTime(notBefore)) return optionMessages.wrongNotBefore(notBefore);
  const audit = flags.audit ?? (env['WORKFLOWLOOKUP_AUDIT'] ?? '').split(',').filter((one) => one !== '');
  const anchor = flags.anchor ?? env['WORKFLOWLOOKUP_ANCHOR'] ?? '';
  const wrongPlace = audit.map(auditPlaceProblem).find((text) => text !== undefined);
  if (wrongPlace !== undefined) return wrongPlace;
  return {
    ...(state !== '' && { stateDirectory: state }),
    ...(database !== '' && { database }),
    ...(audit.length > 0 && { audit }),
    ...(anchor !== '' && { anchor }),
  };
}

/** Reads the keys of `--trusted-key` or of the variable for it. Returns a text if one of them is wrong. */
export function readTrustedKeys(
  flags: Pick<HostFlags, 'trusted-key'>,
  env: Environment,
): readonly TrustedKeyFile[] | string {
  const all =
    flags['trusted-key'] ?? (env['WORKFLOWLOOKUP_TRUSTED_KEYS'] ?? '').split(',').filter((one) => one !== '');
  const keys = all.map((one) => {
    const [, name = '', file = ''] = /^([\w.-]{1,64})=(.+)$/.exec(one) ?? [];
    return { name, file };
  });
  const wrong = all.find((_, at) => keys[at]?.file === '');
  if (wrong !== undefined) return optionMessages.wrongTrustedKey(wrong);
  const names = keys.map(({ name }) => name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? keys : optionMessages.twoTrustedKeys(twice);
}

/**
 * Returns whether a text is a date, or a time with its time zone. Without a zone, a time would mean another moment on
 * another machine.
 */
function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d(T.*(Z|[+-]\d\d:\d\d))?$/.test(text) && !Number.isNaN(Date.parse(text));
}

/** Returns what is wrong with a flag that takes one of several words. */
export function wrongWord(
  flag: string,
  found: string | undefined,
  choices: readonly string[],
): string | undefined {
  if (found === undefined || choices.includes(found)) return undefined;
  return optionMessages.wrongWord(flag, choices, found);
}

function readSources(flags: HostFlags, env: Environment): SourceOptions | string {
  const trusted = readSwitch(env, 'WORKFLOWLOOKUP_TRUST_PROJECT', false);
  if (typeof trusted === 'string') return trusted;
  const found = switches.map((name) => readSwitch(env, name, true));
  const unclear = found.find((one) => typeof one === 'string');
  if (unclear !== undefined) return unclear;
  const [bundled, user, project] = found;
  const storagePaths = (env['WORKFLOW_STORAGE_PATH'] ?? '').split(delimiter).map((path) => path.trim());
  return {
    includeBundled: flags['no-bundled'] !== true && bundled === true,
    includeUser: flags['no-user'] !== true && user === true,
    includeProject: flags['no-project'] !== true && project === true,
    ...((flags['trust-project'] === true || trusted) && { trustProject: true }),
    storagePaths: storagePaths.filter((path) => path !== ''),
    directories: flags.workflows ?? [],
  };
}

const switches = ['WORKFLOW_INCLUDE_BUNDLED', 'WORKFLOW_INCLUDE_USER', 'WORKFLOW_INCLUDE_PROJECT'] as const;

/** Reads a variable that switches something on or off. Returns a text if its value is wrong. */
export function readSwitch(env: Environment, name: string, unset: boolean): boolean | string {
  const word = (env[name] ?? '').trim().toLowerCase();
  if (word === '') return unset;
  if (['true', '1', 'yes'].includes(word)) return true;
  return ['false', '0', 'no'].includes(word) ? false : optionMessages.wrongSwitch(name, env[name] ?? '');
}

/**
 * Returns a command for a person with the flags that it needs to find what the server stores. Agents on other machines
 * don't get to know paths and addresses of the server, so their text names the flags without values.
 */
export function commandForPerson(command: string, options: HostOptions): string {
  const { stateDirectory, database, evidence: isLocal = false } = options;
  const flags = [
    ...(stateDirectory === undefined ? [] : (['--state'] as const)),
    ...(database === undefined ? [] : (['--database'] as const)),
  ];
  if (flags.length === 0) return command;
  if (!isLocal) return placeMessages.onTheServer(command, flags);
  const state = stateDirectoryOf(options);
  const withState = stateDirectory === undefined ? command : `${command} --state ${quoted(state)}`;
  return database === undefined
    ? withState
    : placeMessages.withDatabase(`${withState} --database URL`, placeName({ database }, state));
}

/** Returns a path quoted for a shell. */
function quoted(path: string): string {
  const isPlain = process.platform === 'win32' ? /^[\w@%+=:,./\\-]+$/ : /^[\w@%+=:,./-]+$/;
  if (isPlain.test(path)) return path;
  return process.platform === 'win32' ? `"${path}"` : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
