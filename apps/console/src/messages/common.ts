import { plural } from '../components/format.ts';

/** The texts that several pages share: errors of requests, states of loading, values and dates. */
export const commonMessages = {
  request: {
    unreachable: 'The console can’t reach the server. Check that it is running, then try again.',
    busy: 'The server is busy or shutting down. Try again in a few seconds.',
    failed: (status: number) =>
      `The server answered with HTTP status ${status} and no explanation. Its log has the reason.`,
  },
  loading: {
    active: 'Loading',
    failed: 'This could not be loaded',
    retry: 'Try again',
  },
  download: {
    saved: (file: string) => `Downloaded ${file}`,
    failed: 'The file could not be downloaded',
  },
  json: {
    invalid: (reason: string) => `This is not valid JSON: ${reason}`,
    item: (number: string) => `Entry ${number}`,
    entry: 'entry',
    entries: 'entries',
    table: 'Entries as a table',
    notAnObject: 'This is not a JSON object. Write one like { "name": "value" }.',
  },
  time: {
    justNow: 'just now',
    ago: (duration: string) => `${duration} ago`,
  },
  output: {
    label: (step: string) => `Output of ${step}`,
    code: (of: string) => `${of}: code`,
    table: (of: string) => `${of}: table`,
    changes: 'Changes since the last attempt',
    changesOf: (step: string) => `Changes of ${step} since the last attempt`,
    unchanged: 'The same as in the last attempt.',
    whole: 'The whole output',
    claim: 'The agent’s claim',
    meetsCriteria: 'The server checked its form, not whether it is true.',
    missesCriteria: 'does not meet the criteria',
    refused: 'refused: criteria not met',
    notDone: (reason: string) => `Not done. ${reason}`,
    notProved: (reason: string) => `Done, but not proved. ${reason}`,
    cutOff: (characters: number) =>
      `Only the beginning is shown. The output has ${plural(characters, 'character')}.`,
  },
  variables: {
    changes: 'Variable changes',
    columns: { variable: 'Variable', from: 'From', to: 'To', when: 'When' },
    notSet: 'not set',
  },
  diff: { added: 'added: ', removed: 'removed: ' },
  none: '—',
  state: {
    done: 'done',
    current: 'current',
    refused: 'current, refused',
    skipped: 'skipped',
    planned: 'planned',
  },
  conditions: {
    when: (condition: string) => `when ${condition}`,
    onlyPerson: 'needs a person',
  },
  issues: {
    warning: 'warning: ',
  },
} as const;

/** The texts around every page: navigation, the account, the theme, signing in and unknown pages. */
export const shellMessages = {
  product: 'workflowlookup',
  windowTitle: (page: string) => `${page} · workflowlookup`,
  skipToPage: 'Skip to the page',
  palette: {
    open: 'Search and commands',
    title: 'Go to a page, a workflow or a session',
    hint: 'Go to…',
    results: 'Results',
    searching: 'Searching…',
    nothing: 'Nothing found. Sessions are found by words of at least two letters.',
    keys: 'Arrow keys choose, Enter goes there, Esc closes.',
    newWorkflow: 'New workflow',
    tryCriteria: 'Try criteria',
    insightsOf: (workflow: string) => `Insights: ${workflow}`,
    kinds: {
      page: 'page',
      view: 'saved view',
      workflow: 'workflow',
      insights: 'insights',
      session: 'session',
    },
  },
  navigation: {
    label: 'Console',
    checkpoints: 'Checkpoints',
    sessions: 'Sessions',
    workflows: 'Workflows',
    insights: 'Insights',
    health: 'Health',
    waiting: ' waiting for an answer',
  },
  account: {
    connection: { opening: 'Connecting', live: 'Live', broken: 'Reconnecting' },
    offline: 'No connection to the server. You can read this page, but not answer.',
    readOnly: (person: string) => `${person} (read only)`,
    signOut: 'Sign out',
  },
  shortcuts: {
    title: 'Keyboard shortcuts',
    everywhere: 'Everywhere',
    help: 'Show these shortcuts',
    close: 'Close',
  },
  theme: {
    current: (theme: string) => `Theme: ${theme}`,
    change: (theme: string, next: string) => `Theme: ${theme}. Change to ${next}.`,
  },
  notFound: {
    title: 'Not found',
    reason: 'There is no page at this address',
    next: 'See the sessions',
  },
  failure: {
    title: 'This page failed',
    reload: 'Reload the page',
  },
  signIn: {
    title: 'Sign in',
    submit: 'Sign in',
    oauth: 'Continue with your organization',
    noMethods: 'This server offers no way to sign in. Start it with --auth keys or --auth oauth.',
    labels: { secret: 'Sign-in secret or link', key: 'API key' },
    hints: {
      key: 'An API key starts with wlk_. The console exchanges it for a sign-in of 12 hours and does not store it.',
    },
    newLink: {
      before: 'To get a new link, run ',
      command: 'workflowlookup address',
      after: ' in a terminal on the machine of the server, or ask whoever runs it.',
    },
    unknownCredential:
      'The server does not know this credential. Check that you copied all of it, or ask for a new one.',
    tooManyAttempts: (seconds: number) => `Too many attempts. Try again in ${seconds} seconds.`,
    linkExpired: 'This sign-in link was already used, or it is older than 10 minutes.',
    otherTab: 'This sign-in was not started in this tab. Start it again here.',
  },
} as const;

export const healthMessages = {
  title: 'Health',
  lead: (version: string, uptime: string) => `Version ${version}, up ${uptime}.`,
  draining: 'The server is shutting down',
  facts: {
    server: 'Server',
    database: 'Database',
    keys: 'Token keys',
    clients: 'Connected clients',
    streams: 'Open streams',
    node: 'Node.js',
  },
  status: { ready: 'ready', draining: 'shutting down', not_ready: 'not ready' },
  sessions: 'Sessions',
  sources: {
    title: 'Folders with workflows',
    columns: { source: 'Name', directory: 'Directory', workflows: 'Workflows', problems: 'Problems' },
    writable: 'writable',
    errors: (count: number) => plural(count, 'error'),
    warnings: (count: number) => plural(count, 'warning'),
    none: 'none',
  },
  refusals: {
    title: 'Refused calls since the server started',
    empty: 'No call was refused since the server started',
    elsewhere: 'See the refused calls of all sessions',
    columns: { code: 'Code', calls: 'Calls' },
  },
  latency: {
    title: 'Response times since the server started',
    empty: 'There were no requests yet',
    columns: { route: 'Route', requests: 'Requests', p50: 'p50', p95: 'p95', p99: 'p99' },
    atMost: (milliseconds: number) => `≤ ${milliseconds} ms`,
  },
} as const;
