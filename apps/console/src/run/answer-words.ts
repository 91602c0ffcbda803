import type { GateAnswered, Run } from '../contract.ts';

type GivenAnswer = NonNullable<Run['story']['gates'][number]['answered']>;

/** An answer in a word or two. */
export function answerWord(answer: GateAnswered['answer']): string {
  if (answer.kind === 'dismissed') return 'its condition did not hold';
  return answer.kind === 'option' ? answer.option : `${answer.option}, by itself`;
}

/** Who gave an answer. */
export function whoAnswered({ person, by }: Pick<GivenAnswer, 'person' | 'by'>): string {
  return person ?? (by === 'human' ? 'a person' : 'the agent');
}
