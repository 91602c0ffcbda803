import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Folder } from '@workflowlookup/schema';
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
