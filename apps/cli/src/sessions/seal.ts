import type { Verification } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { plainLine } from '../plain-text.ts';
import { columns } from '../render/columns.ts';
import { everySid } from './every-sid.ts';
import { sessionOf } from './session-of.ts';
import type { CommandContext } from './with-operator.ts';

/** Options of `sessions seal`. */
export interface SealOptions {
  readonly all?: boolean;
  readonly lostKey?: string;
}

/**
 * Seals sessions with the key that signs now: those without a seal, or sealed by a key that was lost, once a person said at
 * a terminal that they are right; the others without a question.
 */
export async function seal(
  context: CommandContext,
  session: string | undefined,
  { all = false, lostKey }: SealOptions,
): Promise<ExitCode> {
  const { operator, state } = context;
  if (all === (session !== undefined))
    throw new WorkflowError('INVALID_PARAMS', 'Name a session to seal, or say --all.');
  const sids: string[] = [];
  if (session !== undefined) sids.push(await sessionOf(context, session));
  else if (state.isMade()) for await (const sid of everySid(operator)) sids.push(sid);
  const found: Verification[] = [];
  for (const sid of sids) found.push(await operator.verify(sid));
  await vouch(
    context,
    found.filter(({ problems }) => problems.length > 0),
  );
  const sealed: { readonly sid: string; readonly how: string; readonly problem?: string }[] = [];
  for (const sid of sids) {
    try {
      sealed.push(await operator.seal(sid, lostKey === undefined ? {} : { lostKey }));
    } catch (error) {
      if (!(error instanceof WorkflowError) || !all) throw error;
      sealed.push({ sid, how: 'refused', problem: error.message });
    }
  }
  const refused = sealed.filter(({ how }) => how === 'refused').length;
  await context.answer({ ok: refused === 0, sealed }, () =>
    [
      ...(sealed.length === 0 ? [] : [columns(sealed.map((one) => [one.how, one.sid, one.problem ?? '']))]),
      `Sealed ${sealed.length - refused}, refused ${refused}.`,
    ].join('\n'),
  );
  return refused === 0 ? exitCodes.ok : exitCodes.findings;
}

/** A person has to say so, and an agent must not: this is asked at a terminal, whatever the flags. */
async function vouch({ terminal }: CommandContext, doubtful: readonly Verification[]): Promise<void> {
  if (doubtful.length === 0) return;
  if (!terminal.isInteractive)
    throw new WorkflowError(
      'INVALID_PARAMS',
      `Run this at a terminal: a person has to vouch for ${doubtful.length} of these sessions, and standard input is not a terminal.`,
    );
  const rows = doubtful.map(({ sid, events, problems }) => [
    sid,
    `${events} events`,
    plainLine(problems[0]?.message ?? ''),
  ]);
  await terminal.print(`${columns(rows)}\n`);
  const asked = `Nothing proves what these ${doubtful.length} sessions hold. Seal them as they are? Type "seal": `;
  if ((await terminal.ask(asked))?.trim() !== 'seal')
    throw new WorkflowError('INVALID_PARAMS', 'Nothing was sealed.');
}
