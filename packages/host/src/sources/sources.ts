import { readFileSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve, dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Folder, Workflow, WorkflowSummary } from '@workflowlookup/schema';
import type { FilesStore } from '@workflowlookup/storage/files';
import { expandHome } from '../options.ts';

/** The places of definitions. Each option has a default. */
export interface SourceOptions {
  /** The bundled workflows; default true. */
  readonly includeBundled?: boolean;
  /** `~/.workflowlookup/workflows`; default true. */
  readonly includeUser?: boolean;
  /** `./workflows` and `./.workflowlookup/workflows`; default true. */
  readonly includeProject?: boolean;
  /** Directories above those, lowest first, as `WORKFLOW_STORAGE_PATH` lists them. */
  readonly storagePaths?: readonly string[];
  /** Directories above all, lowest first, as `--workflows` names them. */
  readonly directories?: readonly string[];
  /**
   * Directories whose files may be saved to, as `--writable` names them; those that are not sources yet get the highest
   * precedence.
   */
  readonly writable?: readonly string[];
  /**
   * Whether everything in the project's directories is trusted, as `--trust-project` says; default false. It still
   * replaces no workflow of a more trusted source.
   */
  readonly trustProject?: boolean;
  /** The folder that relative paths start from; default the working folder of the process. */
  readonly workingDirectory?: string;
  /** The folder that `~` stands for; default the home folder of the user. */
  readonly homeDirectory?: string;
}

export const bundledSource = 'bundled';

/** A directory that definitions come from. */
export interface Source {
  /** `bundled`, `user`, `project` or `custom`, with a number if there are several. */
  readonly name: string;
  /** Absolute path; it need not exist. */
  readonly directory: string;
  /** Whether its files may be saved to. */
  readonly isWritable?: true;
  /** Present on the directories of a project: a person has to trust what is in them before it is served. */
  readonly isProject?: true;
}

/**
 * Returns the sources, lowest precedence first. A directory that is named twice has its last position.
 *
 * @see docs/authoring.md#where-definitions-come-from
 */
export function sourcesOf(options: SourceOptions, bundledFolder: string): readonly Source[] {
  const { workingDirectory = process.cwd(), homeDirectory = homedir() } = options;
  const absolute = (path: string): string => resolve(workingDirectory, expandHome(path, homeDirectory));
  const userDirectory = join(homeDirectory, '.workflowlookup', 'workflows');
  const hiddenDirectory = join(workingDirectory, '.workflowlookup', 'workflows');
  const custom = [...(options.storagePaths ?? []), ...(options.directories ?? [])].map(absolute);
  const named: Source[] = [
    ...(options.includeBundled === false ? [] : [{ name: bundledSource, directory: bundledFolder }]),
    ...(options.includeUser === false ? [] : [{ name: 'user', directory: userDirectory }]),
    // In the home folder itself, the hidden directory of the project is the user's, which is trusted.
    ...(options.includeProject === false
      ? []
      : [
          { name: 'project', directory: join(workingDirectory, 'workflows'), isProject: true as const },
          { name: 'project-hidden', directory: hiddenDirectory, isProject: true as const },
        ]
    ).filter(({ directory }) => directory !== userDirectory),
    ...custom.map((directory, index) => ({ name: `custom-${index + 1}`, directory })),
  ];
  const writable = new Set((options.writable ?? []).map(absolute));
  const known = new Set(named.map(({ directory }) => directory));
  const added = [...writable].filter((directory) => !known.has(directory));
  const sources = [
    ...named,
    ...added.map((directory, index) => ({ name: `writable-${index + 1}`, directory })),
  ];
  return sources
    .filter(
      ({ directory }, index) => sources.findLastIndex((other) => other.directory === directory) === index,
    )
    .map((source) => (writable.has(source.directory) ? { ...source, isWritable: true } : source));
}

/** A store whose activity workflows can be referenced by workflows of other sources. */
export interface FolderLender {
  readonly store: Pick<FilesStore, 'lend'>;
  /**
   * Present on a source that is less trusted than the others: returns whether its folder may replace a folder of the
   * same name from them.
   */
  readonly mayLendInPlace?: (workflow: string, folder: Folder) => boolean;
}

/** Returns the folder of an activity workflow from the last source that has it and may provide it. */
export async function lendFrom(
  lenders: readonly FolderLender[],
  workflow: string,
): Promise<Folder | undefined> {
  let held: Folder | undefined;
  for (const { store, mayLendInPlace } of lenders.toReversed()) {
    const folder = await store.lend(workflow);
    if (folder === undefined) continue;
    if (mayLendInPlace === undefined || mayLendInPlace(workflow, folder)) return folder;
    // Used only if no more trusted source has a folder of this name.
    held ??= folder;
  }
  return held;
}

/** The folder of the bundled workflows. */
export function bundledDirectory(): string {
  return join(installed(), 'definitions');
}

/**
 * Returns whether a file belongs to the package of bundled workflows: a definition, the catalogue or its
 * `package.json`.
 */
export function isOfBundledPackage(path: string): boolean {
  const beside = ['catalogue.json', 'package.json'].map((name) => join(installed(), name));
  return path.startsWith(bundledDirectory() + sep) || beside.includes(path);
}

function installed(): string {
  return dirname(fileURLToPath(import.meta.resolve('@workflowlookup/workflows/package.json')));
}

/** The summary of a bundled workflow, as read from its definition. */
export interface BundledWorkflow extends WorkflowSummary {
  readonly kind: Workflow['kind'];
  readonly digest: string;
  /** The file that serves it, from the directory of the bundled workflows. */
  readonly file: string;
}

/**
 * Returns the bundled workflows, sorted by id. The catalogue was generated when the package was built, so no definition
 * has to be read for it. A test compares it with the definitions.
 */
export function bundledCatalogue(): readonly BundledWorkflow[] {
  return JSON.parse(readFileSync(join(installed(), 'catalogue.json'), 'utf8')) as readonly BundledWorkflow[];
}

/**
 * Returns the bundled workflows from their catalogue if no other source has a definition, and otherwise `undefined`. To
 * list them, no definition has to be read and no engine loaded.
 */
export function bundledAlone(options: SourceOptions): readonly BundledWorkflow[] | undefined {
  const sources = sourcesOf(options, bundledDirectory());
  const others = sources.filter(({ name }) => name !== bundledSource);
  if (!others.every(({ directory }) => isEmpty(directory))) return undefined;
  return others.length === sources.length ? [] : bundledCatalogue();
}

function isEmpty(directory: string): boolean {
  try {
    return readdirSync(directory).length === 0;
  } catch (error) {
    // Other errors are reported when the directory is read.
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}
