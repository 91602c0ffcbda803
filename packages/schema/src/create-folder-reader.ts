import { activityDigest } from './workflow-digest.ts';
import type { ActivityPart, ActivityWorkflow, BrokenPart } from './activity-workflow.ts';
import { checkFolder, relocate } from './check-folder.ts';
import type { CheckedFolder } from './check-folder.ts';
import type { FileFinding } from './file-finding.ts';
import { layOut } from './folder.ts';
import type { Folder } from './folder.ts';
import { collectFindings } from './folder-findings.ts';
import type { FolderContext, FolderReader, FolderReaderOptions, FolderReading } from './folder-reading.ts';
import { gatherActivities } from './gather-activities.ts';
import type { Issue } from './issue.ts';
import { createLibrary } from './library.ts';
import type { Shelf } from './library.ts';
import { loadFolder, partsOf } from './load-folder.ts';
import type { LoadedFolder } from './load-folder.ts';
import { loadShelf, shelfOf } from './load-parts.ts';
import type { Meter } from './meter.ts';
import { maxReadingSteps } from './meter.ts';
import { payForText } from './parse-text.ts';
import { isWorkflowId } from './workflow-id.ts';

/** Shelves of other workflows, kept as long as their folders are. */
type Shelves = WeakMap<Folder, Promise<Shelf>>;

/**
 * Makes a reader of activity workflows: each file by itself first (syntax, limits, shape), then all of them together,
 * then the given checks. A broken part is left out; with a broken workflow file nothing is served. What it reads is
 * frozen.
 *
 * @see docs/authoring.md#activity-workflows
 */
export function createFolderReader(options: FolderReaderOptions = {}): FolderReader {
  const shelves: Shelves = new WeakMap();
  return async (files, context, meter: Meter = { left: maxReadingSteps }) => {
    for (const text of files.values()) payForText(text, meter);
    const found = collectFindings();
    const loaded = await loadFolder(files, found);
    if (loaded === undefined) return noWorkflowFile(context.id);
    const { id = context.id, value } = loaded.workflow;
    const checked = value && (await gather(loaded, context, shelves));
    const findings = checked === undefined ? [] : await checkFolder(checked, options, meter);
    if (checked !== undefined) found.add([...relocate(findings, checked), ...misnamed(checked, context.id)]);
    const issuesByFile = await found.place();
    const reading = {
      id: isWorkflowId(id) ? id : context.id,
      issuesByFile,
      ...(checked !== undefined && checked.borrowed.size > 0 && { borrowed: checked.borrowed }),
    };
    if (checked === undefined || found.isBroken(loaded.main.file)) return reading;
    const broken = new Set(findings.filter(isFatal).map(({ file }) => file));
    return { ...reading, workflow: pinned({ loaded, checked, broken, issuesByFile }) };
  };
}

function isFatal({ severity, served }: FileFinding): boolean {
  return severity === 'error' && served !== true;
}

function noWorkflowFile(id: string): FolderReading {
  const issue: Issue = {
    severity: 'error',
    code: 'missing-property',
    pointer: '',
    message: 'The folder has no workflow file',
    suggestion: "Add 'workflow.yaml' with id, version and title",
    line: 1,
    column: 1,
  };
  return { id, issuesByFile: new Map([['workflow.yaml', [issue]]]) };
}

/** Puts the parts together that have the right shape. */
async function gather(
  loaded: LoadedFolder,
  { borrow }: FolderContext,
  shelves: Shelves,
): Promise<CheckedFolder | undefined> {
  const { main, workflow: read, activities: local, skills, resources } = loaded;
  if (read.value === undefined) return undefined;
  const gathered = await gatherActivities({ definition: read.value, file: main.file, local, borrow });
  const shelf = shelfOf(skills, resources);
  const brokenIds = [...local, ...loaded.strays].flatMap(({ part, id }) => (part === undefined ? [id] : []));
  const library =
    borrow &&
    createLibrary(shelf, async (id) => {
      if (id === read.value?.id) return shelf;
      const folder = await borrow(id);
      return folder && shelfIn(folder, shelves);
    });
  const workflow: ActivityWorkflow = {
    kind: 'activities',
    id: read.value.id,
    digest: '',
    definition: read.value,
    text: read.text,
    format: main.format,
    activities: gathered.parts,
    skills: shelf.skills,
    resources: shelf.resources,
    problems: [],
  };
  const broken = new Set([...brokenIds, ...gathered.absent.map(({ id }) => id)]);
  const borrowed = new Map(
    gathered.parts.flatMap(({ lender, file, text }) => (lender === undefined ? [] : [[file, text] as const])),
  );
  return { workflow, file: main.file, gathered, broken, borrowed, ...(library && { library }) };
}

function shelfIn(folder: Folder, shelves: Shelves): Promise<Shelf> {
  const known = shelves.get(folder) ?? loadShelf(folder, layOut(folder.keys()));
  shelves.set(folder, known);
  return known;
}

/** A folder that is named otherwise than its workflow: other workflows borrow by the folder. */
function misnamed({ workflow, file }: CheckedFolder, folder: string): readonly FileFinding[] {
  if (workflow.id === folder) return [];
  const message = `The id is '${workflow.id}', and the folder is named '${folder}'`;
  const suggestion = 'Name the folder after the id';
  return [{ severity: 'warning', code: 'file-name', file, pointer: '/id', message, suggestion }];
}

interface Pinning {
  readonly loaded: LoadedFolder;
  readonly checked: CheckedFolder;
  /** Files of parts that turned out to be unusable when looked at together. */
  readonly broken: ReadonlySet<string>;
  readonly issuesByFile: FolderReading['issuesByFile'];
}

/** The workflow without its broken parts. */
function pinned({ loaded, checked, broken, issuesByFile }: Pinning): ActivityWorkflow {
  const { workflow } = checked;
  const isSound = ({ file }: { readonly file: string }): boolean => !broken.has(file);
  const parts = {
    definition: workflow.definition,
    activities: workflow.activities.filter(isSound),
    skills: workflow.skills.filter(isSound),
    resources: workflow.resources.filter(isSound),
  };
  const problems = [
    ...partsOf(loaded)
      .filter((part) => part.part === undefined || broken.has(part.file))
      .map(({ kind, id, file }) => ({ kind, id, file, issues: issuesByFile.get(file) ?? [] })),
    ...borrowedProblems({ loaded, checked, broken, issuesByFile }),
  ];
  return frozen({ ...workflow, ...parts, digest: activityDigest(parts), problems });
}

function borrowedProblems({ loaded, checked, broken, issuesByFile }: Pinning): readonly BrokenPart[] {
  const { absent, borrowedAt, parts } = checked.gathered;
  const issues = issuesByFile.get(loaded.main.file) ?? [];
  const at = (pointer: string): readonly Issue[] => issues.filter((issue) => issue.pointer === pointer);
  const dropped = parts.filter(({ file }: ActivityPart) => borrowedAt.has(file) && broken.has(file));
  return [
    ...absent.map(({ id, reference, finding }): BrokenPart => ({
      kind: 'activity',
      id,
      file: reference,
      issues: at(finding.pointer),
    })),
    ...dropped.map(({ id, file }): BrokenPart => ({
      kind: 'activity',
      id,
      file,
      issues: at(borrowedAt.get(file) ?? ''),
    })),
  ];
}

function frozen(workflow: ActivityWorkflow): ActivityWorkflow {
  const lists = [workflow.activities, workflow.skills, workflow.resources, workflow.problems];
  for (const list of lists) {
    for (const part of list) Object.freeze(part);
    Object.freeze(list);
  }
  return Object.freeze(workflow);
}
