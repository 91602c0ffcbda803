import type { ActivityWorkflow } from './activity-workflow.ts';
import { checkActivityIds } from './check-activity-ids.ts';
import { checkDecisions } from './check-decisions.ts';
import { checkLoopNames } from './check-loop-names.ts';
import { checkNames } from './check-names.ts';
import { checkPartReferences } from './check-part-references.ts';
import { checkTargets } from './check-targets.ts';
import { checkVariableUses } from './check-variable-uses.ts';
import { checkVariables } from './check-variables.ts';
import type { FileFinding } from './file-finding.ts';
import type { FolderReaderOptions } from './folder-reading.ts';
import type { Gathered } from './gather-activities.ts';
import type { Library } from './library.ts';
import type { Meter } from './meter.ts';
import { Exhausted } from './meter.ts';
import { tooCostly } from './place-findings.ts';

/** A workflow whose parts are looked at together. */
export interface CheckedFolder {
  readonly workflow: ActivityWorkflow;
  /** Path of the workflow file. */
  readonly file: string;
  readonly gathered: Gathered;
  /** Ids of activities that are there and could not be used. */
  readonly broken: ReadonlySet<string>;
  /** Absent where nothing is known of other workflows. */
  readonly library?: Library;
  /** What it takes from other workflows, by `workflow/path`; the check of references adds to it. */
  readonly borrowed: Map<string, string>;
}

/**
 * Everything that can only be seen of a workflow as a whole. What is found in a borrowed activity is told where the
 * workflow borrows it: its own file is right for its own workflow.
 */
export async function checkFolder(
  folder: CheckedFolder,
  { checks = [], variablesOf = () => [] }: FolderReaderOptions,
  meter: Meter,
): Promise<readonly FileFinding[]> {
  const { workflow, file, broken, gathered, library, borrowed } = folder;
  const found: FileFinding[] = [
    ...gathered.absent.map(({ finding }) => ({ ...finding, file })),
    ...gathered.findings.map((finding) => ({ ...finding, file })),
    ...noActivity(folder),
    ...checkNames(workflow, file),
    ...checkActivityIds(workflow),
    ...checkTargets({ workflow, file, broken }),
    ...checkVariables({ workflow, file, variablesOf }),
    ...checkDecisions({ workflow, file, variablesOf }),
    ...checkLoopNames(workflow),
  ];
  if (library !== undefined) {
    const scope = { workflow, file, library };
    found.push(...(await checkPartReferences(scope, borrowed)));
    // A broken activity may look at variables and set them.
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

function noActivity({ workflow, file, broken }: CheckedFolder): readonly FileFinding[] {
  if (workflow.activities.length > 0) return [];
  const message =
    broken.size === 0 ? 'The workflow has no activity' : 'Every activity of the workflow is broken';
  const suggestion =
    broken.size === 0 ? "Add a file 'activities/01-…', or list activities here" : 'Correct one of them';
  return [{ severity: 'error', code: 'no-activity', file, pointer: '', message, suggestion }];
}

/** Findings in borrowed activities as findings of the workflow file. */
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
      message: `Borrowed activity '${ids.get(finding.file) ?? ''}': ${finding.message}`,
      ...(suggestion !== undefined && { suggestion }),
      ...(isError && { served: true }),
    };
  });
}
