import type { RunRow } from '@workflowlookup/console/contract';
import type { Glance, Operator, SessionRow } from '@workflowlookup/core';
import { idInCommand, WorkflowError } from '@workflowlookup/schema';

/** A run as a list shows it. */
export function runRow({ session, ...glance }: Glance): RunRow {
  return { ...rowOf(session), ...glance };
}

/** Runs that were found, as a list shows them; one that is damaged keeps none of the others from being shown. */
export async function runRows(
  operator: Pick<Operator, 'glance'>,
  sessions: readonly SessionRow[],
): Promise<readonly RunRow[]> {
  const rows = await Promise.all(
    sessions.map(async (session) => {
      try {
        const glance = await operator.glance(session.sid);
        return glance && runRow(glance);
      } catch (error) {
        // A problem with one must not hide the others.
        const problem =
          error instanceof WorkflowError
            ? error.message
            : `Session '${session.sid}' can't be read. Look at it with "workflowlookup sessions verify ${idInCommand(session.sid)}".`;
        return { ...rowOf(session), title: session.workflowId, progress: { done: 0, of: 0 }, problem };
      }
    }),
  );
  return rows.filter((row) => row !== undefined);
}

function rowOf({ hash: _hash, digest: _digest, ...row }: SessionRow): Omit<SessionRow, 'hash' | 'digest'> {
  return row;
}
