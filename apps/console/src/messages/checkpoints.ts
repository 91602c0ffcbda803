import type { CheckpointAnswered, SessionDetail, WaitingCheckpoint } from '../contract/index.ts';

type RecordedAnswer = NonNullable<SessionDetail['history']['checkpoints'][number]['answered']>;
type OptionOutcome = WaitingCheckpoint['question']['outcomes'][number];
type AnswerOrigin = NonNullable<RecordedAnswer['origin']>;
type ShownValue = WaitingCheckpoint['question']['values'][number];

const answerStates: Readonly<Record<string, string>> = {
  held: 'answering',
  sending: 'sending',
  sent: 'answered',
  unreachable: 'not sent',
  conflict: 'answered',
  refused: 'not accepted',
  gone: 'answered',
};

/** The texts about checkpoints: the list, the question, the evidence, the answer and the notifications. */
export const checkpointMessages = {
  page: {
    title: 'Checkpoints',
    lead: 'Questions that agents ask people.',
    list: 'Waiting checkpoints',
    detail: 'The chosen checkpoint',
    back: 'All checkpoints',
    next: 'Next checkpoint',
    empty: 'No checkpoint needs an answer',
    emptyNext: 'A checkpoint appears here as soon as an agent reaches it.',
    notWaiting: 'This session waits at no checkpoint',
    answers: 'See its answers',
    count: (count: number, all: number) =>
      count === all ? `${count} waiting` : `${count} of ${all} waiting`,
    noneUrgent: (count: string) => `${count}, none is urgent`,
    shortcuts: 'for shortcuts',
    fresh: (count: number) => `${count} new`,
    removeGone: (count: number) => `Hide ${count} answered`,
  },
  answered: {
    views: 'Show',
    waiting: 'Waiting',
    view: 'Answered',
    lead: 'What people answered, newest first.',
    list: 'Answered checkpoints',
    empty: 'Nobody has answered a checkpoint yet',
    noMatch: 'No answer matches these filters',
    searchHint: 'Checkpoint, option, note, person, session',
    who: 'Who answered',
    me: 'me',
    by: (who: string) => `Answered by ${who}, `,
    session: (session: string) => `Session: ${session}`,
    received: 'received by the agent',
    notReceived: 'not yet received',
    more: 'These are the answers in the 100 sessions that changed last. Search to find older ones.',
    moreFound: 'More sessions match. These are the answers in the 100 of them that changed last.',
  },
  list: {
    label: 'Checkpoints',
    none: 'No checkpoint matches these filters.',
    noneShown: 'No checkpoint is shown',
    needsPerson: 'needs a person',
    urgent: 'urgent',
    timer: 'An agent may take the default option in',
    agent: (agent: string) => `agent ${agent}`,
    session: (sid: string) => `session ${sid} · `,
    draft: 'draft',
    states: (state: string) => answerStates[state] ?? 'answered',
  },
  filters: {
    search: 'Search',
    searchHint: 'Question, session, workflow, agent',
    more: (workflow: string | undefined) =>
      workflow === undefined ? 'Order and filters' : `Order and filters: ${workflow}`,
    order: 'Order',
    oldest: 'oldest first',
    orders: { urgent: 'urgent first', newest: 'newest first' },
    group: 'Group by',
    noGroup: 'nothing',
    groups: { workflow: 'workflow', folder: 'folder', agent: 'agent' },
    workflow: 'Workflow',
    anyWorkflow: 'any workflow',
    needs: 'Needs a person',
    anyAnswer: 'yes or no',
    person: 'yes',
    clear: 'Clear the filters',
    anybody: 'anybody',
  },
  keys: {
    list: 'List of checkpoints',
    next: 'Next checkpoint',
    previous: 'Previous checkpoint',
    pageDown: 'Scroll the question down (or Space)',
    pageUp: 'Scroll the question up (or Shift+Space)',
    refresh: 'Show new checkpoints, hide answered ones',
    search: 'Search',
    answer: 'Answer',
    choose: 'Choose an option (1 to 9)',
    note: 'Write a note',
    send: 'Answer',
    takeBack: 'Take the last answer back',
  },
  detail: {
    needsPerson: 'needs a person',
    answered: (option: string | undefined) => (option === undefined ? 'answered' : `answered: ${option}`),
    asked: 'asked',
    activity: (activity: string) => ` · ${activity}`,
    agent: (agent: string) => ` · agent ${agent}`,
    lastCall: ', last called ',
    mayAnswer: {
      person: 'Who may answer: only a person, here or on the command line.',
      user: 'Who may answer: a person, or the agent after it has asked its user.',
      agent: 'Who may answer: a person, or the agent itself.',
    },
    origin: 'Where this question comes from',
    definition: 'Definition',
    source: (source: string) => ` from the source ${source}`,
    sessionId: 'Session',
    folder: 'Folder',
    copyFolder: 'Copy the path of the folder',
    session: 'See the session',
  },
  review: {
    taken: (count: number) =>
      count === 1
        ? 'To review: a decision was taken without asking'
        : `To review: ${count} decisions were taken without asking`,
    takenCheckpoint: (activity: string, checkpoint: string, option: string) =>
      `${checkpoint} of ${activity}: ${option}`,
    notDone: (count: number) =>
      count === 1 ? 'A step was not done or not proved' : `${count} steps were not done or not proved`,
    notDoneStep: (
      activity: string,
      step: string,
      by: { readonly reason: string; readonly isDone: boolean },
    ) =>
      `${step === activity ? step : `${step} of ${activity}`}, ${by.isDone ? 'done but not proved' : 'not done'}: ${by.reason}`,
  },
  refused: {
    title: (count: number) =>
      count === 1
        ? 'The server refused a call of the agent in this activity'
        : `The server refused ${count} calls of the agent in this activity`,
    more: (count: number) => `and ${count} more`,
    timeline: 'Show in the timeline',
  },
  proof: {
    title: 'What is proved',
    proved: 'Proved',
    notProved: 'Not proved',
    nothing: 'Nothing is proved',
    claimed: 'Only claimed',
    outputs: (count: number) => (count === 1 ? '1 output of the agent' : `${count} outputs of the agent`),
  },
  question: {
    values: 'Values in this question',
    columns: { variable: 'Variable', value: 'Value', origin: 'Set by' },
  },
  collected: {
    details: 'What was found',
    status: {
      passed: 'Passed',
      claimed: 'Claimed only',
      'not-configured': 'Nothing was proved: the project has no such check',
      missing: 'Missing',
      failed: 'Failed',
      stale: 'Stale: the files have changed since',
      weak: 'Too weak',
      unseen: 'This server can’t see the files',
    },
    level: 'Level',
    levelOf: (found: string, asked?: string) =>
      asked === undefined || asked === found ? found : `${found} (the step asks for ${asked})`,
    files: 'Files',
    commandOf: (id: string) => `Command of ${id}`,
    output: 'Last lines of the output:',
    outputOf: (id: string) => `Last lines of the output of ${id}`,
  },
  evidence: {
    title: 'What the agent did',
    none: 'The agent submitted no output before this checkpoint.',
    of: (activity: string) => ` · ${activity}`,
    variables: 'Changed variables',
    refusedBefore: (count: number) =>
      `Earlier, the server refused an output of this step ${count === 1 ? 'once' : `${count} times`} because it did not meet the criteria.`,
    seeRefused: 'See what it refused',
    earlier: (who: string, answer: string, count: number) =>
      count === 1
        ? `Asked again. Last time ${who} answered “${answer}”,`
        : `Asked for the ${count + 1}th time. Last time ${who} answered “${answer}”,`,
  },
  answer: {
    options: 'Options',
    note: 'Note for the agent',
    noteRequired: 'Note for the agent (required)',
    noteMissing: 'This option requires a note. Write what the agent should know.',
    needsNote: 'Requires a note.',
    irreversible: 'Can’t be undone',
    last: 'Nobody is asked again',
    relayed: 'Passed on by the agent:',
    received: 'The agent has received it, ',
    notReceived: 'The agent gets it with its next call. Until then, the session waits.',
    lastCall: 'The agent last called ',
    choose: 'Choose an option',
    send: (option: string) => `Answer: ${option}`,
    hint: 'You can take it back for 5 seconds, unless you close or reload the page.',
    hintIrreversible:
      'You must confirm it. Then you can take it back for 5 seconds, unless you close or reload the page.',
    readOnly: 'You are signed in to read. Answering a checkpoint requires the scope checkpoints:respond.',
    automatic: ' If nobody answers, the agent can choose this option by itself in ',
    confirmTitle: (option: string) => `Answer with “${option}”?`,
    confirmSession: (session: string, checkpoint: string) => `${session}: ${checkpoint}`,
    confirmText: 'Once the answer is sent, it can’t be undone. It is sent 5 seconds after you confirm.',
    confirm: (option: string) => `Answer: ${option}`,
    cancel: 'Cancel',
    elsewhere: 'This checkpoint no longer needs an answer. It was answered or its session ended.',
  },
  outbox: {
    title: 'Your answers',
    states: {
      held: (option: string) => `Answer: ${option}`,
      sending: (option: string) => `Sending: ${option}`,
      sent: (option: string) => `Answered: ${option}.`,
      unreachable: (option: string) => `Not sent: ${option}`,
      conflict: () => 'Somebody else answered first',
      refused: (option: string) => `Not accepted: ${option}`,
    },
    sentIn: (seconds: number) => `It is sent in ${seconds} s.`,
    note: (note: string) => `With the note: ${note}`,
    dismissed: 'The condition of this checkpoint is no longer true, so it needed no answer.',
    irreversible: {
      held: 'Once it is sent, it can’t be undone.',
      sent: 'This can’t be undone.',
    },
    takeBack: 'Take back',
    sendNow: 'Send now',
    retry: 'Send again',
    discard: 'Discard the answer',
    again: 'Back to the options',
    session: 'See the session',
    takenBack: 'Taken back. Nothing was sent.',
    alreadySent: (option: string) => `“${option}” was already sent. It can no longer be taken back.`,
    close: 'Close this message',
  },
  notifications: {
    forbidden: 'Your browser’s settings block notifications. Allow them for this page to be notified.',
    button: 'Notify me',
    title: (session: string) => `${session} needs an answer`,
  },
} as const;

