import type { Message } from '../messages/workflow.ts';
import {
  activityListedTwice,
  badFileName,
  borrowedFileBroken,
  borrowedFileMissing,
  borrowedWorkflowMissing,
  fileWithoutNumber,
  malformedEntry,
  missingActivityFile,
  sameFileName,
  secondWorkflowFile,
} from '../messages/files.ts';
import type { FindingsByFile } from '../findings/collect-findings.ts';
import type { Finding } from '../findings/finding.ts';
import { writeOutHidden } from '../text/hidden-characters.ts';
import type { TextFinding } from '../text/parsed-text.ts';
import type {
  ActivityPart,
  ActivityWorkflowDefinition,
  ResourcePart,
  SkillPart,
  Activity,
} from '../workflow/activity-workflow.ts';
import type { Folder, FolderContext, FolderFile, FolderLayout } from './folder.ts';
import { findFile, layOut } from './folder.ts';
import type { Loaded, LoadedByName, ReadPart } from './parts.ts';
import { loadActivity, loadResource, loadSkill, readPart } from './parts.ts';

/** The files of a folder, read but not yet checked together. */
export interface LoadedFolder {
  readonly main: FolderFile;
  readonly workflow: ReadPart<ActivityWorkflowDefinition>;
  readonly activities: readonly Loaded<ActivityPart>[];
  readonly skills: readonly LoadedByName<SkillPart>[];
  readonly resources: readonly LoadedByName<ResourcePart>[];
  /** Files in the folders of parts that have no number. */
  readonly unnumbered: readonly Loaded<never>[];
}

/** Reads every file of a folder. Returns `undefined` if it has no workflow file. */
export async function loadFolder(folder: Folder, found: FindingsByFile): Promise<LoadedFolder | undefined> {
  const layout = layOut(folder.keys());
  const [main, ...others] = layout.workflow;
  if (main === undefined) return undefined;
  const format = main.format === 'md' ? 'yaml' : main.format;
  const loaded = {
    main,
    workflow: await readPart('activityWorkflow', { text: folder.get(main.file) ?? '', format }),
    activities: await Promise.all(layout.activities.map((at) => loadActivity(folder, at))),
    skills: await Promise.all(layout.skills.map((at) => loadSkill(folder, at))),
    resources: await Promise.all(layout.resources.map((at) => loadResource(folder, at))),
    unnumbered: layout.unnumbered.map((at) => unnumberedFile(at, folder)),
  };
  found.addFile(main.file, loaded.workflow);
  for (const { file, read } of partsOf(loaded)) found.addFile(file, read);
  found.add(checkFileNames(layout).map((finding) => ({ ...finding, file: main.file })));
  for (const { file } of others) found.addFile(file, superfluousFile(main.file, folder.get(file) ?? ''));
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
function checkFileNames({ activities, skills, resources, unnumbered }: FolderLayout): readonly TextFinding[] {
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
    ...named.map(({ file }) => ({ ...badName, ...badFileName(writeOutHidden(file)) })),
    ...unclear.map(({ file, first }) => ({
      ...badName,
      ...sameFileName(writeOutHidden(file), writeOutHidden(first)),
    })),
  ];
}

const badName = { severity: 'error', code: 'file-name', pointer: '' } as const;

function unnumberedFile({ file, kind }: FolderLayout['unnumbered'][number], folder: Folder): Loaded<never> {
  const name = file.slice(file.lastIndexOf('/') + 1);
  const path = file.slice(0, file.lastIndexOf('/') + 1);
  const read = unread(folder.get(file) ?? '', {
    severity: 'error',
    code: 'file-name',
    pointer: '',
    ...fileWithoutNumber(path, name),
  });
  return { kind, file, id: name.replace(/\.[a-z]+$/, ''), read };
}

function superfluousFile(main: string, text: string): Loaded<never>['read'] {
  return unread(text, {
    severity: 'error',
    code: 'file-name',
    served: true,
    pointer: '',
    ...secondWorkflowFile(main),
  });
}

function unread(text: string, finding: Loaded<never>['read']['findings'][number]): Loaded<never>['read'] {
  return { text, findings: [finding], locator: () => Promise.resolve(() => ({ start: 0 })) };
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
  | { readonly message: Message };

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
    if ('message' in found) absent.push(absence(entry, pointer, found.message));
    else if ('loaded' in found ? listed.has(found.loaded) : borrowedAt.has(found.part.file)) {
      findings.push({
        severity: 'warning',
        code: 'repeated-item',
        pointer,
        ...activityListedTwice(entry),
      });
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

function absence(reference: string, pointer: string, message: Message): AbsentActivity {
  const id = reference
    .slice(reference.lastIndexOf('/') + 1)
    .replace(/^\d+-/, '')
    .replace(/\.[a-z]+$/, '');
  const finding: Finding = {
    severity: 'error',
    code: 'unknown-activity',
    served: true,
    pointer,
    ...message,
  };
  return { id, reference, finding };
}

async function lookUp(entry: string, { local, borrow }: ActivitySources): Promise<Entry> {
  const path = entry.split('/').filter((part) => part !== 'activities' && part !== '.');
  const [lender = '', file = ''] = path.length === 1 ? ['', ...path] : path;
  if (path.length > 2 || file === '') {
    return { message: malformedEntry(entry) };
  }
  if (lender !== '') return lookUpBorrowed(entry, [lender, file], borrow);
  const loaded = findFile(local, file);
  if (loaded !== undefined) return { loaded };
  return { message: missingActivityFile(entry, file) };
}

async function lookUpBorrowed(
  entry: string,
  [lender, file]: readonly [lender: string, file: string],
  borrow: FolderContext['borrow'],
): Promise<Entry> {
  const folder = await borrow?.(lender);
  if (folder === undefined) {
    return { message: borrowedWorkflowMissing(entry, lender) };
  }
  const at = findFile(layOut(folder.keys()).activities, file);
  if (at === undefined) {
    return { message: borrowedFileMissing(entry, lender) };
  }
  const { part, read } = await loadActivity(folder, at);
  if (part !== undefined) return { part: { ...part, file: `${lender}/${at.file}`, lender } };
  const error = read.findings.find(({ severity }) => severity === 'error');
  return { message: borrowedFileBroken(entry, error?.message) };
}
