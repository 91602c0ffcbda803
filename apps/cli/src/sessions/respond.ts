import type { Question } from '@workflowlookup/core';
import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from '../exit-codes.ts';
import { exitCodes } from '../exit-codes.ts';
import { plainLine } from '../plain-text.ts';
import { answerText } from './answer-text.ts';
import { evidenceFor, evidenceText } from './evidence-text.ts';
import { questionText } from './question-text.ts';
import { sessionOf } from './session-of.ts';
import type { CommandContext } from './with-operator.ts';

/** What `respond` takes. */
export interface RespondOptions {
  /** The answer, as an argument and as an option. */
  readonly chosen?: string;
  readonly option?: string;
  readonly note?: string;
}

/** Answers the checkpoint a session waits at. */
export async function respond(
  context: CommandContext,
  session: string,
  options: RespondOptions,
): Promise<ExitCode> {
  const { operator } = context;
  const named = namedOption(options);
  const sid = await sessionOf(context, session);
  const question = await waitingQuestion(operator, sid);
  const option = question === undefined ? named : await decide(context, question, named);
  const { note } = options;
  const revision = question?.revision ?? (await lastQuestion(context, sid));
  if (option === undefined) throw noQuestion(sid);
  const answered = await operator.respond(sid, {
    mode: { kind: 'option', option },
    revision,
    ...(note === undefined ? {} : { note }),
  });
  await context.answer(
    { sid, ...answered },
    () =>
      `Checkpoint ${plainLine(answered.checkpoint)} of session ${sid} is answered: ${answerText(answered.answer)}.`,
  );
  return exitCodes.ok;
}

function namedOption({ chosen, option }: RespondOptions): string | undefined {
  if (chosen === undefined || option === undefined || chosen === option) return chosen ?? option;
  throw new WorkflowError('INVALID_PARAMS', `Give one answer: found '${chosen}' and --option '${option}'.`);
}

/** The checkpoint at which a session waits, or `undefined`. */
export async function waitingQuestion(
  operator: Pick<CommandContext['operator'], 'present'>,
  sid: string,
): Promise<Question | undefined> {
  try {
    return await operator.present(sid);
  } catch (error) {
    if (error instanceof WorkflowError && error.code === 'STATE') return undefined;
    throw error;
  }
}

/** Where no checkpoint waits, an answer can only be the one that was given to the last: it is told again, or a conflict. */
async function lastQuestion({ operator }: CommandContext, sid: string): Promise<number> {
  const events = await operator.events(sid);
  const asked = events.findLast(({ event }) => event.type === 'checkpoint-yielded');
  if (asked === undefined) throw noQuestion(sid);
  return asked.revision;
}

function noQuestion(sid: string): WorkflowError {
  return new WorkflowError('STATE', `No checkpoint of session '${sid}' waits for an answer.`);
}

/** The option to answer with: the one that was named, or what the person chooses. */
async function decide(
  { operator, terminal }: CommandContext,
  question: Question,
  named: string | undefined,
): Promise<string> {
  const { checkpoint, needsHuman } = question;
  const ids = checkpoint.options.map(({ id }) => id);
  if (needsHuman && !terminal.isInteractive)
    throw new WorkflowError(
      'HUMAN_REQUIRED',
      `Checkpoint '${checkpoint.id}' is answered by a person at a terminal, and standard input is none.`,
    );
  if (named !== undefined && !ids.includes(named))
    throw new WorkflowError(
      'INVALID_PARAMS',
      `Checkpoint '${checkpoint.id}' has no option '${named}'; there are: ${ids.join(', ')}.`,
    );
  if (named !== undefined && !needsHuman) return named;
  if (!terminal.isInteractive)
    throw new WorkflowError('INVALID_PARAMS', `Name the answer to '${checkpoint.id}': ${ids.join(', ')}.`);
  const evidence = evidenceText(await evidenceFor(operator, question), question.sid, terminal.paint);
  await terminal.warn(`${evidence === '' ? '' : `${evidence}\n`}${questionText(question, terminal)}\n`);
  const chosen = named === undefined ? await choose(terminal, ids) : await confirm(terminal, named);
  if (chosen !== undefined) return chosen;
  throw new WorkflowError('INVALID_PARAMS', 'No answer was chosen; nothing was changed.');
}

type Asker = CommandContext['terminal'];

/** Asks until one of the options is named, by its number or its id. */
async function choose(terminal: Asker, ids: readonly string[]): Promise<string | undefined> {
  for (;;) {
    const text = await terminal.ask(`Answer (1 to ${ids.length}, or its name): `);
    if (text === undefined) return undefined;
    const found = ids.find((id) => id === text) ?? (/^\d+$/.test(text) ? ids[Number(text) - 1] : undefined);
    if (found !== undefined) return found;
  }
}

async function confirm(terminal: Asker, option: string): Promise<string | undefined> {
  const text = await terminal.ask(`Answer ${plainLine(option)}? (y/N) `);
  return /^y(es)?$/i.test(text ?? '') ? option : undefined;
}
