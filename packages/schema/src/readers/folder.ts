import type { FileFinding, FindingsByFile } from '../findings/collect-findings.ts';
import type { Issue, Finding } from '../findings/finding.ts';
import type { Meter } from '../limits.ts';
import type { VariablesOf } from '../lint/variable-uses.ts';
import type {
  ActivityWorkflow,
  PartFormat,
  ActivityPart,
  ActivityWorkflowDefinition,
  ResourcePart,
  SkillPart,
  Activity,
} from '../workflow/activity-workflow.ts';
import type { Problem } from '../messages/workflow.ts';
import { fileMessages } from '../messages/files.ts';
import { writeOutHidden } from '../text/hidden-characters.ts';
import { locatorAt } from '../text/parsed-text.ts';
import type { Loaded, ReadPart } from './parts.ts';
import { loadActivity, loadResource, loadSkill, readPart } from './parts.ts';

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
  readonly unnumbered: readonly (FolderFile & { readonly kind: PartKind })[];
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
    const at = { file, index, name, format };
    if (kind !== 'workflow' && index === '') unnumbered.push({ ...at, kind });
    else layout[kind].push(at);
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
function findFile<Named extends { readonly file: string }>(
  files: readonly Named[],
  reference: string,
): Named | undefined {
  const wanted = stemOf(reference);
  return files.find(({ file }) => stemOf(file) === wanted);
}

function stemOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\.(?:yaml|yml|json|toon|md)$/, '');
}

/** The files of a folder, read but not yet checked together. */
export interface LoadedFolder {
  readonly main: FolderFile;
  readonly workflow: ReadPart<ActivityWorkflowDefinition>;
  readonly activities: readonly Loaded<ActivityPart>[];
  readonly skills: readonly Loaded<SkillPart>[];
  readonly resources: readonly Loaded<ResourcePart>[];
  /** Files in the folders of parts that have no number. */
  readonly unnumbered: readonly Loaded<never>[];
}

/** Reads every file of a folder. Returns `undefined` if it has no workflow file. */
export async function loadFolder(folder: Folder, found: FindingsByFile): Promise<LoadedFolder | undefined> {
  const layout = layOut(folder.keys());
  const [main, ...others] = layout.workflow;
  if (main === undefined) return undefined;
  const loaded = {
    main,
    workflow: await readPart('activityWorkflow', folder, main),
    activities: await Promise.all(layout.activities.map((at) => loadActivity(folder, at))),
    skills: await Promise.all(layout.skills.map((at) => loadSkill(folder, at))),
    resources: await Promise.all(layout.resources.map((at) => loadResource(folder, at))),
    unnumbered: layout.unnumbered.map((at) => unnumberedFile(at, folder)),
  };
  found.addFile(main.file, loaded.workflow);
  for (const { file, read } of partsOf(loaded)) found.addFile(file, read);
  found.add(checkFileNames(layout).map((problem) => ({ ...problem, file: main.file, pointer: '' })));
  for (const { file } of others)
    found.addFile(file, unread(folder, file, fileMessages.secondWorkflowFile(main.file)));
  return loaded;
}

/** Returns all files except the workflow file. */
export function partsOf({
  activities,
  skills,
  resources,
  unnumbered,
}: Omit<LoadedFolder, 'main' | 'workflow'>): readonly Loaded<unknown>[] {
  return [...activities, ...skills, ...resources, ...unnumbered];
}

/**
 * Finds file names that prevent the whole workflow from being served: names that agents would read as text, and two
 * files that references can't tell apart, so that leaving one out would silently use the other.
 */
function checkFileNames({ activities, skills, resources, unnumbered }: FolderLayout): readonly Problem[] {
  const named = [...activities, ...skills, ...resources, ...unnumbered].filter(
    ({ file }) => !/^\w+\/[\w.-]+$/.test(file),
  );
  const unclear = [activities, skills, resources].flatMap((files) =>
    files.flatMap((at) => {
      const first = findFile(files, at.file);
      return first === undefined || first === at ? [] : [{ file: at.file, first: first.file }];
    }),
  );
  return [
    ...named.map(({ file }) => fileMessages.badFileName(writeOutHidden(file))),
    ...unclear.map(({ file, first }) =>
      fileMessages.sameFileName(writeOutHidden(file), writeOutHidden(first)),
    ),
  ];
}

function unnumberedFile(at: FolderLayout['unnumbered'][number], folder: Folder): Loaded<never> {
  const slash = at.file.lastIndexOf('/') + 1;
  const problem = fileMessages.fileWithoutNumber(at.file.slice(0, slash), at.file.slice(slash));
  return { ...at, id: at.name, read: unread(folder, at.file, problem) };
}

