import { WorkflowError } from '@workflowlookup/schema';
import type { ExportedSession } from '@workflowlookup/storage/journal';
import { readExport } from '@workflowlookup/storage/journal';
import { isDefinitionOf } from '../session-engine/definitions.ts';

/**
 * Reads an export, verifies its chain, and that its definition is the one the session was started on.
 *
 * @throws WorkflowError VALIDATION with the line or the revision in its data
 */
export async function readWholeExport(
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ExportedSession> {
  const exported = await readExport(lines);
  if (isDefinitionOf(exported.session.digest, exported.definition)) return exported;
  throw new WorkflowError(
    'VALIDATION',
    'The exported session holds another definition than it was started on (line 1); export it again.',
    { data: { line: 1 } },
  );
}
