import { formatEstimate, formatNumber, plural } from '../components/format.ts';
import type { SessionDetail, SessionListRow } from '../contract/index.ts';

const authenticity = {
  unsealed: 'not sealed',
  forged: 'forged',
  'unknown-key': 'sealed with an unknown key',
  unchecked: 'seal not checked',
} as const satisfies Readonly<Record<NonNullable<SessionListRow['unauthentic']>, string>>;

function parkedBy(by: string): string {
  return by === 'hook' ? 'a hook of the agent’s client' : by === 'agent' ? 'the agent' : 'a person';
}

type TracedCall = SessionDetail['history']['refusals'][number]['name'];

/** The tool for each kind of call, or what a person did. */
const callNames: Readonly<Record<TracedCall, string>> = {
  start: 'start_session',
  status: 'get_workflow_status',
  'read-workflow': 'get_workflow',
  move: 'next_activity',
  collect: 'collect_evidence',
  'read-activity': 'get_activity',
  yield: 'yield_checkpoint',
  resume: 'resume_checkpoint',
  present: 'present_checkpoint',
  answer: 'an answer',
  park: 'park',
  'read-skills': 'get_skills',
  'read-skill': 'get_skill',
  'read-resource': 'get_resource',
  'resolve-operations': 'resolve_operations',
  'read-trace': 'get_trace',
  abandon: 'abandon',
  unpark: 'resume after parking',
};

/** What a hook of an agent's client did, by its rule and its act. */
export const hookActions: Readonly<Record<string, string>> = {
  'bind: bound': 'Linked an agent to its session',
  'edit: denied': 'Denied a tool that the activity or the policy does not allow',
  'edit: unknown-command': 'Allowed a command without knowing whether it writes',
  'stop: blocked': 'Kept an agent from stopping too early',
  'stop: parked': 'Parked the session of an agent that stopped again',
  'stop: released': 'Let an agent stop although its session was active',
  'rehydrate: packet': 'Reminded an agent of its session',
  'rehydrate: answered': 'Told an agent that its checkpoint was answered',
  'observe: observed': 'Recorded the result of a command as evidence',
};

/** How a session ended, as figures count it. */
export const resultNames = {
  success: 'success',
  failure: 'failure',
  stopped: 'stopped',
  other: 'other outcome',
  running: 'not finished',
} as const;

function resultName(result: string): string {
  return (resultNames as Readonly<Record<string, string>>)[result] ?? result;
}

/** Names that make the text of a figure readable. */
interface FigureNames {
  /** The name of an activity or a step. */
  nameOf(id: string): string;
  /** What an error code or a missed criterion means. */
  reasonOf(criterion: string): string;
}

/** Names an activity and a step in it, or nothing before the first activity. */
function inStep(
  { activity, step }: { readonly activity: string; readonly step: string },
  nameOf: FigureNames['nameOf'],
): string {
  // A step workflow has no activities around its steps.
  const names = [activity, step === activity ? '' : step].filter(Boolean).map(nameOf);
  return names.length === 0 ? '' : ` in ${names.join(', ')}`;
}

function answererOf(person: string): string {
  return person === 'agent' ? 'an agent' : person === 'human' ? 'a person' : person;
}

const figureTexts: Readonly<Record<string, (value: string, names: FigureNames) => string>> = {
  outcome: (name) => `Outcome: ${name}`,
  activity: (activity, { nameOf }) => `Entered: ${nameOf(activity)}`,
  retried: (activity, { nameOf }) => `Entered several times: ${nameOf(activity)}`,
  agent: (agent) => `Agent: ${agent}`,
  hook: (action) => `Action of a hook: ${hookActions[action] ?? action}`,
  'agent-refused': (agent) => `A call of this agent was refused: ${agent}`,
  'agent-refused-at': (place, { nameOf }) => {
    const [activity = '', step = '', ...agent] = place.split('/');
    return `A call of ${agent.join('/')} was refused${inStep({ activity, step }, nameOf)}`;
  },
  'waits-in': (activity, { nameOf }) => `A checkpoint waits in ${nameOf(activity)}`,
  'answered-by': (person) => `Answered by: ${answererOf(person)}`,
  'answered-by-client': (person) => `Answered by: ${answererOf(person)} (reported by the agent’s client)`,
  followed: () => 'Followed the workflow',
  departed: () => 'Did not follow the workflow',
  day: (value) => {
    const [day = '', result] = value.split('/');
    return `Started on ${day} (UTC)${result === undefined ? '' : `, ${resultName(result)}`}`;
  },
  result: (result) => `Result: ${resultName(result)}`,
  'refused-in': (activity, { nameOf }) => `A call was refused in ${nameOf(activity)}`,
  refused: (place, { nameOf, reasonOf }) => {
    if (place === '') return 'A call was refused';
    const [activity = '', step = '', ...criterion] = place.split('/');
    return `Refused${inStep({ activity, step }, nameOf)}: ${reasonOf(criterion.join('/'))}`;
  },
  evidence: (place, { nameOf }) => {
    const [activity = '', ...evidence] = place.split('/');
    return `Evidence of ${nameOf(activity)}: ${evidence.join('/')}`;
  },
};

