import { posix } from 'node:path';
import type {
  ActivityWorkflow,
  BrokenPart,
  Folder,
  FolderContext,
  FolderReader,
  FolderReading,
  Issue,
} from '@workflowlookup/schema';
import { forEachLimit } from '../utilities.ts';
import type { DefinitionProblem } from '../workflow-store.ts';
import type { FileFault } from './paths.ts';
import { fileProblem, unforeseen, below, idOfFile } from './paths.ts';
import type { Outcome } from './read-definition-file.ts';
import { readText, reportedIssues } from './read-definition-file.ts';
import type { FoundWorkflow } from './scan-directory.ts';
import { maxWorkflowFiles } from './scan-directory.ts';
import { fileMessages } from '../messages.ts';

interface FolderToRead extends FolderTexts {
  readonly found: FoundWorkflow;
  readonly read: FolderReader;
  readonly borrow: NonNullable<FolderContext['borrow']>;
  readonly warnings: boolean;
  /**
   * Whether any error keeps the workflow from being served, because its texts had no errors when a person trusted them.
   */
  readonly mustBeValid?: boolean;
}

/** The result of reading a folder, with the texts that it takes from other workflows. */
interface FolderOutcome extends Outcome, Pick<FolderReading, 'borrowed'> {}

/** Reads the folder of an activity workflow. Never throws: every problem is in the outcome. */
export async function readWorkflowFolder(folder: FolderToRead): Promise<FolderOutcome> {
  const { found, texts, faults, refusal, read, borrow } = folder;
  const name = posix.basename(found.place.file);
  if (refusal !== undefined) return refused(folder, refusal);
  try {
    return outcomeOf(folder, await read(withEmptyTexts(texts, faults), { id: name, borrow }));
  } catch (error) {
    return refused(folder, unforeseen(found.file, error));
  }
}

