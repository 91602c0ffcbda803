import { posix } from 'node:path';
import type { BrokenPart, Folder, FolderContext, FolderReader, Issue } from '@workflowlookup/schema';
import type { ActivityWorkflow, FolderReading } from '@workflowlookup/schema';
import type { DefinitionProblem } from '../workflow-store.ts';
import type { FileFault } from './file-problem.ts';
import { fileProblem, unforeseen } from './file-problem.ts';
import { below, idOfFile } from './names.ts';
import type { Outcome } from './read-definition-file.ts';
import { told } from './read-definition-file.ts';
import type { FolderTexts } from './read-folder-texts.ts';
import type { FoundWorkflow } from './scan-workflow-folder.ts';

/** What to read: the folder, its texts, and who reads it. */
export interface FolderToRead extends FolderTexts {
  readonly found: FoundWorkflow;
  readonly read: FolderReader;
  readonly borrow: NonNullable<FolderContext['borrow']>;
  readonly warnings: boolean;
  /** Whether any error keeps the workflow from being served, because it had none when a person trusted its texts. */
  readonly whole?: boolean;
}

/** What reading a folder gave, with what it takes from others. */
export interface FolderOutcome extends Outcome, Pick<FolderReading, 'borrowed'> {}

/** Reads the folder of an activity workflow; whatever is wrong with it is in the outcome, never thrown. */
export async function readWorkflowFolder(folder: FolderToRead): Promise<FolderOutcome> {
  const { found, texts, faults, refusal, read, borrow } = folder;
  const name = posix.basename(found.place.file);
  if (refusal !== undefined) return refused(folder, refusal);
  try {
    return outcomeOf(folder, await read(withGaps(texts, faults), { id: name, borrow }));
  } catch (error) {
    return refused(folder, unforeseen(found.file, error));
  }
}

/** What could not be read is there without its text: others that refer to it are not at fault. */
function withGaps(texts: Folder, faults: FolderTexts['faults']): Folder {
  const gaps = [...faults.keys()].filter((name) => /^(activities|skills)\//.test(name));
  return gaps.length === 0 ? texts : new Map([...texts, ...gaps.map((name) => [name, ''] as const)]);
}

function refused({ found, faults }: FolderToRead, fault: FileFault): Outcome {
  const id = posix.basename(found.place.file);
  const others = [...faults].filter(([name]) => below(found.place.file, name) !== found.file);
  return {
    problem: fileProblem(found.file, fault, id),
    partProblems: others.map(([name, other]) => faultProblem(below(found.place.file, name), other, id)),
    unsettled: isUnsettled([fault, ...faults.values()]),
  };
}

function outcomeOf({ found, faults, warnings, whole }: FolderToRead, reading: FolderReading): FolderOutcome {
  const { id, borrowed } = reading;
  const error = whole === true ? errorIn(reading) : undefined;
  const workflow = error === undefined ? reading.workflow && withFaults(reading.workflow, faults) : undefined;
  const problems = [
    ...[...faults].map(([name, fault]) => faultProblem(below(found.place.file, name), fault, id)),
    ...[...reading.issuesByFile].flatMap(([name, issues]) =>
      faults.has(name) ? [] : readingProblem(below(found.place.file, name), told(issues, warnings), id),
    ),
  ];
  const own =
    problems.find(({ file }) => file === found.file) ??
    (error && fileProblem(found.file, changedBeside(found.file, error), id));
  const problem = own && ({ ...own, severity: workflow === undefined ? 'error' : 'warning' } as const);
  return {
    id,
    ...(workflow && { workflow }),
    ...(borrowed && { borrowed }),
    ...(problem && { problem }),
    partProblems: problems.filter((other) => other !== own),
    unsettled: isUnsettled([...faults.values()]),
  };
}

function errorIn({ issuesByFile }: FolderReading): Issue | undefined {
  return [...issuesByFile.values()].flat().find(({ severity }) => severity === 'error');
}

/** Its own texts are what they were when they were trusted, and had no errors. */
function changedBeside(file: string, { code, message }: Issue): FileFault {
  return {
    code: 'INVALID_WORKFLOW',
    finding: code,
    message: `'${file}' is not served, because what it borrows or refers to has changed since it was trusted: ${message}`,
    suggestion: "Trust or correct the workflow it refers to: 'workflowlookup trust' lists what is held back",
  };
}

/** Whether another try may read what could not be read. */
export function isUnsettled(faults: readonly FileFault[]): boolean {
  return faults.some(({ code }) => code === 'STORAGE');
}

function faultProblem(file: string, fault: FileFault, id: string): DefinitionProblem {
  return { ...fileProblem(file, fault, id), severity: 'warning' };
}

function readingProblem(file: string, issues: readonly Issue[], id: string): readonly DefinitionProblem[] {
  if (issues.length === 0) return [];
  return [{ id, file, severity: 'warning', code: 'INVALID_WORKFLOW', issues }];
}

/** Says of every part that could not be read why: its text, which the reader did not have, is not the reason. */
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
