import { realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, parse, sep } from 'node:path';
import type { Folder } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { Admission, DefinitionTexts } from '@workflowlookup/storage/files';
import { digestOfTexts } from '@workflowlookup/storage/files';
import type { KeyRingOptions } from '../access/token-keys.ts';
import type { Source } from '../sources/sources.ts';
import type { TrustedDefinition, TrustedFolder, TrustFile, TrustOfChecks } from './trust-file.ts';
import { openChecksTrust, openTrustFile, replaced } from './trust-file.ts';
import { trustMessages } from '../messages.ts';

/** A definition of a source, by the file that a list names. */
export interface DefinitionLocation {
  readonly directory: string;
  readonly file: string;
}

/** The decisions of a person about the definitions of projects, and what they allow. */
export interface Trust {
  /** Reads the record of trust, and says why an invalid one counts as empty. */
  record(): ReturnType<TrustFile['read']>;
  /** The trust of a person in the commands of projects. */
  readonly checks: TrustOfChecks;
  /** Decides which definitions of a project's source are read. */
  admission(source: Pick<Source, 'directory'>): Admission;
  /** Whether a person agreed that a text replaces a workflow of a more trusted source; never for `meta`. */
  mayReplace(directory: string, id: string, digest: string): boolean;
  /** Whether everything in a folder is trusted, now and later. */
  isFolderTrusted(directory: string): boolean;
  /** The texts that were last trusted for a definition, including those it borrowed. `undefined` if it was never trusted. */
  lastTexts(place: DefinitionLocation): Folder | undefined;
  /** Whether a person trusted a version of a definition, this one or an older one. */
  wasTrusted(place: DefinitionLocation): boolean;
  /** Trusts these texts of a definition instead of its previous version. @throws NOT_WRITTEN */
  trust(place: DefinitionLocation, texts: DefinitionTexts, how: TrustDecision): void;
  /**
   * Like `trust`, for a file that a person saved. Agreements to replace a workflow or to borrow texts stay valid, and
   * none are added. @throws NOT_WRITTEN
   */
  trustAsSaved(
    place: DefinitionLocation,
    texts: DefinitionTexts,
    how: Omit<TrustDecision, 'borrowed' | 'replaces'>,
  ): void;
  /**
   * Trusts everything in a folder, including later changes. @throws INVALID_INPUT for the root of the disk and the home
   * folder; NOT_WRITTEN
   */
  trustFolder(directory: string, by: string): TrustedFolder;
  /** Removes the trust in everything at or below a path. Returns the number of removed entries. @throws NOT_WRITTEN */
  remove(path: string): number;
}

/** How a definition was trusted. */
export interface TrustDecision {
  readonly id?: string;
  /** The parts that the definition borrows from other workflows, as the person saw them. */
  readonly borrowed?: Folder;
  /** The id of the workflow that the person agreed to replace. */
  readonly replaces?: string;
  readonly by: string;
}

/** The digest for a definition that borrows nothing from other workflows. */
const digestOfNothing = digestOfTexts(new Map());

/** The id of the workflow that all others share, which no project can replace. */
const sharedId = 'meta';

