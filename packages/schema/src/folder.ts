import type { PartFormat } from './activity-workflow.ts';

/** The files of a workflow folder: text by path, relative to the folder, with `/`. */
export type Folder = ReadonlyMap<string, string>;

/** A file of a folder, by what its path says. */
export interface FolderFile {
  /** Path in the folder. */
  readonly file: string;
  /** The number before the name. */
  readonly index: string;
  /** The name without number and extension. */
  readonly name: string;
  readonly format: PartFormat;
}

/** What the paths of a folder say it consists of, each list by number. */
export interface FolderLayout {
  /** The workflow file, and any after it that is one file too many. */
  readonly workflow: readonly FolderFile[];
  readonly activities: readonly FolderFile[];
  readonly skills: readonly FolderFile[];
  readonly resources: readonly FolderFile[];
  /** Definition files in the folders of parts whose name has no number. */
  readonly unnumbered: readonly { readonly file: string; readonly kind: PartKind }[];
}

/** The folders of parts, by what they hold. */
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

/** Sorts the files of a folder out. README files, other folders and other extensions are not part of a workflow. */
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

/** A path in a folder, in its parts: `activities/03-press.yaml` is number 03, name press. */
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

/** The file a reference such as `02-sort`, `activities/02-sort` or `02-sort.yaml` means: extensions do not count. */
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
