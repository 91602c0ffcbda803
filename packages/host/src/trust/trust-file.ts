import { createHmac, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ChecksTrust, ProjectChecks, TrustedChecks } from '@workflowlookup/evidence';
import type { Folder } from '@workflowlookup/schema';
import { isJsonObject, WorkflowError } from '@workflowlookup/schema';
import { digestOfTexts } from '@workflowlookup/storage/files';
import { alone } from '../access/alone.ts';
import type { KeyRingOptions } from '../access/token-keys.ts';
import { hasTokenKeys, isSameText, loadKeyRing } from '../access/token-keys.ts';
import { trustMessages, trustProblems } from '../messages.ts';

/** A definition whose text a person trusted. */
export interface TrustedDefinition {
  /** Real path of the definition, or of the workflow file in its folder. */
  readonly path: string;
  /** The digest of its texts, made with `digestOfTexts` of the storage package. */
  readonly digest: string;
  /** The digest of the texts that it borrows from other workflows; absent if it borrows none. */
  readonly borrowed?: string;
  readonly id?: string;
  /** The person agreed that it replaces the workflow of this id from a more trusted source. */
  readonly replaces?: string;
  /** ISO 8601. */
  readonly at: string;
  /** Name of the person's account, or of the person who saved it in the console. */
  readonly by: string;
}

/** A folder whose definitions a person trusts, in their present and all later versions. */
export interface TrustedFolder {
  /** Real path; the folders below it are trusted too. */
  readonly path: string;
  /** ISO 8601. */
  readonly at: string;
  readonly by: string;
}

/** A file with the checks of a project, whose commands a person trusts. */
export interface TrustedChecksFile {
  /** Real path of the file. */
  readonly path: string;
  /** The digest of the file and of everything that it names under `also_trust`. */
  readonly digest: string;
  /** The digest under which the texts are stored. */
  readonly texts: string;
  /** ISO 8601. */
  readonly at: string;
  readonly by: string;
}

/** How many tests ran when a check was last accepted. */
export interface AcceptedTests {
  /** The repository, and the folder of the project in it. */
  readonly project: string;
  readonly check: string;
  readonly tests: number;
  /** ISO 8601. */
  readonly at: string;
}

/** Everything a person trusts, apart from sources that are always trusted. */
export interface TrustRecord {
  readonly folders: readonly TrustedFolder[];
  readonly definitions: readonly TrustedDefinition[];
  readonly checks: readonly TrustedChecksFile[];
  readonly accepted: readonly AcceptedTests[];
}

/** The trust record of a state directory. */
export interface TrustFile {
  /** Returns a text that changes whenever the record changes. It opens no file. */
  stamp(): string;
  /**
   * Returns the record, which is empty if no file exists. A record is ignored if other users may write to it or if it
   * was not written with the token keys; `problem` then says why.
   */
  read(): TrustRecord & { readonly problem?: string };
  /**
   * Replaces the record. If necessary, it creates the state directory, and the keys if they are stored there.
   * @throws NOT_WRITTEN; CONFLICT while another process changes it; STORE_DAMAGED for a record with a `problem`: it would lose what it holds
   */
  change(next: (record: TrustRecord) => TrustRecord): void;
  /** Returns the texts of a trusted version; `undefined` if they were not stored. */
  textsOf(digest: string): Folder | undefined;
  /** Stores the texts of a version, to show later what has changed. @throws NOT_WRITTEN */
  keepTexts(texts: Folder): void;
}

const lockName = 'trust.lock';

/** A change takes milliseconds. */
const waitMs = 2000;
const staleMs = 10_000;

function busy(cause: unknown): WorkflowError {
  return new WorkflowError('CONFLICT', trustMessages.otherChange(lockName), { cause });
}

const empty: TrustRecord = { folders: [], definitions: [], checks: [], accepted: [] };

/** Opens the trust record of a state directory. Nothing is read before it is asked for, and read again only when it changed. */
export function openTrustFile(place: KeyRingOptions): TrustFile {
  const { stateDirectory } = place;
  const file = join(stateDirectory, 'trust.json');
  const folder = join(stateDirectory, 'trusted');
  let known: { readonly stamp: string; readonly record: ReturnType<TrustFile['read']> } | undefined;

  function stamp(): string {
    try {
      const { ino, mtimeNs, ctimeNs, size } = statSync(file, { bigint: true });
      return [ino, mtimeNs, ctimeNs, size].join(':');
    } catch {
      // Without a file nothing is trusted yet.
      return '';
    }
  }

  function read(): ReturnType<TrustFile['read']> {
    const now = stamp();
    if (known?.stamp !== now) known = { stamp: now, record: now === '' ? empty : readRecord(file, place) };
    return known.record;
  }

  function textsPath(digest: string): string {
    return join(folder, `${digest.replace('sha256:', '')}.json`);
  }

  function replaceRecord(next: (record: TrustRecord) => TrustRecord): void {
    const { problem, ...record } = read();
    if (problem !== undefined)
      throw new WorkflowError('STORE_DAMAGED', trustMessages.recordUnusable(problem), {
        data: { reason: 'trust-record' },
      });
    const body = JSON.stringify(next(record));
    const mac = macOf(body, loadKeyRing(place).signing.secret);
    replaceFile(file, `${JSON.stringify({ version: 1, mac, body })}\n`);
    known = undefined;
  }

  return {
    stamp,
    read,
    change(next) {
      guarded(() => {
        mkdirSync(stateDirectory, { recursive: true, mode: 0o700 });
        alone(join(stateDirectory, lockName), () => replaceRecord(next), { waitMs, staleMs, busy });
      });
    },
    textsOf(digest) {
      try {
        const texts: unknown = JSON.parse(readFileSync(textsPath(digest), 'utf8'));
        const found = new Map(isJsonObject(texts) ? (Object.entries(texts) as [string, string][]) : []);
        return digestOfTexts(found) === digest ? found : undefined;
      } catch {
        // Without the text as it was trusted, the whole of the new one is shown.
        return undefined;
      }
    },
    keepTexts(texts) {
      guarded(() => {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        replaceFile(textsPath(digestOfTexts(texts)), JSON.stringify(Object.fromEntries(texts)));
      });
    },
  };
}

