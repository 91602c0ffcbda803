import type { FileFinding } from '../findings/collect-findings.ts';
import type { Issue } from '../findings/finding.ts';
import type { Meter } from '../limits.ts';
import type { VariablesOf } from '../lint/check-activity-variables.ts';
import type { ActivityWorkflow, PartFormat } from '../workflow/activity-workflow.ts';

/** The result of reading a folder: the workflow if it can be served, and every issue. */
export interface FolderReading {
  readonly workflow?: ActivityWorkflow;
  /** The id in the workflow file, or the name of the folder if there is none. */
  readonly id: string;
  /** Issues by path in the folder, in the order of the text. Files without issues are left out. */
  readonly issuesByFile: ReadonlyMap<string, readonly Issue[]>;
  /**
   * Texts taken from other workflows, by `workflow/path`: borrowed activities and referenced skills and resources,
   * except those of `meta`. Absent if there are none.
   */
  readonly borrowed?: Folder;
}

/** The surroundings of a folder. */
export interface FolderContext {
  /** Name of the folder. */
  readonly id: string;
  /**
   * Returns the folder of another workflow, for borrowing activities and resolving references, including `meta`.
   * Without it, neither is done. Return the same object for the same folder, because its content is cached by object.
   */
  borrow?(workflow: string): Folder | undefined | Promise<Folder | undefined>;
}

/** A check of a workflow whose parts have a valid shape. A part with an error is left out. */
export type FolderCheck = (
  workflow: ActivityWorkflow,
  meter?: Meter,
) => readonly FileFinding[] | Promise<readonly FileFinding[]>;

/** Checks that go beyond shape and references. */
export interface FolderReaderOptions {
  /** Run in this order. */
  readonly checks?: readonly FolderCheck[];
  /** Tells the reader which variables conditions use. Without it, only messages are checked. */
  readonly variablesOf?: VariablesOf;
}

/** Reads and checks the files of an activity workflow, within the limits of a `DefinitionReader`. */
export type FolderReader = (
  files: Folder,
  context: FolderContext,
  allowance?: Meter,
) => Promise<FolderReading>;

/** The files of a workflow folder: texts by relative path, with `/`. */
export type Folder = ReadonlyMap<string, string>;

/** A file in a folder, as described by its path. */
export interface FolderFile {
  readonly file: string;
  /** The number at the start of the file name. */
  readonly index: string;
  /** The name without its number and extension. */
  readonly name: string;
  readonly format: PartFormat;
}

/** The structure of a folder according to its paths. Each list is ordered by number. */
export interface FolderLayout {
  /** The workflow file, followed by superfluous ones. */
  readonly workflow: readonly FolderFile[];
  readonly activities: readonly FolderFile[];
  readonly skills: readonly FolderFile[];
  readonly resources: readonly FolderFile[];
  /** Definition files in the folders of parts that have no number in their name. */
  readonly unnumbered: readonly { readonly file: string; readonly kind: PartKind }[];
}

/** The kinds of parts, each with its own folder. */
export type PartKind = 'activity' | 'resource' | 'skill';

const kinds: ReadonlyMap<string, PartKind> = new Map([
  ['activities', 'activity'],
  ['skills', 'skill'],
  ['resources', 'resource'],
]);

const formats: ReadonlyMap<string, PartFormat> = new Map([
  ['yaml', 'yaml'],
  ['yml', 'yaml'],
  ['json', 'json'],
  ['toon', 'toon'],
  ['md', 'md'],
]);

/** Sorts the files of a folder by kind. README files, other folders and other extensions are not part of a workflow. */
export function layOut(files: Iterable<string>): FolderLayout {
  const layout = { workflow: [], activity: [], skill: [], resource: [] } as Record<
    PartKind | 'workflow',
    FolderFile[]
  >;
  const unnumbered: FolderLayout['unnumbered'][number][] = [];
  for (const file of files) {
    const { folder, index, name, format } = split(file);
    if (format === undefined || name.toLowerCase() === 'readme') continue;
    const kind = folder === '' && name === 'workflow' ? 'workflow' : kinds.get(folder);
    if (kind === undefined || (format === 'md' && kind !== 'resource')) continue;
    if (kind !== 'workflow' && index === '') unnumbered.push({ file, kind });
    else layout[kind].push({ file, index, name, format });
  }
  return {
    workflow: layout.workflow.toSorted(byFormat),
    activities: layout.activity.toSorted(byIndex),
    skills: layout.skill.toSorted(byIndex),
    resources: layout.resource.toSorted(byIndex),
    unnumbered: unnumbered.toSorted((a, b) => compare(a.file, b.file)),
  };
}

/** Splits a path: `activities/03-press.yaml` has number 03 and name press. */
function split(file: string): {
  readonly folder: string;
  readonly index: string;
  readonly name: string;
  readonly format: PartFormat | undefined;
} {
  const slash = file.lastIndexOf('/');
  const [, index = '', name = '', extension = ''] =
    /^(?:(\d+)-)?(.*)\.([a-z]+)$/.exec(file.slice(slash + 1)) ?? [];
  return { folder: file.slice(0, Math.max(slash, 0)), index, name, format: formats.get(extension) };
}

function byIndex(a: FolderFile, b: FolderFile): number {
  return Number(a.index) - Number(b.index) || compare(a.file, b.file);
}

function byFormat(a: FolderFile, b: FolderFile): number {
  const order = [...formats.keys()];
  const rank = ({ file }: FolderFile): number => order.indexOf(file.slice(file.lastIndexOf('.') + 1));
  return rank(a) - rank(b);
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Returns the file that a reference such as `02-sort`, `activities/02-sort` or `02-sort.yaml` means. Extensions are
 * ignored.
 */
export function findFile<Named extends { readonly file: string }>(
  files: readonly Named[],
  reference: string,
): Named | undefined {
  const wanted = stemOf(reference);
  return files.find(({ file }) => stemOf(file) === wanted);
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:yaml|yml|json|toon|md)$/, '');
}
