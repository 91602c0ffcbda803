import { dirname, parse, resolve } from 'node:path';
import type { ExplorationFinding } from '@workflowlookup/core/testing';
import type { ActivityPart, ActivityWorkflow, Workflow } from '@workflowlookup/schema';
import type { LintFinding } from '../lint/lint-report.ts';
import { placeFindings } from '../lint/place-findings.ts';
import { nameOf } from '../name-of.ts';

/** What exploring found, in the files and at the lines it is about. */
export async function placeExplored(
  found: readonly ExplorationFinding[],
  workflow: Workflow,
  path: string,
): Promise<readonly LintFinding[]> {
  const findings = found.map((finding): LintFinding => {
    const { file, ...rest } = workflow.kind === 'steps' ? finding : atHome(finding, workflow);
    const own = file === undefined ? path : resolve(dirname(path), file);
    return { ...rest, file: nameOf(own), path: own, workflow: workflow.id, line: 1, column: 1 };
  });
  return placeFindings(findings);
}

/** What is found in a borrowed activity is told where the workflow borrows it, as lint does. */
function atHome(finding: ExplorationFinding, workflow: ActivityWorkflow): ExplorationFinding {
  const part = workflow.activities.find(({ file }) => file === finding.file);
  if (part?.lender === undefined) return finding;
  const { file: _file, ...rest } = finding;
  const message = `Borrowed activity '${part.id}': ${finding.message}`;
  return { ...rest, pointer: borrowedAt(part, workflow), message };
}

function borrowedAt({ lender, file }: ActivityPart, { definition }: ActivityWorkflow): string {
  const at = (definition.activities ?? []).findIndex((entry) => {
    if (typeof entry !== 'string' || !entry.startsWith(`${lender}/`)) return false;
    const [wanted, found] = [parse(entry).name, parse(file).name];
    return found === wanted || found.replace(/^\d+-/, '') === wanted;
  });
  return at < 0 ? '/activities' : `/activities/${at}`;
}
