import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { SessionParts, SessionPolicy } from '@workflowlookup/core';
import { idInCommand } from '@workflowlookup/schema';
import type { SessionStore } from '@workflowlookup/storage';
import type { AuditLogParts } from './audit/audit-log.ts';
import { expandHome } from './expand-home.ts';
import type { SourceOptions } from './sources.ts';

/** How sessions are kept and judged; what is left out takes its default. */
export interface SessionOptions
  extends Partial<SessionPolicy>, Pick<SessionParts, 'onWrite' | 'beforeStart'> {
  /** Where sessions and keys are kept; default `~/.workflowlookup/state`. Made with the first session call. */
  readonly stateDirectory?: string;
  /** Address of a Postgres database, `postgres://…`, that keeps the sessions in place of the state directory. */
  readonly database?: string;
  /** Where the ends of journals are written down too: a file, or an `http:` or `https:` address that takes lines of JSON. */
  readonly anchor?: string;
  /** How new tokens are spelled; those of the other kind are still read. Default `reference`. */
  readonly tokens?: 'reference' | 'self-contained';
  /** The name of the person who acts without a token; default the user of this process. */
  readonly person?: string;
  /** Stands before the database when it is opened, to see how it is used. */
  aroundStore?<Store extends SessionStore>(store: Store): Store;
  /** Where it is recorded who did what: paths of files, `syslog://HOST[:PORT]`, or `-` for standard error. Default nowhere. */
  readonly audit?: readonly string[];
  /** Called when audit entries begin to be lost and when they are written again; by default it writes to standard error. */
  readonly onAuditChange?: AuditLogParts['onChange'];
  /** Variables of the process; its `WORKFLOWLOOKUP_KEYS` stands in for keys of the state directory. Default none. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** The policy the options come to. */
export function policyOf(options: SessionOptions & SourceOptions): SessionPolicy {
  const { enforcement = 'advisory', minResponseMs = 3000, gates = 'declared' } = options;
  const { trustElicitation = false, humanAnswersWith = answerCommand(options) } = options;
  return { enforcement, minResponseMs, gates, trustElicitation, humanAnswersWith };
}

/** Where sessions and keys are kept, as an absolute path. */
export function stateDirectoryOf(options: SessionOptions & SourceOptions): string {
  const { workingDirectory = process.cwd(), homeDirectory = homedir(), stateDirectory } = options;
  return stateDirectory === undefined
    ? join(homeDirectory, '.workflowlookup', 'state')
    : resolve(workingDirectory, expandHome(stateDirectory, homeDirectory));
}

/** Where sessions are kept, as messages name it: of the address of a database neither user nor password. */
export function placeName({ database }: Pick<SessionOptions, 'database'>, stateDirectory: string): string {
  if (database === undefined) return stateDirectory;
  try {
    const { host: named, pathname, searchParams } = new URL(database);
    const host = searchParams.get('host') ?? named;
    return `the Postgres database '${decodeURIComponent(pathname.slice(1))}' at ${host || 'this machine'}`;
  } catch {
    // What is wrong with the address, opening it says.
    return 'the Postgres database';
  }
}

/** The command by which a person answers. Answers name no path and no address: where sessions are kept elsewhere than usual it says by which flag. */
function answerCommand({ stateDirectory, database }: SessionOptions): SessionPolicy['humanAnswersWith'] {
  const flag = database === undefined ? '--state' : '--database';
  const where =
    database === undefined && stateDirectory === undefined ? '' : ` (with the ${flag} of this server)`;
  return (sid) => `workflowlookup sessions respond ${idInCommand(sid)}${where}`;
}