/** The record of a file that only its owner may write to and that the token keys authenticate. */
function readRecord(file: string, place: KeyRingOptions): ReturnType<TrustFile['read']> {
  try {
    const text = readPrivate(file);
    if (text === undefined) return { ...empty, problem: trustProblems.othersWrite() };
    const { mac = '', body = '' } = JSON.parse(text) as { readonly mac?: string; readonly body?: string };
    const verifying = hasTokenKeys(place) ? loadKeyRing(place).verifying : [];
    if (!verifying.some(({ secret }) => isSameText(macOf(body, secret), mac)))
      return { ...empty, problem: trustProblems.otherKeys() };
    return { ...empty, ...(JSON.parse(body) as TrustRecord) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'ENOENT' ? empty : { ...empty, problem: trustProblems.unreadable() };
  }
}

/** The text of a regular file of this user that nobody else may write to; `undefined` for any other. */
function readPrivate(file: string): string | undefined {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW);
  try {
    const { mode, uid } = fstatSync(descriptor);
    const user = process.getuid?.();
    if (user !== undefined && (uid !== user || (mode & 0o022) !== 0)) return undefined;
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}

/** A key of its own is derived, so that no token or event can be passed off as a trust record. */
function macOf(body: string, secret: Uint8Array): string {
  const key = createHmac('sha256', secret).update('workflowlookup trust record').digest();
  return createHmac('sha256', key).update(body).digest('hex');
}

function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function guarded(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (error instanceof WorkflowError) throw error;
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    throw new WorkflowError('NOT_WRITTEN', trustMessages.recordNotWritten(code), {
      data: { code },
      cause: error,
    });
  }
}

/** The trust of a person in the commands of projects. */
export interface TrustOfChecks extends ChecksTrust {
  /** The texts that were trusted last for the checks at a path, to show what has changed. */
  lastTexts(path: string): Folder | undefined;
  /** Trusts the checks of a project as they are. @throws NOT_WRITTEN */
  trust(checks: Pick<ProjectChecks, 'digest' | 'path' | 'texts'>, by: string): void;
}

/** The command with which a person trusts checks, without options. */
export const trustChecksCommand = 'workflowlookup checks trust';

/** Returns the command with which a person accepts fewer tests of a check, without options. */
export function acceptTestsCommand(check: string): string {
  return `workflowlookup checks run ${check} --accept`;
}

/**
 * Opens what a person trusts of the checks of projects, in the same record as definitions. A trusted folder, or a
 * trusted project, does not include them: only the exact digest counts, because checks run commands. A person trusts them
 * with the command, or in the console if there is one.
 */
export function openChecksTrust(
  file: TrustFile,
  commands: Required<Pick<ChecksTrust, 'acceptCommand' | 'command' | 'hasConsole'>>,
): TrustOfChecks {
  const entryAt = (path: string) => file.read().checks.find((one) => one.path === path);
  const acceptedFor = (project: string, check: string) =>
    file.read().accepted.find((one) => one.project === project && one.check === check)?.tests;
  const lastTexts = (path: string): Folder | undefined => {
    const texts = entryAt(path)?.texts;
    return texts === undefined ? undefined : file.textsOf(texts);
  };
  async function withNames(found: TrustedChecksFile): Promise<TrustedChecks> {
    const { namesIn } = await import('@workflowlookup/evidence');
    return { digest: found.digest, names: await namesIn(lastTexts(found.path)) };
  }
  // Each look at a folder asks for its entry, and the names of its checks are in a text that has to be read and parsed.
  const entries = new WeakMap<TrustedChecksFile, Promise<TrustedChecks>>();
  return {
    ...commands,
    async entry(path) {
      const found = entryAt(path);
      if (found === undefined) return undefined;
      const known = entries.get(found) ?? withNames(found);
      entries.set(found, known);
      return known;
    },
    acceptedTests: acceptedFor,
    acceptTests(project, check, tests) {
      if (acceptedFor(project, check) === tests) return;
      const entry = { project, check, tests, at: new Date().toISOString() };
      file.change(({ accepted, ...record }) => ({
        ...record,
        accepted: [...accepted.filter((one) => one.project !== project || one.check !== check), entry],
      }));
    },
    lastTexts,
    trust({ path, digest, texts }, by) {
      const entry = { path, digest, texts: digestOfTexts(texts), at: new Date().toISOString(), by };
      file.keepTexts(texts);
      file.change((record) => ({ ...record, checks: replaced(record.checks, entry) }));
    },
  };
}

/** Returns the entries with this one in place of the one for the same path. */
export function replaced<Entry extends { readonly path: string }>(
  entries: readonly Entry[],
  entry: Entry,
): readonly Entry[] {
  return [...entries.filter(({ path }) => path !== entry.path), entry];
}