/** Returns the chosen option. `labels` has the labels of the options by id. */
export function answerText(
  answer: CheckpointAnswered['answer'],
  labels: Readonly<Record<string, string>> = {},
): string {
  if (answer.kind === 'dismissed') return 'not needed, condition is false';
  const label = labels[answer.option] ?? answer.option;
  return answer.kind === 'option' ? label : `${label} (chosen automatically)`;
}

/** Returns whether a person's answer reached the server without the agent, which then gets it with a call of its own. */
export function isForAgent({ by, origin }: Pick<RecordedAnswer, 'by' | 'origin'>): boolean {
  return by === 'human' && !['tool', 'elicitation', 'autonomy'].includes(origin?.channel ?? '');
}

export function answeredBy({ person, by, origin }: Pick<RecordedAnswer, 'person' | 'by' | 'origin'>): string {
  if (origin?.channel === 'autonomy') return 'the server, without asking';
  return person ?? (by === 'human' ? 'a person' : 'the agent');
}

const channelNames: Readonly<Record<AnswerOrigin['channel'], string>> = {
  tool: 'a tool call of the agent',
  elicitation: 'the agent’s client',
  console: 'the console',
  'command-line': 'the command line',
  http: 'a request to the server',
  library: 'a program',
  autonomy: 'the autonomy of the server: nobody was asked',
};

