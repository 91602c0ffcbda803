import { basename, dirname, resolve } from 'node:path';
import type { PlaceReport } from '@workflowlookup/host';
import type { Workflow } from '@workflowlookup/schema';

/** A definition that may have tests beside it. */
export interface Subject {
  readonly id: string;
  /** Absolute path of the definition, or of the workflow file of an activity workflow. */
  readonly path: string;
  /** Absent where the definition can't be served. */
  readonly workflow?: Workflow;
}

/** The definitions of a place, those too that can't be served. */
export function subjectsOf({ directory, workflows, problems }: PlaceReport): readonly Subject[] {
  const served = workflows.map(({ workflow, file }): Subject => ({
    id: workflow.id,
    path: resolve(directory, file),
    workflow,
  }));
  const known = new Set(served.map(({ path }) => path));
  const broken = problems
    .filter(({ severity }) => severity === 'error')
    .map(({ id, file }): Subject => ({ id, path: resolve(directory, file) }))
    .filter(({ path }) => !known.has(path));
  return [...served, ...broken];
}

/** The folders in which tests of a definition may lie: its own, and of the folder of an activity workflow the one around it. */
export function foldersOf({ path, workflow }: Subject): readonly string[] {
  const folder = dirname(path);
  return workflow?.kind === 'activities' ? [folder, dirname(folder)] : [folder];
}

/**
 * The definition that a file of tests is of: where it names an id, the one with that id; else the one beside it that is
 * named as what stands before `.test`, as a file or by its id. What lies beside it goes first.
 */
export function subjectOf(
  testsFile: string,
  named: string | undefined,
  subjects: readonly Subject[],
): Subject | undefined {
  const folder = dirname(testsFile);
  const near = subjects.filter((subject) => foldersOf(subject).includes(folder));
  const stem = stemOf(testsFile);
  const sameName = near.find(({ path }) => dirname(path) === folder && stemOf(path) === stem);
  const id = named ?? stem;
  const byId = [...near, ...subjects].find((subject) => subject.id === id);
  return named === undefined ? (sameName ?? byId) : byId;
}

function stemOf(path: string): string {
  return basename(path).replace(/(?:\.test)?\.[a-z]+$/, '');
}
