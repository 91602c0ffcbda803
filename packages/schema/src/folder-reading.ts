import type { ActivityWorkflow } from './activity-workflow.ts';
import type { VariablesOf } from './check-variables.ts';
import type { FileFinding } from './file-finding.ts';
import type { Folder } from './folder.ts';
import type { Issue } from './issue.ts';
import type { Meter } from './meter.ts';

/** What reading a folder gave: a workflow that can be served, or none; and everything found on the way. */
export interface FolderReading {
  readonly workflow?: ActivityWorkflow;
  /** The id the workflow file names, or failing that the one of the folder. */
  readonly id: string;
  /** Issues by path in the folder, each file's in the order of its text; files without any are left out. */
  readonly issuesByFile: ReadonlyMap<string, readonly Issue[]>;
  /**
   * What it takes from other workflows, by `workflow/path`: the activities it borrows, and the skills and resources it
   * names, except those of `meta`. Absent where it takes nothing.
   */
  readonly borrowed?: Folder;
}

/** What is known of a folder from outside. */
export interface FolderContext {
  /** Name of the folder. */
  readonly id: string;
  /**
   * The folder of another workflow. Activities are borrowed from it and references looked up in it, `meta` included;
   * without it neither is done. The same folder is best the same object: what is read of it is kept with it.
   */
  borrow?(workflow: string): Folder | undefined | Promise<Folder | undefined>;
}

/** A check over a workflow whose parts have the right shape; an error leaves the part out. */
export type FolderCheck = (
  workflow: ActivityWorkflow,
  meter?: Meter,
) => readonly FileFinding[] | Promise<readonly FileFinding[]>;

/** What a folder reader does beyond shape and references. */
export interface FolderReaderOptions {
  /** Run in this order. */
  readonly checks?: readonly FolderCheck[];
  /** Lets the reader see which variables conditions use; without it, it looks at messages only. */
  readonly variablesOf?: VariablesOf;
}

/** Reads and checks the files of an activity workflow, within the limits of a `DefinitionReader`. */
export type FolderReader = (
  files: Folder,
  context: FolderContext,
  allowance?: Meter,
) => Promise<FolderReading>;
