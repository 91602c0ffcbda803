import type { AnsweredCheckpoint, SessionState } from './session-state.ts';

/** What a person wrote with an answer, in their own words. */
export interface PersonNote {
  readonly checkpoint: string;
  /** The chosen option. Absent if the checkpoint was dismissed. */
  readonly answer?: string;
  readonly words: string;
}

/**
 * Returns what persons wrote with their answers in this visit of the activity, oldest first, and with the last answer of
 * the session. The last answer may belong to an earlier activity: "Change the plan" leads back to the planning, and its
 * note says what to change.
 */
export function personNotes({
  answered,
  answeredBefore = [],
  lastAnswer,
}: Pick<SessionState, 'answered' | 'answeredBefore' | 'lastAnswer'>): readonly PersonNote[] {
  const here = [...answeredBefore, ...answered];
  const isHere = lastAnswer === undefined || here.some((one) => isSame(one, lastAnswer));
  return (isHere ? here : [lastAnswer, ...here]).flatMap(noteOf);
}

function isSame(one: AnsweredCheckpoint, other: AnsweredCheckpoint): boolean {
  return one.at === other.at && one.checkpoint === other.checkpoint && one.activity === other.activity;
}

function noteOf({ checkpoint, answer, note }: AnsweredCheckpoint): readonly PersonNote[] {
  if (note === undefined) return [];
  return [{ checkpoint, ...(answer.kind === 'dismissed' ? {} : { answer: answer.option }), words: note }];
}
