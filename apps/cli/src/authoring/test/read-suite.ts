import { readFile } from 'node:fs/promises';
import type { DefinitionText, Issue, WorkflowTest } from '@workflowlookup/schema';
import { findPosition, readWorkflowTests } from '@workflowlookup/schema';
import { nameOf } from '../name-of.ts';

type Position = Pick<Issue, 'column' | 'line'>;

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
    return await readText(path, await readFile(path, 'utf8'));
  } catch (error) {
    return { path, tests: [], issues: [unreadable(path, error)] };
  }
}

async function readText(path: string, text: string): Promise<Suite> {
  const source: DefinitionText = { text, format: path.endsWith('.json') ? 'json' : 'yaml' };
  const { value, issues } = await readWorkflowTests(source);
  const file = nameOf(path);
  const tests: PlacedTest[] = [];
  for (const [at, test] of (value?.tests ?? []).entries()) {
    tests.push({ test, file, ...(await findPosition(source, `/tests/${at}`)) });
  }
  const id = value?.workflow;
  const workflow = id === undefined ? {} : { workflow: { id, ...(await findPosition(source, '/workflow')) } };
  return { path, tests, issues, ...workflow };
}

function unreadable(path: string, error: unknown): Issue {
  const { code = 'unknown' } = error as NodeJS.ErrnoException;
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
