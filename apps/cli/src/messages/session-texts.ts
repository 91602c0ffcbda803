import { counted } from '../terminal/plain-text.ts';

/** Titles of the parts of a session, a question or a statement. Titles of one word are in the code. */
export const sectionTitles = {
  notDone: 'Not done',
  toReview: 'To review: decided without asking',
  waits: 'Waits for an answer',
  values: 'Values in this question: text between « and » does not come from the workflow',
  submitted: 'Submitted by agents before this',
  taken: 'Decided without asking',
  stepsNotDone: 'Steps that were not done',
} as const;

/** What a session is and how it came about, and what a statement says of it. */
export const sessionTexts = {
  session: (sid: string) => `session ${sid}`,
  state: (workflow: string, enforcement: string, status: string, at: string | undefined) =>
    `${workflow}, ${enforcement}: ${status}${at === undefined ? '' : ` at '${at}'`}`,
  lifetime: (start: string, agent: string, folder: string | undefined, change: string) =>
    `started ${start} by ${agent}${folder === undefined ? '' : ` in ${folder}`}; last changed ${change} (UTC)`,
  childOf: (sid: string, workflow: string) => `a child of ${sid} (${workflow})`,
  parked: (at: string, until: string | undefined, who: string, reason: string) =>
    `parked ${at}${until === undefined ? '' : ` until ${until}`} by ${who}: "${reason}"`,
  unauthenticated: (why: string) => `not authenticated (${why}): it can be read but not continued`,
  sealed: (at: string, by: string) => `sealed ${at} by ${by}, who vouched for what it held`,
  imported: (at: string, by: string, owner: string, exported: string, isSealed: boolean) =>
    `imported ${at} by ${by}; it was ${owner}'s${exported}; ${isSealed ? 'sealed by a key of this server' : 'no key of this server sealed it: it can be read but not continued'}`,
  exportedBy: (by: string) => `, exported by ${by}`,
  dependsOnAnswer: 'depends on the answer',
  times: (count: number) => `${count} times`,
  refused: (calls: number) => `${calls} refused`,
  read: (tokens: string) => `read ${tokens} tokens`,
  moved: (event: number, from: string, to: string, warning: string) =>
    `event ${event}, ${from} → ${to}: ${warning}`,
  chainWhole: (events: number) => `The chain of its ${counted(events, 'event')} is whole.`,
  chainBroken: (event: number) =>
    `The chain is broken at event ${event}: its content is not what was sealed.`,
  stated: (workflow: string, enforcement: string, status: string, events: number) =>
    `${workflow}, ${enforcement}: ${status} after ${counted(events, 'event')}`,
  statedTimes: (start: string, change: string, signed: string) =>
    `started ${start}, last changed ${change}, signed ${signed} (UTC)`,
  commit: (commit: string) => `commit ${commit}`,
  sealedLater: (by: string) => `sealed later by ${by}, who vouched for what it held`,
  ignored: (warnings: string) => `the agent ignored ${warnings}`,
  unset: 'unset',
  fromStart: 'as it was at the start',
  set: (who: string, event: number) => `set ${who} at event ${event}`,
  byAnswer: (checkpoint: string | undefined, person: string | undefined) =>
    `by the answer to ${checkpoint ?? 'a checkpoint'}${person === undefined ? '' : ` of ${person}`}`,
} as const;

/** Who set a variable, unless it was an answer. */
export const setterTexts = {
  agent: 'by an agent',
  action: 'by the workflow',
  mode: 'by a mode of the workflow',
  default: 'by default',
  trigger: 'by the parent session',
  unknown: 'by an unknown author',
} as const;

/** Who did something. */
export const whoTexts = { agent: 'the agent', hook: 'a hook of its client', human: 'a person' } as const;

/** Checkpoints, their options and their answers. */
export const answerTexts = {
  place: (checkpoint: string, activity: string) => `${checkpoint} of ${activity}`,
  asked: (checkpoint: string, activity: string, workflow: string, sid: string, byPerson: boolean) =>
    `${checkpoint} of '${activity}' in ${workflow}, session ${sid}${byPerson ? ', answered by a person' : ''}`,
  definition: (source: string | undefined, digest: string) =>
    `definition${source === undefined ? '' : ` from ${source}`}, ${digest}`,
  sets: (name: string, value: string) => `sets ${name} to ${value}`,
  leadsTo: (activity: string) => `continues with ${activity}`,
  skips: (activities: string) => `skips ${activities}`,
  notAnswered: 'not answered',
  answered: (answer: string, who: string) => `${answer} by ${who}`,
  waited: (span: string) => ` after ${span}`,
  byTimer: (option: string) => `${option} (by its timer)`,
  dismissed: 'dismissed',
  server: 'the server, without asking',
  passedOn: ', and the agent passed on',
  imported: ' (imported, not decided here)',
  otherQuestion: ' (WARNING: the question is no longer the one that was answered)',
  through: (channel: string) => `through ${channel}`,
  principal: (principal: string) => `principal ${principal}`,
  credential: (credential: string) => `credential ${credential}`,
} as const;

/** How much an answer of a person is worth. */
export const assuranceTexts = {
  agent: 'passed on by the agent',
  client: "reported by the agent's client",
  account: 'from an account',
} as const;

/** Outputs that agents submitted, and steps that they did not do. */
export const outputTexts = {
  event: (event: number) => `event ${event}`,
  heading: (place: string, event: number, state: string) => `${place}: event ${event}, ${state}`,
  valid: ', meets its criteria',
  invalid: ', misses its criteria',
  notDone: (reason: string) => `not done: ${reason}`,
  notProved: (reason: string) => `done, but not proved: ${reason}`,
  notProvedStep: (reason: string) => `Done, but not proved: ${reason}`,
  cut: (count: number) => `… ${count} more ${count === 1 ? 'character' : 'characters'}`,
  isPart: 'This is a part; --json has everything.',
  isPartOf: (id: string) => `This is a part. See everything: workflowlookup sessions show ${id} --json`,
} as const;

/** The events of a session. */
export const eventTexts = {
  started: (workflow: string, version: string) => `started on ${workflow} ${version}`,
  entered: (activity: string, steps: string) => `entered ${activity}${steps}`,
  yielded: (checkpoint: string) => `stopped at checkpoint ${checkpoint}`,
  answered: (checkpoint: string, answer: string) => `checkpoint ${checkpoint} answered ${answer}`,
  evidence: (evidence: string, outcome: string, level: string) =>
    `evidence ${evidence} ${outcome} (${level})`,
  completed: (steps: string) => `completed${steps}`,
  abandoned: (person: string | undefined) => `abandoned${person === undefined ? '' : ` by ${person}`}`,
  parked: (who: string, reason: string) => `parked by ${who}: ${reason}`,
  resumed: (who: string) => `resumed by ${who}`,
  after: (activity: string, steps: string) => ` after ${activity}${steps === '' ? '' : ` (${steps})`}`,
  warning: (text: string) => `warning: ${text}`,
} as const;