function unread(folder: Folder, file: string, problem: Problem): Loaded<never>['read'] {
  return { text: folder.get(file) ?? '', findings: [{ ...problem, pointer: '' }], locator: locatorAt(0) };
}

/** The activities of a workflow, in order. */
export interface Gathered {
  readonly parts: readonly ActivityPart[];
  /** The pointer in the workflow file at which each file is borrowed, by its path. */
  readonly borrowedAt: ReadonlyMap<string, string>;
  readonly absent: readonly AbsentActivity[];
  /** Other problems with the list in the workflow file. */
  readonly findings: readonly Finding[];
}

/** A listed activity that doesn't exist. */
interface AbsentActivity {
  /** The id according to the file name. */
  readonly id: string;
  readonly reference: string;
  readonly finding: Finding;
}

/** The definition and the files that activities come from. */
interface ActivitySources {
  readonly definition: ActivityWorkflowDefinition;
  readonly file: string;
  readonly local: readonly Loaded<ActivityPart>[];
  readonly borrow: FolderContext['borrow'];
}

/** The result of looking up an entry: a part, a file of the folder, or the reason why there is neither. */
type Entry =
  | { readonly part: ActivityPart }
  | { readonly loaded: Loaded<ActivityPart> }
  | { readonly problem: Problem };

/**
 * Assembles the activities of a workflow: first the files that its list leaves out, by number, then the list in its
 * order, which may name files of this or another folder or contain inline activities.
 */
export async function gatherActivities(sources: ActivitySources): Promise<Gathered> {
  const { definition, local } = sources;
  const listed = new Set<Loaded<ActivityPart>>();
  const parts: ActivityPart[] = [];
  const borrowedAt = new Map<string, string>();
  const absent: AbsentActivity[] = [];
  const findings: Finding[] = [];
  for (const [at, entry] of (definition.activities ?? []).entries()) {
    const pointer = `/activities/${at}`;
    if (typeof entry !== 'string') {
      parts.push(inline(entry, { at, file: sources.file }));
      continue;
    }
    const found = await lookUp(entry, sources);
    if ('problem' in found) absent.push(absence(entry, { ...found.problem, pointer }));
    else if ('loaded' in found ? listed.has(found.loaded) : borrowedAt.has(found.part.file)) {
      findings.push({ ...fileMessages.activityListedTwice(entry), pointer });
    } else if ('loaded' in found) {
      listed.add(found.loaded);
      if (found.loaded.part !== undefined) parts.push(found.loaded.part);
    } else {
      parts.push(found.part);
      borrowedAt.set(found.part.file, pointer);
    }
  }
  const unlisted = local.filter((loaded) => !listed.has(loaded)).flatMap(({ part }) => part ?? []);
  return { parts: [...unlisted, ...parts], borrowedAt, absent, findings };
}

function inline(definition: Activity, { at, file }: { at: number; file: string }): ActivityPart {
  return {
    id: definition.id,
    index: String(at + 1).padStart(2, '0'),
    file,
    format: 'json',
    text: JSON.stringify(definition),
    definition,
    pointer: `/activities/${at}`,
  };
}

function absence(reference: string, finding: Finding): AbsentActivity {
  const id = reference
    .slice(reference.lastIndexOf('/') + 1)
    .replace(/^\d+-/, '')
    .replace(/\.[a-z]+$/, '');
  return { id, reference, finding };
}

async function lookUp(entry: string, { local, borrow }: ActivitySources): Promise<Entry> {
  const path = entry.split('/').filter((part) => part !== 'activities' && part !== '.');
  const [lender = '', file = ''] = path.length === 1 ? ['', ...path] : path;
  if (path.length > 2 || file === '') return { problem: fileMessages.malformedEntry(entry) };
  if (lender !== '') return lookUpBorrowed(entry, [lender, file], borrow);
  const loaded = findFile(local, file);
  return loaded === undefined ? { problem: fileMessages.missingActivityFile(entry, file) } : { loaded };
}

async function lookUpBorrowed(
  entry: string,
  [lender, file]: readonly [lender: string, file: string],
  borrow: FolderContext['borrow'],
): Promise<Entry> {
  const folder = await borrow?.(lender);
  if (folder === undefined) return { problem: fileMessages.borrowedWorkflowMissing(entry, lender) };
  const at = findFile(layOut(folder.keys()).activities, file);
  if (at === undefined) return { problem: fileMessages.borrowedFileMissing(entry, lender) };
  const { part, read } = await loadActivity(folder, at);
  if (part !== undefined) return { part: { ...part, file: `${lender}/${at.file}`, lender } };
  const error = read.findings.find(({ severity }) => severity === 'error');
  return { problem: fileMessages.borrowedFileBroken(entry, error?.message) };
}
