import { resolve } from 'node:path';
import type { BranchOutcome, Coverage } from '@workflowlookup/core/testing';
import type { LintFinding } from '../lint/lint-report.ts';
import type { TestReport, TriedWorkflow } from './test-report.ts';
import { percentOf } from './test-report.ts';

/** Workflows whose tests go through less than so many percent of their steps or branches. */
export function lowCoverage(
  { workflows }: Pick<TestReport, 'workflows'>,
  percent: number,
): readonly LintFinding[] {
  return workflows.flatMap((workflow) => {
    const { coverage } = workflow;
    if (coverage === undefined) return percent > 0 ? [untested(workflow)] : [];
    const steps = percentOf(coverage.sites);
    const branches = percentOf(coverage.branches);
    if (Math.min(steps, branches) >= percent) return [];
    const message = `The tests go through ${steps} % of the steps and ${branches} % of the branches, and ${percent} % are asked for`;
    return [{ ...placeOf(workflow), message, suggestion: `Test what they miss: ${missed(coverage)}` }];
  });
}

function untested(workflow: TriedWorkflow): LintFinding {
  return { ...placeOf(workflow), message: 'No test was run', suggestion: 'Write tests beside it' };
}

function placeOf({ id, file }: TriedWorkflow): Omit<LintFinding, 'message'> {
  const whole = { pointer: '', line: 1, column: 1 } as const;
  return { ...whole, severity: 'warning', code: 'low-coverage', file, path: resolve(file), workflow: id };
}

/** So much is named; JSON has all. */
const maxNamed = 5;

function missed({ sites, branches }: Coverage): string {
  const all = [...sites.missed, ...branches.missed.map(outcomeText)];
  const more = all.length - maxNamed;
  return all.slice(0, maxNamed).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

function outcomeText({ text, holds }: BranchOutcome): string {
  return `'${text}'${holds ? '' : ' when it does not hold'}`;
}
