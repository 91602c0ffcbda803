import type { CheckpointAnswered, SessionDetail, WaitingCheckpoint } from '../contract.ts';

type RecordedAnswer = NonNullable<SessionDetail['story']['gates'][number]['answered']>;
type AnswerOrigin = NonNullable<RecordedAnswer['origin']>;
type ShownValue = WaitingCheckpoint['question']['values'][number];

/** The texts about checkpoints: the list, the question, the evidence, the answer and the notifications. */
export const checkpointMessages = {
  page: {
    title: 'Checkpoints',
    lead: 'Agents that wait for an answer.',
    list: 'Waiting checkpoints',
    empty: 'No checkpoint needs an answer',
    emptyNext: 'A checkpoint appears here as soon as an agent reaches it.',
    more: 'Show more',
  },
  card: {
    needsPerson: 'needs a person',
    asked: 'asked',
    in: ' in ',
    agent: (agent: string) => `, agent ${agent}`,
    definition: 'Definition ',
    source: (source: string) => ` from ${source}`,
    cutOff: 'This question is cut off here. Open its session to read all of it and to answer',
  },
  question: {
    values: 'Values in this question',
    columns: { variable: 'Variable', value: 'Value', origin: 'Set by' },
  },
  evidence: {
    none: 'The agent submitted no output before this checkpoint.',
    outputOf: 'Output of ',
    variables: 'Changed variables',
  },
  answer: {
    note: 'Note (stored with the answer)',
    readOnly: 'You are signed in to read. Answering a checkpoint requires the scope checkpoints:respond.',
    failed: 'The answer was not saved',
    automatic: ' The server chooses this option if nobody answers in time.',
    accepted: (option: string) => `Answered: ${option}. The agent can continue.`,
    conditionFalse: 'The condition of this checkpoint is no longer true, so it needs no answer.',
    conflict: (reason: string) => `Somebody else answered first. ${reason}`,
    elsewhere: 'This checkpoint no longer needs an answer. It was answered or its session ended.',
    seeSession: 'See the session',
    close: 'Close',
  },
  notifications: {
    forbidden: 'Your browser’s settings block notifications. Allow them for this page to be notified.',
    button: 'Notify me',
    title: (session: string) => `${session} needs an answer`,
  },
} as const;

export function answerText(answer: CheckpointAnswered['answer']): string {
  if (answer.kind === 'dismissed') return 'not needed, condition is false';
  return answer.kind === 'option' ? answer.option : `${answer.option} (chosen automatically)`;
}

export function answeredBy({ person, by }: Pick<RecordedAnswer, 'person' | 'by'>): string {
  return person ?? (by === 'human' ? 'a person' : 'the agent');
}

const channelNames: Readonly<Record<AnswerOrigin['channel'], string>> = {
  tool: 'a tool call of the agent',
  elicitation: 'the agent’s client, which asked its user',
  console: 'the console',
  'command-line': 'the command line',
  library: 'a program',
};

const assuranceNames: Readonly<Record<AnswerOrigin['assurance'], string>> = {
  agent: 'only the agent’s word',
  client: 'only the client’s word',
  account: 'an authenticated account',
};

/** Returns how an answer reached the server and what vouches for it. */
export function answerOrigin({ channel, principal, credential, assurance }: AnswerOrigin): string {
  return [
    `Through ${channelNames[channel]}`,
    ...(principal === undefined ? [] : [`principal ${principal}`]),
    ...(credential === undefined ? [] : [`credential ${credential}`]),
    `assurance: ${assuranceNames[assurance]}`,
  ].join(', ');
}

export function effectSentences(effect: CheckpointAnswered['effect']): readonly string[] {
  if (effect === undefined) return [];
  const { setVariable = {}, transitionTo, skipActivities = [] } = effect;
  return [
    ...Object.entries(setVariable).map(([name, value]) => `Sets ${name} to ${JSON.stringify(value)}.`),
    ...(transitionTo === undefined ? [] : [`Continues with ${transitionTo}.`]),
    ...(skipActivities.length === 0 ? [] : [`Skips ${skipActivities.join(', ')}.`]),
  ];
}

const valueOrigins: Readonly<Record<ShownValue['by'], string>> = {
  agent: 'set by the agent',
  checkpoint: 'set by an answer',
  action: 'set by an action or a loop',
  mode: 'set by a mode of the workflow',
  default: 'default of the workflow',
  trigger: 'passed by the parent session',
  unknown: 'origin not recorded',
};

export function valueOrigin({
  by,
  checkpoint,
  person,
}: Pick<ShownValue, 'by' | 'checkpoint' | 'person'>): string {
  if (checkpoint === undefined) return valueOrigins[by];
  return person === undefined
    ? `set by an answer to ${checkpoint}`
    : `set by ${person}’s answer to ${checkpoint}`;
}
