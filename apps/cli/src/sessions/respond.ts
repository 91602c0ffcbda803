import type { Question } from '@workflowlookup/core/operator';
import { idInCommand, WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../commands/command-line.ts';
import { checkpointMessages, sessionMessages } from '../messages/sessions.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { requireConfirmation } from '../terminal/terminal.ts';
import type { SessionsContext } from './context.ts';
import { sessionOf } from './context.ts';
import { answerText, evidenceFor, evidenceText, questionText } from './question-text.ts';

export interface RespondOptions {
  /** The answer, which may also be an argument. */
  readonly option?: string;
  readonly note?: string;
  /** Confirms an option that can't be undone. */
  readonly yes?: boolean;
}

export async function respond(
  context: SessionsContext,
  session: string,
  chosen: string | undefined,
  options: RespondOptions,
): Promise<ExitCode> {
  const { operator } = context;
  const named = namedOption(chosen, options);
  const sid = await sessionOf(context, session);
  const question = await waitingQuestion(operator, sid);
  const option = question === undefined ? named : await decide(context, question, named);
  const effect = question?.checkpoint.options.find(({ id }) => id === option);
  if (effect?.irreversible === true) await confirmIrreversible(context, effect.id, options);
  const note = options.note ?? (effect?.note === 'required' ? await askNote(context) : undefined);
  const revision = question?.revision ?? (await lastQuestion(context, sid));
  if (option === undefined) throw noQuestion(sid);
  const answered = await operator.respond(sid, {
    mode: { kind: 'option', option },
    revision,
    ...(note === undefined ? {} : { note }),
  });
  return context.answer({ sid, ...answered }, () =>
    plainLine(checkpointMessages.answered(answered.checkpoint, sid, answerText(answered.answer))),
  );
}

/** Asks for the note that the option requires. Without a terminal, the server refuses the answer. */
function askNote({ terminal }: SessionsContext): Promise<string | undefined> {
  return terminal.isInteractive ? terminal.ask(checkpointMessages.note) : Promise.resolve(undefined);
}

async function confirmIrreversible(
  { terminal }: SessionsContext,
  option: string,
  { yes = false }: RespondOptions,
): Promise<void> {
  await requireConfirmation(terminal, {
    yes,
    question: checkpointMessages.confirmIrreversible(plainLine(option)),
    needed: checkpointMessages.irreversible(plainLine(option)),
    declined: checkpointMessages.notChosen,
  });
}

function namedOption(chosen: string | undefined, { option }: RespondOptions): string | undefined {
  if (chosen === undefined || option === undefined || chosen === option) return chosen ?? option;
  throw new WorkflowError('INVALID_INPUT', checkpointMessages.twoAnswers(chosen, option));
}

/** Returns the checkpoint that blocks a session, or `undefined`. */
export async function waitingQuestion(
  operator: Pick<SessionsContext['operator'], 'present'>,
  sid: string,
): Promise<Question | undefined> {
  try {
    return await operator.present(sid);
  } catch (error) {
    if (error instanceof WorkflowError && error.code === 'INVALID_STATE') return undefined;
    throw error;
  }
}

/**
 * Returns the revision of the last answered checkpoint. Answering it again with the same option succeeds; another
 * option is a conflict.
 */
async function lastQuestion({ operator }: SessionsContext, sid: string): Promise<number> {
  const events = await operator.events(sid);
  const asked = events.findLast(({ event }) => event.type === 'checkpoint-yielded');
  if (asked === undefined) throw noQuestion(sid);
  return asked.revision;
}

function noQuestion(sid: string): WorkflowError {
  return new WorkflowError('INVALID_STATE', checkpointMessages.noneWaiting(sid, idInCommand(sid)));
}

/** Returns the option that was named, or that the person chooses. */
async function decide(
  { operator, terminal }: SessionsContext,
  question: Question,
  named: string | undefined,
): Promise<string> {
  const { checkpoint, answeredBy } = question;
  const needsHuman = answeredBy === 'person';
  const ids = checkpoint.options.map(({ id }) => id);
  const { nameOption, needsTerminal, noOption } = checkpointMessages;
  const command = `workflowlookup sessions respond ${idInCommand(question.sid)}`;
  if (needsHuman && !terminal.isInteractive)
    throw new WorkflowError('HUMAN_REQUIRED', needsTerminal(checkpoint.id, command));
  if (named !== undefined && !ids.includes(named))
    throw new WorkflowError('INVALID_INPUT', noOption(checkpoint.id, named, ids.join(', ')));
  if (named !== undefined && !needsHuman) return named;
  if (!terminal.isInteractive)
    throw new WorkflowError('INVALID_INPUT', nameOption(checkpoint.id, ids.join(', ')));
  const evidence = evidenceText(await evidenceFor(operator, question), question.sid, terminal.paint);
  await terminal.warn(`${evidence === '' ? '' : `${evidence}\n`}${questionText(question, terminal)}\n`);
  const chosen = named === undefined ? await choose(terminal, ids) : await confirm(terminal, named);
  if (chosen !== undefined) return chosen;
  throw new WorkflowError('CANCELLED', checkpointMessages.notChosen);
}

type Asker = SessionsContext['terminal'];

/** Asks until the person names an option by its number or id. */
async function choose(terminal: Asker, ids: readonly string[]): Promise<string | undefined> {
  for (;;) {
    const text = await terminal.ask(checkpointMessages.question(ids.length));
    if (text === undefined) return undefined;
    const found = ids.find((id) => id === text) ?? (/^\d+$/.test(text) ? ids[Number(text) - 1] : undefined);
    if (found !== undefined) return found;
  }
}

async function confirm(terminal: Asker, option: string): Promise<string | undefined> {
  const text = await terminal.ask(checkpointMessages.confirm(plainLine(option)));
  return /^y(es)?$/i.test(text ?? '') ? option : undefined;
}

export interface AbandonOptions {
  readonly yes?: boolean;
}

export async function abandon(
  context: SessionsContext,
  session: string,
  { yes = false }: AbandonOptions,
): Promise<ExitCode> {
  const { operator, terminal } = context;
  const sid = await sessionOf(context, session);
  await requireConfirmation(terminal, {
    yes,
    question: sessionMessages.abandonQuestion(sid),
    needed: sessionMessages.toAbandon,
    declined: sessionMessages.notAbandoned,
  });
  const written = await operator.abandon(sid);
  return context.answer({ sid, outcome: 'abandoned', ...written }, () => sessionMessages.abandoned(sid));
}

export interface ParkOptions {
  readonly reason: string;
  readonly until?: string;
}

export async function park(
  context: SessionsContext,
  session: string,
  { reason, until }: ParkOptions,
): Promise<ExitCode> {
  const sid = await sessionOf(context, session);
  const written = await context.operator.park(sid, { reason, ...(until === undefined ? {} : { until }) });
  return context.answer({ sid, outcome: 'parked', ...written }, () => sessionMessages.parked(sid));
}

export async function unpark(context: SessionsContext, session: string): Promise<ExitCode> {
  const sid = await sessionOf(context, session);
  const written = await context.operator.unpark(sid);
  return context.answer({ sid, outcome: 'resumed', ...written }, () => sessionMessages.unparked(sid));
}