/** Returns how an answer reached the server, and how far the server knows who gave it. */
export function answerOrigin({ channel, principal, credential, assurance }: AnswerOrigin): string {
  const through = `Through ${channelNames[channel]}`;
  if (channel === 'autonomy') return through;
  const account = [
    ...(principal === undefined ? [] : [`signed in as ${principal}`]),
    ...(credential === undefined ? [] : [`credential ${credential}`]),
  ].join(', ');
  // A program that embeds the server names the person itself.
  if (channel === 'library' && account === '') return `${through}, which says who answered`;
  if (assurance === 'account')
    return `${through}. The server knows who answered${account === '' ? '' : `: ${account}`}`;
  const connection = account === '' ? '' : ` (${account})`;
  return assurance === 'client'
    ? `Reported by the agent’s client${connection}. The server can’t check that a person answered`
    : `${through}${connection}. The server can’t check who answered`;
}

/** Says where the session goes with an option, in the words of the workflow. */
export function outcomeText(outcome: OptionOutcome | undefined, skipped: readonly string[]): string {
  const { next = [], canEnd = false, path } = outcome ?? {};
  const names = [...next.map(({ name }) => `“${name}”`), ...(canEnd ? ['the end of the session'] : [])];
  return [
    ...(path === undefined ? [] : [pathText(path)]),
    ...(path !== undefined || names.length === 0 ? [] : [`Next: ${names.join(' or ')}.`]),
    ...(skipped.length === 0 ? [] : [skippedText(skipped)]),
  ].join(' ');
}

/** Says which activities follow, and what a person is asked after them. */
function pathText({ activities, stop, checkpoint = '' }: NonNullable<OptionOutcome['path']>): string {
  const way = `Next activity: ${activities.map(({ name }) => `“${name}”`).join(', then ')}`;
  switch (stop) {
    case 'asks':
      return `${way}, which asks “${checkpoint}”.`;
    case 'may-ask':
      return `${way}, which may ask “${checkpoint}”.`;
    case 'end':
      return `${way}.`;
    case 'open':
      return `${way}. Further activities can follow.`;
  }
}

const maxSkipped = 3;

function skippedText(skipped: readonly string[]): string {
  return skipped.length > maxSkipped ? `Skips ${skipped.length} activities.` : `Skips ${skipped.join(', ')}.`;
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
