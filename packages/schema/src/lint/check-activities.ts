import { inBorrowedActivity, noActivity, onlyBrokenActivities } from '../messages/workflow.ts';
import type { FileFinding } from '../findings/collect-findings.ts';
import { tooCostly } from '../findings/collect-findings.ts';
import type { Meter } from '../limits.ts';
import { Exhausted } from '../limits.ts';
import type { FolderReaderOptions } from '../readers/folder.ts';
import type { Gathered } from '../readers/load-folder.ts';
import type { ActivityWorkflow } from '../workflow/activity-workflow.ts';
import type { ReferenceLookup } from '../workflow/references.ts';
import {
  checkLoopNames,
  checkVariableUses,
  checkVariables,
  checkPathsInAnswers,
  checkShownValues,
} from './check-activity-variables.ts';
import { checkDecisions } from './check-decisions.ts';
import { checkActivityEvidence } from './check-evidence.ts';
import { lintActivityFields } from './check-fields.ts';
import { checkActivityIds, checkWorkflowIds } from './check-ids.ts';
import { checkPartReferences, checkTargets } from './check-activity-references.ts';

/** An activity workflow to be checked as a whole. */
export interface CheckedFolder {
  readonly workflow: ActivityWorkflow;
  readonly file: string;
  readonly gathered: Gathered;
  /** Ids of activities that exist but can't be used. */
  readonly broken: ReadonlySet<string>;
  /** Absent if other workflows aren't available. */
  readonly lookup?: ReferenceLookup;
  /** Texts taken from other workflows, by `workflow/path`. The check of references adds to it. */
  readonly borrowed: Map<string, string>;
}

/** Runs all checks that need the whole workflow. */
export async function checkFolder(
  folder: CheckedFolder,
  { checks = [], variablesOf = () => [] }: FolderReaderOptions,
  meter: Meter,
): Promise<readonly FileFinding[]> {
  const { workflow, file, broken, gathered, lookup, borrowed } = folder;
  const found: FileFinding[] = [
    ...gathered.absent.map(({ finding }) => ({ ...finding, file })),
    ...gathered.findings.map((finding) => ({ ...finding, file })),
    ...activityFindings(folder),
    ...checkWorkflowIds(workflow, file),
    ...checkActivityIds(workflow),
    ...checkActivityEvidence(workflow),
    ...checkTargets({ workflow, file, broken }),
    ...checkVariables({ workflow, file, variablesOf }),
    ...checkDecisions({ workflow, file, variablesOf }),
    ...checkShownValues({ workflow, file, variablesOf }),
    ...checkPathsInAnswers(workflow),
    ...checkLoopNames(workflow),
    ...lintActivityFields(workflow),
  ];
  if (lookup !== undefined) {
    const scope = { workflow, file, lookup };
    found.push(...(await checkPartReferences(scope, borrowed)));
    // A broken activity might use or set variables.
    if (broken.size === 0) found.push(...(await checkVariableUses(scope)));
  }
  try {
    for (const check of checks) found.push(...(await check(workflow, meter)));
  } catch (error) {
    if (!(error instanceof Exhausted)) throw error;
    found.push({ ...tooCostly, file });
  }
  return found;
}

function activityFindings({ workflow, file, broken }: CheckedFolder): readonly FileFinding[] {
  if (workflow.activities.length > 0) return [];
  const message = broken.size === 0 ? noActivity : onlyBrokenActivities;
  return [{ severity: 'error', code: 'no-activity', file, pointer: '', ...message }];
}

/**
 * Moves findings in borrowed activities to the place where the workflow file borrows them: the borrowed file is correct
 * in its own workflow.
 */
export function relocate(
  findings: readonly FileFinding[],
  { workflow, file, gathered }: CheckedFolder,
): readonly FileFinding[] {
  const ids = new Map(workflow.activities.map((part) => [part.file, part.id]));
  return findings.map((finding) => {
    const pointer = gathered.borrowedAt.get(finding.file);
    if (pointer === undefined) return finding;
    const { severity, code, served, suggestion } = finding;
    const isError = severity === 'error' && served !== true;
    return {
      severity: isError ? 'error' : 'warning',
      code,
      file,
      pointer,
      message: inBorrowedActivity(ids.get(finding.file) ?? '', finding.message),
      ...(suggestion !== undefined && { suggestion }),
      ...(isError && { served: true }),
    };
  });
}
