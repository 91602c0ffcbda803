import { posix } from 'node:path';
import type { DefinitionReader, Issue, Reading, Workflow } from '@workflowlookup/schema';
import type { DefinitionProblem } from '../workflow-store.ts';
import type { Admission, Admitted } from './admission.ts';
import { judgeFault, judgeTexts } from './admission.ts';
import type { Entry } from './entry.ts';
import type { FileFault } from './file-problem.ts';
import { fileProblem, unforeseen } from './file-problem.ts';
import { formatOf, idOfFile } from './names.ts';
import { readText } from './read-text.ts';

/** What became of a definition file. */
export interface Outcome {
  /** The id its text names. */
  readonly id?: string;
  readonly workflow?: Workflow;
  /** What is wrong with the file itself. */
  readonly problem?: DefinitionProblem;
  /** What is wrong with other files that belong to the definition; they are warnings. */
  readonly partProblems?: readonly DefinitionProblem[];
  /** Its admission, in a source that reads trusted definitions only. */
  readonly admitted?: Admitted;
  /** Whether another try may give something else although nothing was written. */
  readonly unsettled: boolean;
}

/** Who reads a file, and what is told of it. */
export interface FileReading {
  readonly read: DefinitionReader;
  /** Whether warnings are told of too. */
  readonly warnings: boolean;
  readonly admission?: Admission | undefined;
}

/** The issues of a file that make it a problem. */
export function told(issues: readonly Issue[], warnings: boolean): readonly Issue[] {
  return warnings ? issues : issues.filter(({ severity }) => severity === 'error');
}

/** Reads the definition file at a real path; whatever is wrong with it is in the outcome, never thrown. */
export async function readDefinitionFile(
  { path, file }: Pick<Entry, 'file' | 'path'>,
  { read, warnings, admission }: FileReading,
): Promise<Outcome> {
  const content = await readText(path, file);
  const admitted = admission && judgeContent(admission, file, content);
  const kept = admitted === undefined ? {} : { admitted };
  if (admitted?.isAdmitted === false) return { ...kept, unsettled: isUnsettled(content) };
  if (typeof content !== 'string') return { ...faulty(file, content), ...kept };
  try {
    const reading = await read({ text: content, format: formatOf(file) });
    return { ...outcomeOf(file, { ...reading, issues: told(reading.issues, warnings) }), ...kept };
  } catch (error) {
    return { ...faulty(file, unforeseen(file, error)), ...kept };
  }
}

/** The admission of exactly the text that is then parsed, so that a file can't be swapped in between. */
function judgeContent(admission: Admission, file: string, content: string | FileFault): Admitted {
  if (typeof content !== 'string') return judgeFault(admission, file);
  return judgeTexts(admission, file, new Map([[posix.basename(file), content]]));
}

function isUnsettled(content: string | FileFault): boolean {
  return typeof content !== 'string' && content.code === 'STORAGE';
}

function faulty(file: string, fault: FileFault): Outcome {
  return { problem: fileProblem(file, fault), unsettled: fault.code === 'STORAGE' };
}

function outcomeOf(file: string, { workflow, id = workflow?.id, issues }: Reading): Outcome {
  const named = id === undefined ? {} : { id };
  if (workflow !== undefined && issues.length === 0) return { ...named, workflow, unsettled: false };
  const problem: DefinitionProblem = {
    id: id ?? idOfFile(file),
    file,
    severity: workflow === undefined ? 'error' : 'warning',
    code: 'INVALID_WORKFLOW',
    issues,
  };
  return { ...named, ...(workflow && { workflow }), problem, unsettled: false };
}
