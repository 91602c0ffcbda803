import type { GateAnswered, WaitingGate } from '../contract.ts';

/** How a checkpoint stopped waiting: by an answer from here, or one from elsewhere that came first. */
export interface Settled {
  readonly gate: WaitingGate;
  readonly how: 'answered' | 'conflict' | 'elsewhere';
  readonly text: string;
}

/** The same for the same question, and for no later one of its run. */
export function keyOf({ question: { sid, revision } }: WaitingGate): string {
  return `${sid} ${revision}`;
}

/** What an answer came to, as a sentence. */
export function answeredText({ question }: WaitingGate, { answer }: Pick<GateAnswered, 'answer'>): string {
  if (answer.kind === 'dismissed') return 'Its condition did not hold.';
  const option = question.checkpoint.options.find(({ id }) => id === answer.option);
  return `Answered: ${option?.label ?? answer.option}. The agent goes on.`;
}
