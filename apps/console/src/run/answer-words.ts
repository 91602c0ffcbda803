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

const channels: Readonly<Record<NonNullable<GivenAnswer['origin']>['channel'], string>> = {
  tool: 'a call of the agent',
  elicitation: "the agent's client, which asked its user",
  console: 'the console',
  'command-line': 'the command line',
  library: 'a program',
};

const worth: Readonly<Record<NonNullable<GivenAnswer['origin']>['assurance'], string>> = {
  agent: "the agent's word",
  client: "the client's word",
  account: 'an account',
};

/** How an answer came, and who vouches for it. */
export function howAnswered({
  channel,
  principal,
  credential,
  assurance,
}: NonNullable<GivenAnswer['origin']>): string {
  return [
    `Through ${channels[channel]}`,
    ...(principal === undefined ? [] : [`principal ${principal}`]),
    ...(credential === undefined ? [] : [`credential ${credential}`]),
    `assurance: ${worth[assurance]}`,
  ].join(', ');
}
