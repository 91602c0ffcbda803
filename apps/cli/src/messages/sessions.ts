import { counted } from '../terminal/plain-text.ts';

export const sessionMessages = {
  none: (id: string, place: string) =>
    `There is no session '${id}': no sessions are stored in ${place}. Use --state or --database if they are stored elsewhere.`,
  exported: (sid: string, file: string) => `Session ${sid} was exported to ${file}.`,
  exportUnsealed: (id: string) =>
    `The export has no seal because the session can't be authenticated or is incomplete. No server will continue it. See the problems: "workflowlookup sessions verify ${id}". If that finds nothing, "workflowlookup sessions verify --all" looks for rows that are hidden in the database.`,
  imported: (sid: string, events: number) =>
    `Session ${sid} was imported with ${counted(events, 'event')}. A server with the same keys exported it, so it can be continued here.`,
  importedUnsealed: (sid: string, events: number) =>
    `Session ${sid} was imported with ${counted(events, 'event')}. No key of this server sealed them, so it can be read but not continued.`,
  pruned: (sessions: string) => `Deleted ${sessions}.`,
  wouldPrune: (sessions: string) => `Would delete ${sessions}.`,
  notPruned: (sid: string, id: string) =>
    `Session ${sid} was not deleted because it can't be authenticated. Inspect it: "workflowlookup sessions verify ${id}"`,
  nameToVerify: 'Name a session or a file to verify, or use --all.',
  nameToSeal: 'Name a session to seal, or use --all.',
  unauthenticated:
    'Not authenticated: the keys of the servers are missing, or nothing was sealed with them. This finds accidental damage, but not changes by someone who can write to the database.',
  statementNeedsKey: 'A statement is signed. Name the private key with --key, and write --statement.',
  statementExcludes:
    '--all and --anchor can not be used with --statement. Name the sessions or files to compare with it.',
  stated: (sid: string, file: string) => `A signed statement of session ${sid} was written to ${file}.`,
  unfinishedStated: (sid: string, status: string) =>
    `Session ${sid} is ${status}, not completed. "sessions verify" refuses the statement unless --unfinished is given.`,
  signedBy: (signers: string) => `The signature is of the trusted key ${signers}.`,
  unsigned:
    'Nobody vouches for this: the signature was not checked, because no key is trusted. Name the public key of the signer with --trusted-key NAME=FILE.',
  unfinished: (status: string) => `The session was ${status} when it was signed, not completed.`,
  abandonedStated: 'The session was abandoned, so it was not completed.',
  otherSession: (found: string, expected: string) =>
    `The statement is about session ${found}, expected ${expected}.`,
  otherCommit: (found: string | undefined, expected: string) =>
    found === undefined
      ? `The statement is about no commit, because the files of its newest evidence equalled none. Expected ${expected}.`
      : `The statement is about commit ${found}, expected ${expected}.`,
  isNewer: (target: string, events: number) =>
    `${target} has ${events} more events than the statement. Nothing vouches for these.`,
  verified: (whole: number, broken: number) => `${whole} whole, ${broken} broken.`,
  nothingVerified: (place: string, isAnchored: boolean) =>
    `There are no sessions in ${place}, so nothing was checked. If there should be some, correct --state or --database${isAnchored ? '' : ', or add --anchor FILE, which names the deleted sessions'}.`,
  sealed: (sealed: number, refused: number) => `Sealed ${sealed}, refused ${refused}.`,
  sealNeedsTerminal: (count: number) =>
    `A person must vouch for ${count} of these sessions, and standard input is not a terminal. Run this command at a terminal.`,
  sealQuestion: (count: number) =>
    `Nothing proves that these ${count} sessions are unchanged. Seal them as they are? Type "seal": `,
  sealDeclined: 'Nothing was sealed.',
  abandonQuestion: (sid: string) => `Abandon session ${sid}? It can't be resumed afterwards.`,
  toAbandon: 'to abandon a session',
  notAbandoned: 'The session was not abandoned.',
  abandoned: (sid: string) => `Session ${sid} was abandoned.`,
  parked: (sid: string) =>
    `Session ${sid} is parked. To continue, give an agent its id, or run "workflowlookup sessions resume ${sid}".`,
  unparked: (sid: string) => `Session ${sid} is not parked any more. discover lists it as open again.`,
  completed: (sid: string) => `Session '${sid}' is completed, so no agent can take it over.`,
  noneListed: (place: string, isFiltered: boolean) =>
    `No sessions${isFiltered ? ' match these filters' : ''} in ${place}.`,
  nextPage: (cursor: string) => `Next page: --cursor ${cursor}`,
  importedStatus: (status: string, isSealed: boolean) =>
    `${status} (imported${isSealed ? '' : ', not authenticated'})`,
} as const;