/** Adds an empty text for every file that could not be read, so that references to it are not reported as errors. */
function withEmptyTexts(texts: Folder, faults: FolderTexts['faults']): Folder {
  const gaps = [...faults.keys()].filter((name) => /^(activities|skills)\//.test(name));
  return gaps.length === 0 ? texts : new Map([...texts, ...gaps.map((name) => [name, ''] as const)]);
}

function refused({ found, faults }: FolderToRead, fault: FileFault): Outcome {
  const id = posix.basename(found.place.file);
  const others = [...faults].filter(([name]) => below(found.place.file, name) !== found.file);
  return {
    problem: fileProblem(found.file, fault, id),
    partProblems: others.map(([name, other]) => faultProblem(below(found.place.file, name), other, id)),
    mayRecover: areTemporary([fault, ...faults.values()]),
  };
}

function outcomeOf(
  { found, faults, warnings, mustBeValid }: FolderToRead,
  reading: FolderReading,
): FolderOutcome {
  const { id, borrowed } = reading;
  const error = mustBeValid === true ? errorIn(reading) : undefined;
  const workflow = error === undefined ? reading.workflow && withFaults(reading.workflow, faults) : undefined;
  const problems = [
    ...[...faults].map(([name, fault]) => faultProblem(below(found.place.file, name), fault, id)),
    ...[...reading.issuesByFile].flatMap(([name, issues]) =>
      faults.has(name)
        ? []
        : readingProblem(below(found.place.file, name), reportedIssues(issues, warnings), id),
    ),
  ];
  const own =
    problems.find(({ file }) => file === found.file) ??
    (error && fileProblem(found.file, changedReference(found.file, error), id));
  const problem = own && ({ ...own, severity: workflow === undefined ? 'error' : 'warning' } as const);
  return {
    id,
    ...(workflow && { workflow }),
    ...(borrowed && { borrowed }),
    ...(problem && { problem }),
    partProblems: problems.filter((other) => other !== own),
    mayRecover: areTemporary([...faults.values()]),
  };
}

function errorIn({ issuesByFile }: FolderReading): Issue | undefined {
  return [...issuesByFile.values()].flat().find(({ severity }) => severity === 'error');
}

/** Describes an error in a workflow whose own texts are unchanged since they were trusted, when they had no errors. */
function changedReference(file: string, { code, message }: Issue): FileFault {
  return {
    code: 'INVALID_WORKFLOW',
    finding: code,
    ...fileMessages.changedReference(file, message),
  };
}

/** Whether another try may read a file that could not be read. */
export function areTemporary(faults: readonly FileFault[]): boolean {
  return faults.some(({ code }) => code === 'SOURCE_UNREADABLE');
}

function faultProblem(file: string, fault: FileFault, id: string): DefinitionProblem {
  return { ...fileProblem(file, fault, id), severity: 'warning' };
}

function readingProblem(file: string, issues: readonly Issue[], id: string): readonly DefinitionProblem[] {
  if (issues.length === 0) return [];
  return [{ id, file, severity: 'warning', code: 'INVALID_WORKFLOW', issues }];
}

/** Replaces the error of every part that could not be read with the real reason, which the reader did not know. */
function withFaults(workflow: ActivityWorkflow, faults: FolderTexts['faults']): ActivityWorkflow {
  if (faults.size === 0) return workflow;
  const known = workflow.problems.filter(({ file }) => !faults.has(file));
  const broken = [...faults].flatMap(([file, fault]) => brokenPart(file, fault, workflow.problems));
  return Object.freeze({ ...workflow, problems: Object.freeze([...known, ...broken]) });
}

function brokenPart(file: string, fault: FileFault, known: readonly BrokenPart[]): readonly BrokenPart[] {
  const kind = kinds[posix.dirname(file)];
  if (kind === undefined) return [];
  const { id = idOfFile(file).replace(/^\d+-/, '') } = known.find((part) => part.file === file) ?? {};
  return [Object.freeze({ kind, id, file, issues: fileProblem(file, fault).issues })];
}

const kinds: Readonly<Record<string, BrokenPart['kind']>> = {
  activities: 'activity',
  skills: 'skill',
  resources: 'resource',
};

export interface FolderTexts {
  /** The texts that could be read, by path in the folder. */
  readonly texts: Folder;
  /** The files that could not be read, by path in the folder. */
  readonly faults: ReadonlyMap<string, FileFault>;
  /** Why the workflow is not served at all. */
  readonly refusal?: FileFault;
}

/** The maximum size of an activity workflow in bytes, all its files together. */
const maxWorkflowBytes = 16 * 1_048_576;

/** Reads the files of several folders, at most `limit` files at a time in total. Never throws. */
export async function readFolderTexts(
  folders: Iterable<FoundWorkflow>,
  limit: number,
): Promise<ReadonlyMap<FoundWorkflow, FolderTexts>> {
  const drafts = new Map([...folders].map((found) => [found, draftOf(found)]));
  await forEachLimit(filesOf(drafts), limit, readPart);
  return new Map([...drafts].map(([found, draft]) => [found, finish(found, draft)]));
}

interface Draft {
  readonly texts: Map<string, string>;
  readonly faults: Map<string, FileFault>;
  bytes: number;
}

interface Part {
  readonly draft: Draft;
  readonly name: string;
  readonly path: string;
  /** Path relative to the source. */
  readonly file: string;
}

function draftOf({ parts }: FoundWorkflow): Draft {
  const faults = [...parts].flatMap(([name, part]) =>
    typeof part === 'string' ? [] : [[name, part] as const],
  );
  return { texts: new Map(), faults: new Map(faults), bytes: 0 };
}

function* filesOf(drafts: ReadonlyMap<FoundWorkflow, Draft>): Generator<Part> {
  for (const [{ parts, place }, draft] of drafts) {
    if (parts.size > maxWorkflowFiles) continue;
    for (const [name, path] of parts) {
      if (typeof path === 'string') yield { draft, name, path, file: below(place.file, name) };
    }
  }
}

async function readPart({ draft, name, path, file }: Part): Promise<void> {
  if (draft.bytes > maxWorkflowBytes) return;
  const content = await readText(path, file);
  if (typeof content !== 'string') return void draft.faults.set(name, content);
  draft.texts.set(name, content);
  draft.bytes += Buffer.byteLength(content);
}

/** Returns the results sorted by path, regardless of which file was read first. */
function finish({ parts, place, file }: FoundWorkflow, { texts, faults, bytes }: Draft): FolderTexts {
  const refusal =
    parts.size > maxWorkflowFiles ? tooMany(place.file) : bytes > maxWorkflowBytes && tooLarge(place.file);
  const own = refusal || faults.get(file.slice(place.file.length + 1));
  const sorted = refusal ? [] : [...texts].toSorted(([a], [b]) => (a < b ? -1 : 1));
  return { texts: new Map(sorted), faults: refusal ? new Map() : faults, ...(own && { refusal: own }) };
}

function tooMany(folder: string): FileFault {
  return {
    code: 'INVALID_WORKFLOW',
    finding: 'beyond-limits',
    ...fileMessages.tooManyFiles(folder, maxWorkflowFiles),
  };
}

function tooLarge(folder: string): FileFault {
  return {
    code: 'INVALID_WORKFLOW',
    finding: 'beyond-limits',
    ...fileMessages.folderTooLarge(folder),
  };
}