/** Says what the sessions with the tag of a figure have in common. */
function figureText(tag: string, names: FigureNames): string {
  const [kind = '', ...value] = tag.split(':');
  return Object.hasOwn(figureTexts, kind) ? (figureTexts[kind]?.(value.join(':'), names) ?? tag) : tag;
}

/** Figures that count what can happen several times in one session. */
const severalTimes = new Set([
  'refused',
  'refused-in',
  'retried',
  'agent-refused',
  'agent-refused-at',
  'evidence',
]);

/** The texts about sessions: the list, one session with its tabs, its journal and a comparison of two. */
export const sessionMessages = {
  status: {
    active: 'active',
    idle: 'active, idle ',
    blocked: 'at a checkpoint',
    parked: 'parked',
    completed: 'ended',
    abandoned: 'abandoned',
    damaged: 'damaged',
  },
  authenticity,
  imported: {
    authentic: 'imported',
    notAuthentic: 'imported, not authenticated',
  },
  list: {
    title: 'Sessions',
    own: (principal: string) => `The sessions of ${principal}.`,
    all: 'All sessions on this server.',
    ownFound: (principal: string) => `The sessions of ${principal} that match the filters.`,
    allFound: 'The sessions on this server that match the filters.',
    count: (count: number, hasMore: boolean) =>
      hasMore ? `The first ${plural(count, 'session')}` : plural(count, 'session'),
    inAll: 'In all:',
    label: 'Sessions',
    columns: ['Status', 'Title and workflow', 'Now or outcome', 'Progress', 'Agent', 'Duration', 'Changed'],
    duration: 'Duration',
    started: (time: string) => `Started ${time}`,
    beforeFirst: 'not started',
    progress: 'Progress',
    loadingMore: 'Loading more',
    noMatch: 'No session matches these filters',
    noMatchNext: 'Change or clear a filter to see more.',
    empty: 'There are no sessions yet',
    emptyNext: 'A session appears here as soon as an agent calls start_session.',
  },
  filters: {
    search: 'Search',
    searchHint: 'Title, variable, agent …',
    status: 'Status',
    anyStatus: 'any status',
    open: 'not finished',
    live: 'active or at a checkpoint',
    workflow: 'Workflow',
    anyWorkflow: 'any workflow',
    agent: 'Agent',
    agentHint: 'Part of the name',
    changed: 'Changed',
    within: (period: string) => `in ${period}`,
    idle: { hour: 'not for an hour', day: 'not for a day', week: 'not for 7 days' },
    anyTime: 'any time',
    followed: 'Followed the workflow',
    followedOrNot: 'yes or no',
    followedAnswers: { followed: 'yes', departed: 'no' },
    sort: 'Order',
    lastChanged: 'changed last',
    sorts: {
      'started-last': 'started last',
      'started-first': 'started first',
      longest: 'longest',
      shortest: 'shortest',
    },
    ages: {
      hour: 'the last hour',
      day: 'the last day',
      week: 'the last 7 days',
      month: 'the last 30 days',
      quarter: 'the last 90 days',
    },
    clear: 'Clear',
    figure: (tag: string, names: FigureNames) =>
      `Sessions behind a figure. ${figureText(tag, names).replace(/\.$/, '')}${severalTimes.has(tag.replace(/:.*/s, '')) ? '. Each session is listed once, however often this happened in it' : ''}`,
    figures: figureTexts,
    behind: (count: number) => `${plural(count, 'session is', 'sessions are')} not searched yet`,
    behindNext: 'They changed a moment ago. The list is updated by itself.',
  },
  views: {
    label: 'Saved views',
    save: 'Save this view',
    name: 'Name of the view',
    keep: 'Save',
    remove: (name: string) => `Remove the view ${name}`,
  },
  shortcuts: {
    title: 'Sessions',
    search: 'Search',
    next: 'Next session',
    previous: 'Previous session',
  },
  page: {
    title: 'Session',
    tabs: 'Parts of the session',
    compare: 'Compare',
    export: 'Export',
    park: 'Park',
    parkReason: 'Why does the work stop, and what does it wait for?',
    unpark: 'Resume',
    parkFailed: 'The session was not changed',
    noSeal: 'The exported file has no seal',
    noSealReason: (sid: string) =>
      `The session can’t be authenticated or is incomplete, so no server will continue it from this file. To see what is wrong, run in a terminal: workflowlookup sessions verify ${sid}`,
  },
  facts: {
    workflow: 'Workflow',
    current: 'Current',
    decidedNext: (activity: string, isBack: boolean) =>
      `The decision sends it ${isBack ? 'back ' : ''}to ${activity}.`,
    answerUnread: 'A person has answered. The agent gets the answer with its next call.',
    progress: 'Progress',
    progressOf: (done: number, all: number) => `${done} of ${all} done`,
    again: (count: number) => `${plural(count, 'activity', 'activities')} planned again`,
    agent: 'Agent',
    calls: 'Calls of agents',
    callsDetail: (calls: number) => plural(calls, 'call'),
    refusedDetail: (refused: number) => `${formatNumber(refused)} refused`,
    callsAndEvents: 'A call that only reads adds no event.',
    read: 'Text the agents read',
    readDetail: (tokens: number) => `about ${formatEstimate(tokens)} tokens`,
    rules: 'If a rule is broken',
    enforcement: { strict: 'the call is refused (strict)', advisory: 'mostly a warning (advisory)' },
    started: 'Started',
    changed: 'Changed',
    journal: 'Journal',
    journalIntact: (events: number) => `not altered, ${plural(events, 'event')}`,
    journalBroken: (event: number | undefined) => `damaged at event ${event}`,
    imported: 'Imported',
    importedBy: (person: string) => `by ${person}, `,
    sealedHere: 'sealed with a key of this server',
    sealedElsewhere: 'not sealed with a key of this server: you can read it, but nobody can continue it',
    authenticity: 'Authenticity',
    notContinuable: 'You can read this session, but nobody can continue it.',
    parent: 'Parent session',
    folder: 'Folder',
    parked: 'Parked',
    parkedBy: (by: string, person: string | undefined) => ` by ${person ?? parkedBy(by)}: `,
    parkedUntil: 'Parked until',
  },
  tabs: {
    plan: 'Plan',
    timeline: 'Timeline',
    outputs: 'Outputs',
    variables: 'Variables',
    checkpoints: 'Checkpoints',
    children: 'Child sessions',
    withCount: (label: string, count: number) => (count === 0 ? label : `${label} ${count}`),
  },
  plan: {
    list: 'Plan',
    again: 'planned again',
    graph: (title: string) => `Graph of ${title}. The plan has the same content as a list.`,
  },
  outputs: { list: 'Outputs', empty: 'The agent has submitted no output yet' },
  variables: {
    empty: 'This session has no variables',
    now: 'Current values',
    table: 'Current variables',
    columns: { variable: 'Variable', value: 'Value', changes: 'Changes' },
    history: 'Changes',
  },
  checkpoints: {
    list: 'Checkpoints',
    empty: 'This session has not reached a checkpoint yet',
    notAnswered: 'not answered',
    reached: (activity: string) => `In ${activity}, since `,
    imported: 'imported, not decided on this server',
    changed: 'The question has changed since this answer',
    changedReason: 'Its text, its options, one of its values or the definition is different now.',
  },
  timeline: {
    label: 'Timeline',
    show: 'Show',
    everything: 'everything',
    kinds: { move: 'moves', checkpoint: 'checkpoints', refused: 'refused calls', other: 'other events' },
    activity: 'Activity',
    everyActivity: 'every activity',
    only: (from: string, to: string) => `Only moves from ${from} to ${to}`,
    end: 'the end',
    noMatch: 'Nothing has happened there yet',
    noMatchNext: 'Change a filter to see more of the session.',
    before: (duration: string) => `Before the first activity: ${duration}`,
    worked: (duration: string | undefined) =>
      duration === undefined ? 'No activity is finished yet' : `Work in finished activities: ${duration}`,
    waited: (duration: string) => `At checkpoints: ${duration}`,
    parked: (duration: string) => `Parked: ${duration}`,
    refused: (count: number) => plural(count, 'refused call'),
  },
  calls: callNames,
  /** What the server does with a call that breaks a rule of the workflow. */
  enforcement: {
    strict: 'Strict: the server refuses calls that break a rule of the workflow.',
    advisory: 'Advisory: the server accepts most calls that break a rule of the workflow, with a warning.',
  },
  children: {
    list: 'Child sessions',
    empty: 'This session has started no child sessions',
    participants: 'Participants',
    kinds: { agent: 'agent', human: 'person' },
    calls: (count: number, refused: number, readTokens: number) =>
      [
        plural(count, 'call'),
        ...(refused === 0 ? [] : [plural(refused, 'refused', 'refused')]),
        ...(readTokens === 0 ? [] : [`read about ${formatEstimate(readTokens)} tokens`]),
      ].join(', '),
  },
  events: {
    number: (event: number) => `Event ${event} · `,
    more: 'Show later events',
    started: (workflow: string, version: string) => `Started ${workflow} ${version}`,
    entered: (activity: string) => `Entered ${activity}`,
    moved: (from: string, to: string) => `${from} → ${to}`,
    evidence: (id: string, outcome: 'passed' | 'failed' | 'not-configured', level: string): string =>
      outcome === 'not-configured'
        ? `Evidence ${id} proves nothing: the project has no such check`
        : `Evidence ${id} ${outcome} (${level})`,
    reachedCheckpoint: (checkpoint: string) => `Reached checkpoint ${checkpoint}`,
    inActivity: (activity: string) => `In ${activity}.`,
    answered: (checkpoint: string, answer: string) => `${checkpoint}: ${answer}`,
    answeredBy: (who: string) => `Answered by ${who}.`,
    received: (duration: string) => `The agent received it ${duration} later.`,
    abandoned: (person: string | undefined) =>
      person === undefined ? 'Abandoned' : `Abandoned by ${person}`,
    parked: (by: string, person: string | undefined) => `Parked by ${person ?? parkedBy(by)}`,
    parkedBecause: (reason: string) => `“${reason}”`,
    resumed: (by: string, person: string | undefined) => `Resumed by ${person ?? parkedBy(by)}`,
    ended: (outcome: string | undefined) => (outcome === undefined ? 'Ended' : `Ended: ${outcome}`),
    refused: (call: string, activity: string | undefined) =>
      activity === undefined ? `Refused: ${call}` : `Refused in ${activity}: ${call}`,
    refusedBecause: (title: string, reason: string) => (reason === '' ? `${title}.` : `${title}. ${reason}`),
    calledBy: (agent: string) => `Called by ${agent}.`,
    told: 'What the agent was told',
    took: (duration: string) => `${duration} of work`,
    waited: (duration: string) => `waited ${duration}`,
    wasParked: (duration: string) => `parked for ${duration}`,
    now: (activity: string, isParked: boolean) => (isParked ? `Parked in ${activity}` : `Now in ${activity}`),
    sinceLast: ' since the last event',
    nowWaits: (checkpoint: string) => `Waits for an answer: ${checkpoint}`,
    next: (activity: string) => `Continues with ${activity}.`,
    skips: (activities: string) => `Skips ${activities}.`,
    notDone: (step: string, reason: string) => `Not done: ${step}. ${reason}`,
    notProved: (step: string, reason: string) => `Done, but not proved: ${step}. ${reason}`,
    because: (condition: string) => `The agent gave the condition: ${condition}`,
    variable: (name: string, value: string) => `${name} = ${value}`,
    warning: (warning: string) => `Warning: ${warning}`,
    note: (note: string) => `“${note}”`,
    relayedNote: (note: string) => `Passed on by the agent: “${note}”`,
  },
  compare: {
    title: 'Compare',
    lead: 'Two sessions of one workflow side by side. Differences are marked. Times are marked if one is at least twice the other and a second longer. The time at checkpoints does not count.',
    first: 'First session',
    second: 'Second session',
    other: 'Choose another',
    search: 'Search for a session',
    searchHint: 'Title, variable, checkpoint, agent, folder',
    results: 'Sessions found',
    onlyWorkflow: (workflow: string) => `Only sessions of “${workflow}” are listed.`,
    noMatch: 'No session has all these words.',
    differentWorkflows: 'These sessions belong to different workflows',
    differs: 'differs',
    differsColumn: 'Differs',
    tables: {
      facts: 'Overview',
      plan: 'Plan',
      times: 'Time by activity',
      checkpoints: 'Checkpoints',
      variables: 'Variables',
    },
    withWait: (worked: string, waited: string) => `${worked}, and ${waited} at checkpoints`,
    longer: { first: 'first took longer', second: 'second took longer' },
    facts: {
      status: 'Status',
      version: 'Version',
      agent: 'Agent',
      current: 'Current',
      duration: 'Time from first to last event',
      events: 'Events',
      refused: 'Refused calls',
      journal: 'Journal',
      intact: 'not altered',
      damaged: (event: number | undefined) => `damaged at event ${event}`,
    },
    visits: (state: string, visits: number) => (visits > 1 ? `${state}, ${visits}×` : state),
    again: (checkpoint: string, count: number) => (count === 1 ? checkpoint : `${checkpoint}, time ${count}`),
    notAnswered: 'not answered',
  },
} as const;