export const insightMessages = {
  none: (place: string) => `No sessions to count in ${place}.`,
  oneFormat: () => '--csv and --json exclude each other. Give only one of them.',
  more: (rows: number) => `${rows} more: --json and --csv show all of them.`,
  about: (tokens: number) => `about ${tokens}`,
  sessions: (sessions: number, running: number, completed: number) =>
    `${sessions} (${running} not finished, ${completed} completed)`,
  of: (part: number | string, whole: number) => `${part} of ${whole}`,
  waits: (checkpoints: number, median: string, total: string) =>
    `${checkpoints}, median ${median}, ${total} in all`,
  spread: (median: number | string, most: number | string) => `median ${median}, 90 % within ${most}`,
  nobodyYet: () => 'nobody yet (open)',
  byClient: (person: string) => `${person} (reported by the agent's client)`,
  open: (checkpoints: number) => `(${checkpoints} open)`,
  readInSession: (median: number, most: number) =>
    `median about ${median} tokens in a session, 90 % within ${most}`,
  unverified: (sessions: number) =>
    `${sessions} sessions are in no figure. Inspect them: "workflowlookup sessions verify --all"`,
} as const;

export const insightRows = {
  followed: 'Followed the workflow',
  waiting: 'Waiting now',
  calls: 'Calls of a session',
  readTokens: 'Text the agents read',
  refused: 'Refused calls',
  unverified: 'Not verified',
} as const;

export const checkpointMessages = {
  answered: (checkpoint: string, sid: string, answer: string) =>
    `Checkpoint ${checkpoint} of session ${sid} is answered: ${answer}.`,
  twoAnswers: (first: string, second: string) =>
    `There are two answers, '${first}' and --option '${second}'. Give only one.`,
  noneWaiting: (sid: string, id: string) =>
    `Session '${sid}' has no checkpoint that needs an answer. See its state: workflowlookup sessions show ${id}`,
  needsTerminal: (checkpoint: string, command: string) =>
    `Checkpoint '${checkpoint}' needs a person at a terminal, and standard input is not a terminal. Run at a terminal: ${command}`,
  noOption: (checkpoint: string, named: string, options: string) =>
    `Checkpoint '${checkpoint}' has no option '${named}'. Its options: ${options}.`,
  nameOption: (checkpoint: string, options: string) =>
    `Name an option of checkpoint '${checkpoint}': ${options}.`,
  notChosen: 'No option was chosen. Nothing was changed.',
  question: (count: number) => `Answer (1 to ${count}, or its name): `,
  confirm: (option: string) => `Answer ${option}? (y/N) `,
  note: 'Note for the agent (required): ',
  confirmIrreversible: (option: string) => `Option ${option} can't be undone. Answer with it?`,
  irreversible: (option: string) => `to choose option '${option}', which can't be undone`,
} as const;

export const runMessages = {
  nameSubject:
    'Name either a workflow to start or a session to resume. Examples: workflowlookup run bug-investigation; workflowlookup run --session 5d0c',
  noInput:
    'There is nothing to submit: standard input is not a terminal and has no lines. Run the command at a terminal, write each output as a line (a text, or JSON such as {"output": "…", "variables": {…}}), or name files with --output.',
  withNote: 'Write a note for the agent first',
  note: 'Note for the agent:',
  noteMissing: 'Write a note, or press Ctrl+C to stop here.',
  editorFailed: (editor: string, code: number | null) =>
    `The editor '${editor}' ended with ${code ?? 'a signal'}. Set VISUAL or EDITOR to another editor.`,
  begun: (sid: string, workflow: string, event: string) => `Session ${sid} of ${workflow} was ${event}.`,
  ended: (sid: string, outcome: string) => `Session ${sid} is ${outcome}.`,
  left: (sid: string, at: string | undefined, command: string) =>
    `Session ${sid} is ${at === undefined ? 'at its start' : `at '${at}'`}. To resume it: ${command}`,
  undecided: (names: string) => `The next activity depends on these variables: ${names}.`,
  notAccepted: (step: string | undefined) => `Not accepted${step === undefined ? '' : `: ${step}`}`,
  takeOver: (workflow: string, at: string | undefined, isBlocked: boolean) =>
    `Take over a session of ${workflow}. It is ${at === undefined ? 'at its start' : `at '${at}'`}${isBlocked ? ', where a checkpoint needs an answer' : ''}.`,
  makeCalls: 'The workflowlookup server stores it. Make these calls in order:',
  lastResult:
    'The second result has the current state and the calls that are legal now. Each result has the token for the next call.',
  whichActivity: 'Which activity is next?',
  whichVariable: 'Which variable?',
  whichStep: 'Which step?',
  now: (type: string, value: string) => `${type}, now ${value}`,
  output: 'The output:',
  restIgnored: 'Everything from this line on is ignored.',
  warning: (text: string) => `Warning: ${text}`,
  refusedWith: 'Refused with:',
  fields: 'Fields, each as a label at the start of a line, or all of them as one JSON object:',
  field: (id: string, kind: string, description: string) =>
    `${id} (${kind})${description === '' ? '' : `: ${description}`}`,
  optional: (kind: string) => `${kind}, optional`,
  text: 'text',
  trueOrFalse: 'true or false',
  oneOf: (names: readonly string[]) => `one of ${names.join(', ')}`,
  listOf: (kind: string) => `list of: ${kind}`,
  objectWith: (names: readonly string[]) => `object with ${names.join(', ')}`,
} as const;

/** What a person can do about a step. */
export const actTexts = {
  change: 'Change the output',
  write: 'Write the output',
  submit: 'Submit it',
  type: 'Type the output here',
  variable: 'Set a variable',
  other: 'Do an optional step',
  insist: 'Submit it anyway',
} as const;

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
