import { readFile } from 'node:fs/promises';
import type { DefinitionText, Issue, Position, WorkflowTest } from '@workflowlookup/schema';
import { createPositions, readWorkflowTests } from '@workflowlookup/schema';
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

/** Reads a file of tests. Whatever is wrong with it is among its issues. */
export async function readSuite(path: string): Promise<Suite> {
  try {
    const text = await readFile(path, 'utf8');
    return { path, ...(await readText({ text, format: path.endsWith('.json') ? 'json' : 'yaml' }, path)) };
  } catch (error) {
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
    severity: 'error',
    code: 'unreadable-file',
    pointer: '',
    message: `'${nameOf(path)}' can't be read (${code})`,
    suggestion: 'Make it a file that this user may read',
    line: 1,
    column: 1,
  };
}
