import { idInCommand } from '@workflowlookup/schema';
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
  const count = state.isMade() && !dryRun ? await operator.prune(request) : 0;
  const found = state.isMade() ? await operator.prunable(request) : { sessions: [], unauthentic: [] };
  const left = found.unauthentic.map(({ sid }) => sid);
  if (!dryRun) {
    await answer({ ...request, pruned: count, unauthentic: left }, () =>
      [`${countOf(count)} dropped.`, ...left.map(leftText)].join('\n'),
    );
    return exitCodes.ok;
  }
  const { sessions } = found;
  const rows = sessions.map((one) => [
    one.sid,
    one.status,
    momentText(one.updatedAt),
    plainLine(one.workflowId),
  ]);
  await answer({ ...request, sessions, unauthentic: left }, () =>
    [
      ...(rows.length === 0 ? [] : [columns(rows)]),
      `${countOf(rows.length)} would be dropped.`,
      ...left.map(leftText),
    ].join('\n'),
  );
  return exitCodes.ok;
}

function leftText(sid: string): string {
  return `Session ${plainLine(sid)} was left, because it can't be authenticated. Look at it with "workflowlookup sessions verify ${idInCommand(sid)}".`;
}

function countOf(count: number): string {
  return count === 1 ? '1 session' : `${count} sessions`;
}
