import { counted } from '../terminal/plain-text.ts';

export const keyMessages = {
  none: (id: string) => `There is no key with the id '${id}'. See the keys: workflowlookup keys list`,
  noKeys: 'No keys.',
  revokedAt: (moment: string) => `revoked ${moment}`,
  expiredAt: (moment: string) => `expired ${moment}`,
  expiresAt: (moment: string) => `expires ${moment}`,
  notSealed: (id: string) => `not sealed: workflowlookup keys seal ${id}`,
  secretFollows: (id: string, principal: string) =>
    `Key ${id} of ${principal}. The secret is shown only once:`,
  revoked: (id: string) => `Key ${id} is revoked.`,
  sealed: (id: string) => `Key ${id} is sealed.`,
  sealNeedsTerminal: (id: string) =>
    `Key ${id} was not signed by this server. A person can accept it at a terminal: workflowlookup keys seal ${id}`,
  sealWarning: (id: string, principal: string, scopes: string, createdAt: string) =>
    `Key ${id} of ${principal} has the scopes ${scopes}. Its record says it was created at ${createdAt}.\nAn older release created it, or someone wrote it into the database.`,
  sealQuestion: 'Accept it? (y/N) ',
  sealDeclined: 'Nothing was changed.',
  signInNeedsTerminal:
    'The address that signs you in is printed only at a terminal. Run this command at a terminal.',
} as const;

/** What the checks of `doctor` found. A problem also says how to fix it. */
export const doctorMessages = {
  problems: (count: number) => `${counted(count, 'problem')}.`,
  noProblems: 'No problems found.',
  personDecides: 'No problems, but a person must decide about the definitions above.',
  node: (version: string) => `Node.js ${version}`,
  noKeys: 'no keys yet; the first session creates them',
  keys: (count: number) => (count === 1 ? 'One key for tokens' : `${count} keys for tokens`),
  unsealedRevocations: (names: readonly string[]) => ({
    says: `Lines of revoked-keys.jsonl were not written with the token keys: ${names.join(', ')}. These API keys are refused`,
    fix: `Confirm each key that you revoked: workflowlookup keys revoke ${names[0]} (otherwise remove its line)`,
  }),
  letReadState: 'Let this user read the state directory.',
  noDatabase: 'no database yet; the first session creates it',
  database: (writtenAt: string | undefined) =>
    `It answers; ${writtenAt === undefined ? 'it has no sessions' : `last written to ${writtenAt}`}`,
  verifySessions: 'See which sessions are intact: workflowlookup sessions verify --all',
  disk: (bytes: number, folder: string) => `${Math.floor(bytes / 1_000_000)} MB free for ${folder}`,
  freeSpace:
    'Free some space, delete old sessions (workflowlookup sessions prune), or choose another directory with --state.',
  letRead: (word: string) => `Let this user read it: chmod u+rx ${word}`,
  stateNotMade: (directory: string) => `the first session creates ${directory}`,
  state: (directory: string) => `only this user can use ${directory}`,
  stateNotDirectory: (path: string) => ({
    says: `${path} is not a directory`,
    fix: 'Choose another directory with --state.',
  }),
  stateNotWritable: (folder: string, code: string, word: string) => ({
    says: `${folder} can't be written by this user (${code})`,
    fix: `Let this user write there, or choose another directory with --state: chmod u+rwx ${word}`,
  }),
  stateOpen: (found: string, word: string) => ({
    says: `Others may use ${found}`,
    fix: `Remove the access of others: chmod -R go-rwx ${word}`,
  }),
  stateForeign: (found: string, uid: number, word: string) => ({
    says: `Another user owns ${found}`,
    fix: `Run this as the user of the server, or give it to this one: chown -R ${uid} ${word}`,
  }),
  served: (count: number) => `${counted(count, 'workflow')} ${count === 1 ? 'is' : 'are'} served`,
  refused: (count: number, names: readonly string[]) => ({
    says: `${doctorMessages.served(count)}, ${counted(names.length, 'file')} ${names.length === 1 ? 'is' : 'are'} not: ${names.join(', ')}`,
    fix: 'See the errors: workflowlookup lint',
  }),
  untrusted: (count: number, names: readonly string[]) => ({
    says: `${counted(count, 'definition')} of this project ${count === 1 ? 'is' : 'are'} not served to agents${names.length === 0 ? '' : `: ${names.join(', ')}`}`,
    fix: 'Review them: workflowlookup trust',
  }),
  bundledMissing: (directory: string) => ({
    says: `${directory} is missing`,
    fix: 'Install workflowlookup again.',
  }),
  sourceAbsent: (directory: string) => `${directory} does not exist`,
  sourceMissing: (directory: string) => ({
    says: doctorMessages.sourceAbsent(directory),
    fix: 'Create it, or remove it from --workflows and WORKFLOW_STORAGE_PATH.',
  }),
  sourceNotDirectory: (path: string) => ({
    says: `${path} is not a directory`,
    fix: 'Name the directory that holds the files.',
  }),
  sourceUnreadable: (directory: string, code: string, word: string) => ({
    says: `${directory} can't be read (${code})`,
    fix: doctorMessages.letRead(word),
  }),
  answers: (tools: number, workflows: number, ms: number) =>
    `${tools} tools and ${counted(workflows, 'workflow')}, after ${ms} ms`,
  listRefused: (message: string) => `workflow_list is refused: ${message}`,
  runStdio: 'See its messages: run workflowlookup serve stdio with the same flags.',
  status: (href: string, status: number) => `${href} says ${status}`,
  unreachable: (href: string, reason: string) => ({
    says: `${href} can't be reached (${reason})`,
    fix: 'Start it (workflowlookup serve http), or give the URL that it printed.',
  }),
  allowHost: 'Allow the host of this URL on the server: --allowed-host',
  readLog: "Read the server's log to see why it can't use its database or keys.",
  giveUrl: 'Give the URL that a server printed when it started; it has /mcp in it.',
  nameKey: 'Name the variable that holds a key for it: --key-env NAME. A new key: workflowlookup keys create',
  giveWholeUrl:
    'Give the whole URL that the server printed (workflowlookup address prints it again), or a key with the scope read: --key-env NAME',
  findInLog:
    'Look for this request in the log of the server, and check that the URL is the one that the server printed.',
} as const;
