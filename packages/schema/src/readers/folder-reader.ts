import type { FileFinding } from '../findings/collect-findings.ts';
import { tooCostly, inFile, FindingsByFile } from '../findings/collect-findings.ts';
import { isFatal } from '../findings/finding.ts';
import type { Meter } from '../limits.ts';
import { Exhausted, maxReadingSteps } from '../limits.ts';
import {
  checkPartReferences,
  checkTargets,
  checkActivities,
  checkWorkflowIds,
} from '../lint/check-activities.ts';
import {
  checkLoopNames,
  checkVariableUses,
  checkVariables,
  checkPathsInAnswers,
  checkShownValues,
} from '../lint/check-activity-variables.ts';
import { checkDecisions } from '../lint/check-decisions.ts';
import { checkProtectedVariables, checkActivityEvidence, lintActivityFields } from '../lint/check-outputs.ts';
import { fileMessages } from '../messages/files.ts';
import { messages } from '../messages/workflow.ts';
import { payForText } from '../text/parse-text.ts';
import type { ActivityWorkflow } from '../workflow/activity-workflow.ts';
import type { ReferenceLookup, SharedParts } from '../workflow/references.ts';
import { createReferenceLookup } from '../workflow/references.ts';
import { activityDigest, isWorkflowId } from '../workflow/workflow.ts';
import type {
  FolderReaderOptions,
  Folder,
  FolderContext,
  FolderReader,
  FolderReading,
  Gathered,
  LoadedFolder,
} from './folder.ts';
import { layOut, gatherActivities, loadFolder, partsOf } from './folder.ts';
import { loadSharedParts, toSharedParts } from './parts.ts';

/** An activity workflow to be checked as a whole. */
interface CheckedFolder {
  readonly workflow: ActivityWorkflow;
  readonly file: string;
  readonly gathered: Gathered;
  /** Ids of activities that exist but can't be used. */
  readonly broken: ReadonlySet<string>;
  /** Absent if other workflows aren't available. */
  readonly lookup?: ReferenceLookup;
  /** Texts taken from other workflows, by `workflow/path`. The check of references adds to it. */
  readonly borrowed: Map<string, string>;
}

/** Runs all checks that need the whole workflow. */
async function checkFolder(
  folder: CheckedFolder,
  { checks = [], variablesOf = () => [] }: FolderReaderOptions,
  meter: Meter,
): Promise<readonly FileFinding[]> {
  const { workflow, file, broken, gathered, lookup, borrowed } = folder;
  const found: FileFinding[] = [
    ...inFile({ file, pointer: '' }, [
      ...gathered.absent.map(({ finding }) => finding),
      ...gathered.findings,
    ]),
    ...activityFindings(folder),
    ...checkWorkflowIds(workflow, file),
    ...checkActivities(workflow),
    ...checkActivityEvidence(workflow),
    ...checkTargets({ workflow, file, broken }),
    ...checkVariables({ workflow, file, variablesOf }),
    ...checkDecisions({ workflow, file, variablesOf }),
    ...checkShownValues({ workflow, file, variablesOf }),
    ...checkPathsInAnswers(workflow),
    ...checkProtectedVariables(workflow),
    ...checkLoopNames(workflow),
    ...lintActivityFields(workflow),
  ];
  if (lookup !== undefined) {
    const scope = { workflow, file, lookup };
    found.push(...(await checkPartReferences(scope, borrowed)));
    // A broken activity might use or set variables.
    if (broken.size === 0) found.push(...(await checkVariableUses(scope)));
  }
  try {
    for (const check of checks) found.push(...(await check(workflow, meter)));
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
    found.push({ ...tooCostly, file });
  }
  return found;
}

function activityFindings({ workflow, file, broken }: CheckedFolder): readonly FileFinding[] {
  if (workflow.activities.length > 0) return [];
  const problem = broken.size === 0 ? messages.noActivity() : messages.onlyBrokenActivities();
  return [{ ...problem, file, pointer: '' }];
}

/**
 * Moves findings in borrowed activities to the place where the workflow file borrows them: the borrowed file is correct
 * in its own workflow.
 */
function relocate(
  findings: readonly FileFinding[],
  { workflow, file, gathered }: CheckedFolder,
): readonly FileFinding[] {
  const ids = new Map(workflow.activities.map((part) => [part.file, part.id]));
  return findings.map((finding) => {
    const pointer = gathered.borrowedAt.get(finding.file);
    if (pointer === undefined) return finding;
    const { served: _served, repair: _repair, ...rest } = finding;
    const message = messages.inBorrowedActivity(ids.get(finding.file) ?? '', finding.message);
    const severity = isFatal(finding)
      ? ({ severity: 'error', served: true } as const)
      : ({ severity: 'warning' } as const);
    return { ...rest, ...severity, file, pointer, message };
  });
}

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
    const found = new FindingsByFile();
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
    return { ...reading, workflow: withoutBroken(loaded, checked, broken, issuesByFile) };
  };
}

function emptyReading(id: string): FolderReading {
  const issue = { ...fileMessages.noWorkflowFile(), pointer: '', line: 1, column: 1 };
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
  return [{ ...fileMessages.folderNamedOtherwise(workflow.id, folder), file, pointer: '/id' }];
}

/** Returns the workflow without the parts in the broken files, and with the problems of every part left out. */
function withoutBroken(
  loaded: LoadedFolder,
  { workflow, file: main, gathered }: CheckedFolder,
  broken: ReadonlySet<string>,
  issuesByFile: FolderReading['issuesByFile'],
): ActivityWorkflow {
  const isSound = ({ file }: { readonly file: string }): boolean => !broken.has(file);
  const parts = {
    definition: workflow.definition,
    activities: workflow.activities.filter(isSound),
    skills: workflow.skills.filter(isSound),
    resources: workflow.resources.filter(isSound),
  };
  const { absent, borrowedAt } = gathered;
  const dropped = gathered.parts.filter((part) => borrowedAt.has(part.file) && !isSound(part));
  const notBorrowed = [
    ...absent.map(({ id, reference, finding }) => ({ id, file: reference, pointer: finding.pointer })),
    ...dropped.map(({ id, file }) => ({ id, file, pointer: borrowedAt.get(file) })),
  ];
  const problems = [
    ...partsOf(loaded)
      .filter((part) => part.part === undefined || !isSound(part))
      .map(({ kind, id, file }) => ({ kind, id, file, issues: issuesByFile.get(file) ?? [] })),
    ...notBorrowed.map(({ id, file, pointer }) => ({
      kind: 'activity' as const,
      id,
      file,
      issues: (issuesByFile.get(main) ?? []).filter((issue) => issue.pointer === pointer),
    })),
  ];
  return frozen({ ...workflow, ...parts, digest: activityDigest(parts), problems });
}

function frozen(workflow: ActivityWorkflow): ActivityWorkflow {
  const lists = [workflow.activities, workflow.skills, workflow.resources, workflow.problems];
  for (const list of lists) {
    for (const part of list) Object.freeze(part);
    Object.freeze(list);
  }
  return Object.freeze(workflow);
}
