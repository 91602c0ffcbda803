import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { expandHome } from './expand-home.ts';

/** Where to look for definitions; what is left out takes its default. */
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
  /** Directories whose files may be saved to, as `--writable` names them; those that are no source yet come above all. */
  readonly writable?: readonly string[];
  /**
   * Whether everything in the project's directories is trusted, as `--trust-project` says; default false. It still
   * replaces no workflow of a more trusted source.
   */
  readonly trustProject?: boolean;
  /** What `.` means; default the working folder of the process. */
  readonly workingDirectory?: string;
  /** What `~` means; default the home of the user. */
  readonly homeDirectory?: string;
}

/** The name of the source of the bundled workflows. */
export const bundledSource = 'bundled';

/** A directory that definitions come from. */
export interface Source {
  /** `bundled`, `user`, `project` or `custom`, numbered where there are several. */
  readonly name: string;
  /** Absolute path; it need not exist. */
  readonly directory: string;
  /** Whether its files may be saved to. */
  readonly isWritable?: true;
  /** Present on the directories of a project: a person has to trust what is in them before it is served. */
  readonly isProject?: true;
}

/**
 * The sources, lowest precedence first; a directory named twice counts where it stands last.
 *
 * @see docs/authoring.md#where-definitions-come-from
 */
export function sourcesOf(options: SourceOptions, bundledDirectory: string): readonly Source[] {
  const { workingDirectory = process.cwd(), homeDirectory = homedir() } = options;
  const absolute = (path: string): string => resolve(workingDirectory, expandHome(path, homeDirectory));
  const userDirectory = join(homeDirectory, '.workflowlookup', 'workflows');
  const custom = [...(options.storagePaths ?? []), ...(options.directories ?? [])].map(absolute);
  const named: Source[] = [
    ...(options.includeBundled === false ? [] : [{ name: bundledSource, directory: bundledDirectory }]),
    ...(options.includeUser === false ? [] : [{ name: 'user', directory: userDirectory }]),
    // In the home folder itself, the hidden directory of the project is the user's, which is trusted.
    ...(options.includeProject === false ? [] : projectSources(workingDirectory)).filter(
      ({ directory }) => directory !== userDirectory,
    ),
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

function projectSources(workingDirectory: string): Source[] {
  return [
    { name: 'project', directory: join(workingDirectory, 'workflows'), isProject: true },
    {
      name: 'project-hidden',
      directory: join(workingDirectory, '.workflowlookup', 'workflows'),
      isProject: true,
    },
  ];
}
