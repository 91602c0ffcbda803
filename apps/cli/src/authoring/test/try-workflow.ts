import type { Rehearsals } from '@workflowlookup/core/testing';
import { createRehearsals, explore } from '@workflowlookup/core/testing';
import type { LintFinding } from '../lint/lint-report.ts';
import { nameOf } from '../name-of.ts';
import type { SubjectWithTests } from './find-suites.ts';
import { placeExplored } from './place-explored.ts';
import type { PlacedTest } from './read-suite.ts';
import type { TriedTest, TriedWorkflow } from './test-report.ts';

/** What trying a workflow came to. */
export interface Trial {
  readonly workflow: TriedWorkflow;
  /** Whether the workflow can be served. */
  readonly isServed: boolean;
  readonly findings: readonly LintFinding[];
}

/** Runs the tests of a workflow, and goes every way through it where that is asked for. */
export async function tryWorkflow(
  { subject, suites }: SubjectWithTests,
  { isExplored }: { readonly isExplored: boolean },
): Promise<Trial> {
  const { id, path, workflow } = subject;
  const placed = suites.flatMap(({ tests }) => tests);
  const file = nameOf(path);
  if (workflow === undefined) {
    return { workflow: { id, file, tests: placed.map(notRun) }, isServed: false, findings: [] };
  }
  const rehearsals = createRehearsals(workflow);
  const tests: TriedTest[] = [];
  for (const one of placed) tests.push(await run(rehearsals, one));
  const tried = { id, file, tests, ...(tests.length > 0 && { coverage: rehearsals.coverage() }) };
  if (!isExplored) return { workflow: tried, isServed: true, findings: [] };
  const { findings, ...exploration } = explore(workflow);
  return {
    workflow: { ...tried, exploration },
    isServed: true,
    findings: await placeExplored(findings, workflow, path),
  };
}

function notRun({ test: { name }, ...place }: PlacedTest): TriedTest {
  return { name, ...place, status: 'not-run', failures: [], path: [] };
}

async function run(rehearsals: Rehearsals, { test, ...place }: PlacedTest): Promise<TriedTest> {
  const { name, failures, path } = await rehearsals.run(test);
  return { name, ...place, status: failures.length === 0 ? 'passed' : 'failed', failures, path };
}
