import { WorkflowError } from '@workflowlookup/schema';

/** What would do about a database that is damaged. */
export const damageRemedy = 'Restore it from a backup, or move it away to start anew';

/** Says that what is stored is not what was stored. */
export function damagedStore(
  what: string,
  { reason = 'corrupt' }: { readonly reason?: 'corrupt' | 'unauthentic' } = {},
): WorkflowError {
  return new WorkflowError('STORAGE', `The session database is damaged: ${what}. ${damageRemedy}.`, {
    data: { reason },
  });
}
