import { homedir, userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import type { SessionParts, SessionPolicy } from '@workflowlookup/core/sessions';
import type { SessionStore } from '@workflowlookup/storage';
import type { AuditLogParts } from './audit.ts';
import type { Environment } from './flags.ts';
import type { SourceOptions } from './sources/sources.ts';
import { databaseProblems, optionMessages, placeMessages } from './messages.ts';

/** A path in which `~` means the home: shells expand it, the config files of clients do not. */
export function expandHome(path: string, home: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path;
}

/** A file with a public key, and the name of the system that has its private key. */
export interface TrustedKeyFile {
  readonly name: string;
  readonly file: string;
}

/** The options of sessions. Each has a default. */
export interface SessionOptions
  extends Partial<SessionPolicy>, Pick<SessionParts, 'onWrite' | 'beforeStart'> {
  /** The directory of sessions and keys; default `~/.workflowlookup/state`. It is created by the first session call. */
  readonly stateDirectory?: string;
  /** Address of a Postgres database, `postgres://…`, that keeps the sessions in place of the state directory. */
  readonly database?: string;
  /** A second place for the ends of journals: a file, or an `http:` or `https:` address that accepts lines of JSON. */
  readonly anchor?: string;
  /** The format of new tokens; default `reference`. Tokens in the other format are still accepted. */
  readonly tokens?: 'reference' | 'self-contained';
  /** The name of the person who acts without a token; default the user of this process. */
  readonly person?: string;
  /** Wraps the database when it is opened, for example to trace its use. */
  wrapStore?<Store extends SessionStore>(store: Store): Store;
  /** Places of the audit log: paths of files, `syslog://HOST[:PORT]`, or `-` for standard error. Default none. */
  readonly audit?: readonly string[];
  /** Called when audit entries begin to be lost and when they are written again; by default it writes to standard error. */
  readonly onAuditChange?: AuditLogParts['onChange'];
  /** Public keys whose signed statements count as evidence, with the name that results carry. Default none. */
  readonly trustedKeys?: readonly TrustedKeyFile[];
  /** Variables of the process; its `WORKFLOWLOOKUP_KEYS` stands in for keys of the state directory. Default none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Returns the directory of sessions and keys, as an absolute path. */
export function stateDirectoryOf(options: SessionOptions & SourceOptions): string {
  const { workingDirectory = process.cwd(), homeDirectory = homedir(), stateDirectory } = options;
  return stateDirectory === undefined
    ? join(homeDirectory, '.workflowlookup', 'state')
    : resolve(workingDirectory, expandHome(stateDirectory, homeDirectory));
}

/** Returns the place of sessions for messages: the address of a database without user and password. */
export function placeName({ database }: Pick<SessionOptions, 'database'>, stateDirectory: string): string {
  if (database === undefined) return stateDirectory;
  try {
    const { host: named, pathname, searchParams } = new URL(database);
    const host = searchParams.get('host') ?? named;
    return placeMessages.postgresAt(decodeURIComponent(pathname.slice(1)), host);
  } catch {
    // Opening the database reports what is wrong with the address.
    return placeMessages.postgres();
  }
}

/**
 * Returns the name of the user of this process, or their number if the system has no name for them, as in many
 * containers.
 */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // It has no entry for this user.
    return `uid-${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Values of `sslmode` in the address of a Postgres database. */
const sslModes = ['disable', 'no-verify', 'prefer', 'require', 'verify-ca', 'verify-full'];

/**
 * Returns what is wrong with the address of a database, or `undefined` for a valid one. An address that leads to another machine
 * has to say whether the connection is encrypted: without `sslmode`, everything, even the password, is sent unencrypted.
 * The address can contain a password, so the result repeats only its host.
 */
export function databaseProblem(address: string, env: Environment = {}): string | undefined {
  if (!/^postgres(ql)?:\/\//.test(address) || !URL.canParse(address)) return databaseProblems.notPostgres();
  const { hostname, searchParams } = new URL(address);
  const mode = searchParams.get('sslmode') ?? env['PGSSLMODE'] ?? '';
  if (mode !== '' && !sslModes.includes(mode)) return databaseProblems.unknownMode(mode, sslModes);
  const isSaid = mode !== '' || ['1', 'true', '0', 'false'].includes(searchParams.get('ssl') ?? '');
  const host =
    searchParams.get('host') ?? (hostname === '' ? (env['PGHOST'] ?? '') : hostname.replaceAll(/%2f/gi, '/'));
  if (isSaid || isOnThisMachine(host)) return undefined;
  return databaseProblems.maybeNotEncrypted(host);
}

/** Loopback, or the folder of a socket. */
function isOnThisMachine(host: string): boolean {
  const name = host.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return (
    name === '' ||
    name.startsWith('/') ||
    name === 'localhost' ||
    name === '::1' ||
    /^127(\.\d{1,3}){3}$/.test(name)
  );
}

/** Returns what is wrong with a place for the audit log, or `undefined` for a valid one. */
export function auditPlaceProblem(place: string): string | undefined {
  const isPlace = place.startsWith('syslog:') ? readSyslog(place) !== undefined : place !== '';
  return isPlace ? undefined : optionMessages.wrongAuditPlace(place);
}

/** The receiver of datagrams. */
export interface SyslogReceiver {
  readonly host: string;
  readonly port: number;
}

/** Reads `syslog://HOST[:PORT]`; `undefined` for anything else. */
export function readSyslog(place: string): SyslogReceiver | undefined {
  if (!place.startsWith('syslog://') || !URL.canParse(place)) return undefined;
  const { hostname: host, port, pathname, search, username } = new URL(place);
  if (host === '' || !['', '/'].includes(pathname) || search !== '' || username !== '') return undefined;
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? 514 : Number(port) };
}

/** The oldest Node.js that the programs run on. */
export const oldestNode = '20.19';

/**
 * Returns what is wrong with a version of Node.js, or `undefined` if it is supported. Every program checks this before it
 * loads anything else, because older versions fail later with an error that names no version.
 *
 * @example nodeProblem('18.20.0') // "Node.js 18.20.0 is too old. Install Node.js 20.19 or later."
 */
export function nodeProblem(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = oldestNode.split('.').map(Number);
  const isEnough = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  return isEnough ? undefined : optionMessages.oldNode(version, oldestNode);
}
