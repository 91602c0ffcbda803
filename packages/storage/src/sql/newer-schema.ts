import { WorkflowError } from '@workflowlookup/schema';

/** Says that a newer program has migrated a database. */
export function newerSchema(
  versions: { readonly found: number; readonly known: number },
  place: string,
): WorkflowError {
  const { found, known } = versions;
  return new WorkflowError(
    'STORAGE',
    `The session database has schema version ${found}, this program knows ${known}: a newer one wrote it. Use that one, or name another ${place}.`,
    { data: { reason: 'newer-schema', found, known } },
  );
}
