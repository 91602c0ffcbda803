import { folderNamedOtherwise, noWorkflowFile } from '../messages/files.ts';
import type { FileFinding } from '../findings/collect-findings.ts';
import { collectFindings } from '../findings/collect-findings.ts';
import type { Issue } from '../findings/finding.ts';
import type { Meter } from '../limits.ts';
import { maxReadingSteps } from '../limits.ts';
import type { CheckedFolder } from '../lint/check-activities.ts';
import { checkFolder, relocate } from '../lint/check-activities.ts';
import { payForText } from '../text/parse-text.ts';
import type { ActivityPart, ActivityWorkflow, BrokenPart } from '../workflow/activity-workflow.ts';
import type { SharedParts } from '../workflow/references.ts';
import { createReferenceLookup } from '../workflow/references.ts';
import { activityDigest, isWorkflowId } from '../workflow/workflow.ts';
import type { Folder, FolderContext, FolderReader, FolderReaderOptions, FolderReading } from './folder.ts';
import { layOut } from './folder.ts';
import type { LoadedFolder } from './load-folder.ts';
import { gatherActivities, loadFolder, partsOf } from './load-folder.ts';
import { loadSharedParts, toSharedParts } from './parts.ts';

/** The skills and resources of other workflows, cached as long as their folders exist. */
type PartsCache = WeakMap<Folder, Promise<SharedParts>>;

/**
 * Creates a reader for activity workflows. It reads each file by itself (syntax, limits, shape), then checks them
 * together, then runs the given checks. A broken part is left out; if the workflow file is broken, nothing is served.
 * The workflows it returns are frozen.
 *
 * @see docs/authoring.md#activity-workflows
 * @example
 * ```ts
 * const read = createFolderReader();
 * const { workflow, issuesByFile } = await read(new Map([['workflow.json', text]]), { id: 'release' });
 * ```
 */
export function createFolderReader(options: FolderReaderOptions = {}): FolderReader {
  const cache: PartsCache = new WeakMap();
  return async (files, context, meter: Meter = { left: maxReadingSteps }) => {
    for (const text of files.values()) payForText(text, meter);
    const found = collectFindings();
    const loaded = await loadFolder(files, found);
    if (loaded === undefined) return emptyReading(context.id);
    const { id = context.id, value } = loaded.workflow;
    const checked = value && (await assemble(loaded, context, cache));
    const findings = checked === undefined ? [] : await checkFolder(checked, options, meter);
    if (checked !== undefined)
      found.add([...relocate(findings, checked), ...checkFolderName(checked, context.id)]);
    const issuesByFile = await found.toIssues();
    const reading = {
      id: isWorkflowId(id) ? id : context.id,
      issuesByFile,
      ...(checked !== undefined && checked.borrowed.size > 0 && { borrowed: checked.borrowed }),
    };
    if (checked === undefined || found.isBroken(loaded.main.file)) return reading;
    const broken = new Set(findings.filter(isFatal).map(({ file }) => file));
    return { ...reading, workflow: withoutBroken({ loaded, checked, broken, issuesByFile }) };
  };
}

function isFatal({ severity, served }: FileFinding): boolean {
  return severity === 'error' && served !== true;
}

function emptyReading(id: string): FolderReading {
  const issue: Issue = {
    severity: 'error',
    code: 'missing-property',
    pointer: '',
    ...noWorkflowFile,
    line: 1,
    column: 1,
  };
  return { id, issuesByFile: new Map([['workflow.yaml', [issue]]]) };
}

/** Assembles the parts whose shape is valid. */
async function assemble(
  loaded: LoadedFolder,
  { borrow }: FolderContext,
  cache: PartsCache,
): Promise<CheckedFolder | undefined> {
  const { main, workflow: read, activities: local, skills, resources } = loaded;
  if (read.value === undefined) return undefined;
  const gathered = await gatherActivities({ definition: read.value, file: main.file, local, borrow });
  const own = toSharedParts(skills, resources);
  const brokenIds = [...local, ...loaded.unnumbered].flatMap(({ part, id }) =>
    part === undefined ? [id] : [],
  );
  const lookup =
    borrow &&
    createReferenceLookup(own, async (id) => {
      if (id === read.value?.id) return own;
      const folder = await borrow(id);
      return folder && cachedParts(folder, cache);
    });
  const workflow: ActivityWorkflow = {
    kind: 'activities',
    id: read.value.id,
    digest: '',
    definition: read.value,
    text: read.text,
    format: main.format,
    activities: gathered.parts,
    skills: own.skills,
    resources: own.resources,
    problems: [],
  };
  const broken = new Set([...brokenIds, ...gathered.absent.map(({ id }) => id)]);
  const borrowed = new Map(
    gathered.parts.flatMap(({ lender, file, text }) => (lender === undefined ? [] : [[file, text] as const])),
  );
  return { workflow, file: main.file, gathered, broken, borrowed, ...(lookup && { lookup }) };
}

function cachedParts(folder: Folder, cache: PartsCache): Promise<SharedParts> {
  const known = cache.get(folder) ?? loadSharedParts(folder, layOut(folder.keys()));
  cache.set(folder, known);
  return known;
}

/** Warns if a folder is not named after its workflow: other workflows borrow by the name of the folder. */
function checkFolderName({ workflow, file }: CheckedFolder, folder: string): readonly FileFinding[] {
  if (workflow.id === folder) return [];
  const message = folderNamedOtherwise(workflow.id, folder);
  return [{ severity: 'warning', code: 'file-name', file, pointer: '/id', ...message }];
}

interface Pinning {
  readonly loaded: LoadedFolder;
  readonly checked: CheckedFolder;
  /** Files of parts that turned out to be unusable when checked together. */
  readonly broken: ReadonlySet<string>;
  readonly issuesByFile: FolderReading['issuesByFile'];
}

/** Returns the workflow without its broken parts. */
function withoutBroken({ loaded, checked, broken, issuesByFile }: Pinning): ActivityWorkflow {
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
