import type { Workflow } from '@workflowlookup/schema';
import { digestOfWorkflow, WorkflowError } from '@workflowlookup/schema';
import type { ExportedSession } from '@workflowlookup/storage/journal';
import { readExport } from '@workflowlookup/storage/journal';

/**
 * Reads an export, verifies its chain, and that its definition is the one the session was started on.
 *
 * @throws WorkflowError VALIDATION with the line or the revision in its data
 */
export async function readWholeExport(
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ExportedSession> {
  const exported = await readExport(lines);
  if (isDefinitionOf(exported.session.digest, exported.definition as unknown as Workflow)) return exported;
  throw new WorkflowError(
    'VALIDATION',
    'The exported session holds another definition than it was started on (line 1); export it again.',
    { data: { line: 1 } },
  );
}

function isDefinitionOf(digest: string, workflow: Workflow): boolean {
  try {
    return workflow.digest === digest && digestOfWorkflow(workflow) === digest;
  } catch {
    // It does not even have the shape of a workflow.
    return false;
  }
}
