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
  /** What `.` means; default the working folder of the process. */
  readonly workingDirectory?: string;
  /** What `~` means; default the home of the user. */
  readonly homeDirectory?: string;
}

/** A directory that definitions come from. */
export interface Source {
  /** `bundled`, `user`, `project` or `custom`, numbered where there are several. */
  readonly name: string;
  /** Absolute path; it need not exist. */
  readonly directory: string;
}

/**
 * The sources, lowest precedence first; a directory named twice counts where it stands last.
 *
 * @see docs/authoring.md#where-definitions-come-from
 */
export function sourcesOf(options: SourceOptions, bundledDirectory: string): readonly Source[] {
  const { workingDirectory = process.cwd(), homeDirectory = homedir() } = options;
  const custom = [...(options.storagePaths ?? []), ...(options.directories ?? [])];
  const sources: Source[] = [
    ...(options.includeBundled === false ? [] : [{ name: 'bundled', directory: bundledDirectory }]),
    ...(options.includeUser === false
      ? []
      : [{ name: 'user', directory: join(homeDirectory, '.workflowlookup', 'workflows') }]),
    ...(options.includeProject === false ? [] : projectSources(workingDirectory)),
    ...custom.map((path, index) => ({
      name: `custom-${index + 1}`,
      directory: resolve(workingDirectory, expandHome(path, homeDirectory)),
    })),
  ];
  return sources.filter(
    ({ directory }, index) => sources.findLastIndex((other) => other.directory === directory) === index,
  );
}

function projectSources(workingDirectory: string): Source[] {
  return [
    { name: 'project', directory: join(workingDirectory, 'workflows') },
    { name: 'project-hidden', directory: join(workingDirectory, '.workflowlookup', 'workflows') },
  ];
}