/** Opens the trust record. It is read when it is first needed for a project that has definitions. */
export function openTrust(
  options: KeyRingOptions & {
    readonly workingDirectory: string;
    readonly trustProject: boolean;
    /** How a person trusts checks. */
    readonly trustChecksWith: Parameters<typeof openChecksTrust>[1];
  },
): Trust {
  const { workingDirectory, trustProject } = options;
  const file = openTrustFile(options);

  function isFolderTrusted(directory: string): boolean {
    const real = realOf(directory);
    return file.read().folders.some(({ path }) => isInside(path, real));
  }

  function entryOf({ directory, file: name }: DefinitionLocation): TrustedDefinition | undefined {
    const path = join(realOf(directory), name);
    return file.read().definitions.find((one) => one.path === path);
  }

  function trust(
    place: DefinitionLocation,
    { texts, digest }: DefinitionTexts,
    { id, borrowed, replaces, by }: TrustDecision,
  ): void {
    if (digestOfTexts(texts) !== digest)
      throw new WorkflowError('INTERNAL', 'The texts of a definition do not match their digest.');
    const path = join(realOf(place.directory), place.file);
    const entry: TrustedDefinition = {
      path,
      digest,
      ...(borrowed !== undefined && borrowed.size > 0 && { borrowed: digestOfTexts(borrowed) }),
      ...(id !== undefined && { id }),
      ...(replaces !== undefined && replaces !== sharedId && { replaces }),
      at: new Date().toISOString(),
      by,
    };
    file.change((record) => ({ ...record, definitions: replaced(record.definitions, entry) }));
    file.keepTexts(texts);
    if (borrowed !== undefined && borrowed.size > 0) file.keepTexts(borrowed);
  }

  function textsAt(digest: string | undefined): Folder | undefined {
    return digest === undefined ? undefined : file.textsOf(digest);
  }

  return {
    record: file.read,
    checks: openChecksTrust(file, options.trustChecksWith),
    isFolderTrusted,
    admission: ({ directory }) => admissionOf(file, { directory, workingDirectory, trustProject }),
    mayReplace(directory, id, digest) {
      if (id === sharedId) return false;
      const root = realOf(directory);
      return file
        .read()
        .definitions.some((one) => one.replaces === id && one.digest === digest && isInside(root, one.path));
    },
    lastTexts(place) {
      const { digest, borrowed } = entryOf(place) ?? {};
      const texts = textsAt(digest);
      return texts && new Map([...texts, ...(textsAt(borrowed) ?? [])]);
    },
    wasTrusted: (place) => entryOf(place) !== undefined,
    trust,
    trustAsSaved(place, texts, how) {
      const { replaces, borrowed: digest } = entryOf(place) ?? {};
      const borrowed = textsAt(digest);
      trust(place, texts, {
        ...how,
        ...(borrowed && { borrowed }),
        ...(replaces === how.id && replaces !== undefined && { replaces }),
      });
    },
    trustFolder(directory, by) {
      const path = realOf(directory);
      if (path === parse(path).root || path === realOf(homedir()))
        throw new WorkflowError('INVALID_INPUT', trustMessages.folderTooWide(path));
      const entry: TrustedFolder = { path, at: new Date().toISOString(), by };
      file.change((record) => ({ ...record, folders: replaced(record.folders, entry) }));
      return entry;
    },
    remove(path) {
      // A file that was trusted may be a link by now.
      const places = [realOf(path), path];
      let count = 0;
      const keep = (one: { readonly path: string }): boolean => {
        const isKept = !places.some((place) => isInside(place, one.path));
        if (!isKept) count += 1;
        return isKept;
      };
      file.change((record) => ({
        ...record,
        folders: record.folders.filter(keep),
        definitions: record.definitions.filter(keep),
        checks: record.checks.filter(keep),
      }));
      return count;
    },
  };
}

/**
 * Reads the record once for each stamp: a project may have thousands of definitions. The real path of the source is part
 * of the stamp, because the source may become a link to a folder that nobody trusted.
 */
function admissionOf(
  file: TrustFile,
  {
    directory,
    workingDirectory,
    trustProject,
  }: { readonly trustProject: boolean } & Readonly<Record<'directory' | 'workingDirectory', string>>,
): Admission {
  let stamp = '';
  let known: ReturnType<typeof read> | undefined;

  function read() {
    const root = realOf(directory);
    const { folders, definitions } = file.read();
    const isTrusted = trustProject || folders.some(({ path }) => isInside(path, root));
    return { root, isTrusted, definitions: new Map(definitions.map((one) => [one.path, one])) };
  }

  return {
    within: workingDirectory,
    stamp() {
      const now = `${file.stamp()}\n${realOf(directory)}`;
      if (now !== stamp) known = undefined;
      stamp = now;
      return now;
    },
    admits({ file: name, digest, borrowed }) {
      known ??= read();
      if (known.isTrusted) return true;
      const entry = known.definitions.get(join(known.root, name));
      if (entry === undefined || entry.digest !== digest) return false;
      return borrowed === undefined || borrowed === (entry.borrowed ?? digestOfNothing);
    },
  };
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // A path that does not exist has no real path.
    return path;
  }
}

function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
