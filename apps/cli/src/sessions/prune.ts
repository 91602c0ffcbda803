import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { plainLine } from '../plain-text.ts';
import { readAge } from '../read-age.ts';
import type { Status } from '../read-option.ts';
import { columns } from '../render/columns.ts';
import { momentText } from '../render/times.ts';
import type { CommandContext } from './with-operator.ts';

/** What `prune` takes. */
export interface PruneOptions {
  readonly before: string;
  readonly status?: readonly Status[];
  readonly dryRun?: boolean;
}

/** Drops old sessions, or says which it would. */
export async function prune(
  { operator, state, answer }: CommandContext,
  { before, status = ['completed'], dryRun = false }: PruneOptions,
): Promise<ExitCode> {
  const request = { before: readAge(before), statuses: status };
  if (!dryRun) {
    const count = state.isMade() ? await operator.prune(request) : 0;
    await answer({ ...request, pruned: count }, () => `${countOf(count)} dropped.`);
    return exitCodes.ok;
  }
  const sessions = state.isMade() ? await operator.prunable(request) : [];
  const rows = sessions.map((one) => [
    one.sid,
    one.status,
    momentText(one.updatedAt),
    plainLine(one.workflowId),
  ]);
  await answer({ ...request, sessions }, () =>
    [...(rows.length === 0 ? [] : [columns(rows)]), `${countOf(rows.length)} would be dropped.`].join('\n'),
  );
  return exitCodes.ok;
}

function countOf(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`;
}
