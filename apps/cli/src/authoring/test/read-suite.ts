import type { DefinitionText, Issue, Position, WorkflowTest } from '@workflowlookup/schema';
import { createPositions, readWorkflowTests, WorkflowError } from '@workflowlookup/schema';
import { leadsInto, readDefinitionText } from '../../read-file.ts';
import { nameOf } from '../name-of.ts';

/** A test, and where it stands. */
export interface PlacedTest extends Position {
  readonly test: WorkflowTest;
  /** As people call it. */
  readonly file: string;
}

/** A file of tests, read. */
export interface Suite {
  /** Absolute path. */
  readonly path: string;
  /** The id of the workflow, and where the file names it. */
  readonly workflow?: Position & { readonly id: string };
  readonly tests: readonly PlacedTest[];
  /** What is wrong with the file; with an error it has no tests. */
  readonly issues: readonly Issue[];
}

/** Reads a file of tests of a source; a link out of the source is not opened. Whatever is wrong with it is among its issues. */
export async function readSuite(path: string, source: string): Promise<Suite> {
  try {
    if (!(await leadsInto(source, path))) return { path, tests: [], issues: [leavesSource(path)] };
    const text = await readDefinitionText(path);
    return { path, ...(await readText({ text, format: path.endsWith('.json') ? 'json' : 'yaml' }, path)) };
  } catch (error) {
    if (error instanceof WorkflowError) return { path, tests: [], issues: [refused(error)] };
    if (!isFromSystem(error)) throw error;
    return { path, tests: [], issues: [unreadable(path, error)] };
  }
}

async function readText(source: DefinitionText, path: string): Promise<Omit<Suite, 'path'>> {
  const { value, issues } = await readWorkflowTests(source);
  if (value === undefined) return { tests: [], issues };
  const positionOf = await createPositions(source);
  const tests = value.tests.map((test, at): PlacedTest => ({
    test,
    file: nameOf(path),
    ...positionOf(`/tests/${at}`),
  }));
  const { workflow: id } = value;
  return { tests, issues, ...(id !== undefined && { workflow: { id, ...positionOf('/workflow') } }) };
}

function isFromSystem(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

function unreadable(path: string, { code = 'unknown' }: NodeJS.ErrnoException): Issue {
  return {
    ...ofWholeFile,
    code: 'unreadable-file',
    message: `'${nameOf(path)}' can't be read (${code})`,
    suggestion: 'Make it a file that this user may read',
  };
}

function refused({ message, data }: WorkflowError): Issue {
  const code = data['reason'] === 'too-large' ? 'beyond-limits' : 'unreadable-file';
  return { ...ofWholeFile, code, message };
}

function leavesSource(path: string): Issue {
  return {
    ...ofWholeFile,
    code: 'leaves-source',
    message: `'${nameOf(path)}' is a symbolic link that leaves its source`,
    suggestion: 'Put a copy of the file into the source',
  };
}

const ofWholeFile = { severity: 'error', pointer: '', line: 1, column: 1 } as const;
