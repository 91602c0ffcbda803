import { idInCommand } from '@workflowlookup/schema';

// Every message of this package that a person or an agent reads, by topic. A message says what is wrong with the value
// found, what is expected, and what to do next. `test/messages.test.ts` has a snapshot of all of them.

/** The text of a problem with a definition. Neither part ends with a period, because callers join and print them. */
export interface FileText {
  readonly message: string;
  readonly suggestion: string;
}

export const fileMessages = {
  /** @param code of the system error, such as `EACCES` */
  unreadable(file: string, code: string): FileText {
    const subject = file === '.' ? 'The source' : `'${file}'`;
    const [problem, suggestion] = unreadableReasons[code] ?? [
      `can't be read: the system reports ${code}`,
      'Check the disk that it is on',
    ];
    return { message: `${subject} ${problem}`, suggestion };
  },
  notRegular: (file: string): FileText => ({
    message: `'${file}' is not a regular file`,
    suggestion: 'Replace it with a regular file',
  }),
  notUtf8: (file: string): FileText => ({
    message: `'${file}' is not valid UTF-8`,
    suggestion: 'Save the file as UTF-8',
  }),
  fileTooLarge: (file: string, size: number, limit: number): FileText => ({
    message: `'${file}' has ${size} bytes, but a definition has at most ${limit} bytes (1 MiB)`,
    suggestion: 'Split the workflow, or move long texts out of it',
  }),
  tooManyFiles: (folder: string, limit: number): FileText => ({
    message: `The activity workflow '${folder}' has more than ${limit} files`,
    suggestion: 'Split the workflow, or remove the files that it does not use',
  }),
  folderTooLarge: (folder: string): FileText => ({
    message: `The files of the activity workflow '${folder}' have more than 16 MiB together`,
    suggestion: 'Split the workflow, or remove the files that it does not use',
  }),
  changedWhileReading: (file: string): FileText => ({
    message: `'${file}' changed while it was being read`,
    suggestion: 'You need not do anything: it is read again in a moment',
  }),
  readerFailed: (file: string, kind: string): FileText => ({
    message: `'${file}' can't be read: the reader failed with ${kind}`,
    suggestion: 'Remove parts of the definition until it can be read',
  }),
  hiddenName: (file: string): FileText => ({
    message: `The name '${file}' contains invisible characters, which are shown as codes here`,
    suggestion: 'Rename it with letters, digits and hyphens',
  }),
  leavesSource: (file: string): FileText => ({
    message: `'${file}' is a symbolic link to something outside of its source`,
    suggestion: 'Copy the file into the source, or add its folder as another source',
  }),
  sourceLeavesProject: (): FileText => ({
    message: 'The source is outside of the project, because its path contains a symbolic link',
    suggestion: 'To serve the folder that the link leads to, pass its path with --workflows',
  }),
  noFolderReader: (folder: string, main: string): FileText => ({
    message: `The folder '${folder}' is ignored: '${main}' makes it an activity workflow, which this store does not read`,
    suggestion: `If '${main}' is a step workflow, rename it`,
  }),
  changedReference: (file: string, problem: string): FileText => ({
    message: `'${file}' is not served, because a workflow that it uses has changed since you trusted it: ${problem}`,
    suggestion: "Run 'workflowlookup trust' to see what has changed, then trust that workflow or correct it",
  }),
  /** @param unnamed how many more files have the id */
  duplicateId: (id: string, others: readonly string[], unnamed: number): FileText => ({
    message: `The id '${id}' is also used by ${others.join(', ')}${unnamed > 0 ? ` and ${unnamed} more` : ''}`,
    suggestion: 'Give each workflow in a source its own id',
  }),
  sourceFailed: (source: string, reason: string): FileText => ({
    message: `The source '${source}' can't be read: ${reason}`,
    suggestion: 'Repair this source, or remove it. The other sources are served',
  }),
} as const;

const unreadableReasons: Readonly<Record<string, readonly [problem: string, suggestion: string]>> = {
  EACCES: ["can't be read: permission denied", 'Give the user that runs the server permission to read it'],
  EPERM: ["can't be read: permission denied", 'Give the user that runs the server permission to read it'],
  ELOOP: ['is a symbolic link that leads in a circle', 'Point the link to a file in this source'],
  EMFILE: ["can't be read: too many files are open", 'Raise the limit of open files. The server tries again'],
  ENFILE: ["can't be read: too many files are open", 'Raise the limit of open files. The server tries again'],
  ENOENT: ['does not exist, or is a symbolic link to nothing', 'Put the file back, or remove the link'],
  ENOTDIR: ['is not a folder', 'Pass the folder that contains the definitions'],
};

/** A workflow that can't be read because its source fails. */
export function workflowUnreadable(id: string, source: string): string {
  return `Workflow '${id}' can't be read from the source '${source}'. Check the source, then repeat the call.`;
}

/** Calls that a session store refuses. */
export const callMessages = {
  noSession: (sid: string) =>
    `There is no session '${sid}'. It may have been pruned. List the sessions with "workflowlookup sessions list".`,
  notStored: (what: 'definition' | 'blob', digest: string) =>
    `The ${what} '${digest}' is not in the store. Store it with ${what === 'definition' ? 'putDefinition' : 'putBlob'} first.`,
  closed: () => 'The session store is closed. Create another store.',
  badSessionId: (sid: string) =>
    `The session id ${JSON.stringify(sid.slice(0, 40))} is not valid. Use 1 to 128 printable ASCII characters without spaces.`,
  noEvents: () => 'The write has no events. Pass at least one event.',
  wrongRevision: (found: number, expected: number) =>
    `The event has revision ${found}, but ${expected} is next. Seal the events after the head of the journal with sealEvents.`,
  brokenChain: (revision: number) =>
    `Event ${revision} does not name the hash of the event before it. Seal the events with sealEvents.`,
  snapshotAhead: (found: number, end: number) =>
    `The snapshot has revision ${found}, but the journal ends at ${end}. Pass a snapshot of revision 0 to ${end}.`,
  badTime: (time: string) => `The time '${time}' is not valid. Write it as 2026-01-31T12:00:00.000Z.`,
  badText: (field: string) =>
    `The text in ${field} contains a NUL character or half of a surrogate pair. Remove it.`,
  badPageLimit: (limit: number) => `The limit ${limit} is not valid. Pass a whole number from 1 to 1,000.`,
  badCursor: () =>
    'The cursor is not valid. Pass the cursor of the previous page, or none for the first page.',
} as const;

export const exportMessages = {
  damaged: (sid: string, problem: string) =>
    `Session '${sid}' can't be exported: ${problem}. ${inspect(sid)}, then restore the database from a backup.`,
  missingValue: (digest: string) => `the value ${digest} is missing`,
  missingDefinition: (digest: string) => `its definition ${digest} is missing`,
  changedFrom: (revision: number) => `its journal was changed at revision ${revision}`,
  endsEarly: (found: number, expected: number) =>
    `its journal ends at revision ${found} instead of ${expected}`,
  wrongEnd: () => 'its journal does not end with the event that the session names',

  alreadyThere: (sid: string) =>
    `Session '${sid}' is already in this store, so nothing was imported. Show it with "workflowlookup sessions show ${idInCommand(sid)}".`,
  /** @param line number of the line, if one line is to blame */
  unusable: (problem: string, line: number | undefined) =>
    `The exported session ${problem}${line === undefined ? '' : ` (line ${line})`}. Export it again with "workflowlookup sessions export".`,
  noHeader: () => 'has no header line',
  incomplete: () => 'is incomplete: lines are missing',
  notAnObject: () => 'has a line that is not a JSON object',
  misplacedLine: () => 'has a line in the wrong place',
  unknownLine: () => 'has a line of an unknown format',
  wrongValue: () => 'has a value that does not match its digest',
  changedSince: (revision: number) => `was changed at revision ${revision}`,
  otherEnd: () => 'does not end with the event that its header names',
} as const;

export const sealMessages = {
  /** @param what the row that was changed, one of the {@link rowNames} */
  forged: (sid: string, what: string) =>
    `Session '${sid}' can't be used: ${what} was not written by a server with these keys. ${inspect(sid)}, then restore the database from a backup.`,
  unknownKey: (sid: string, key: string) =>
    `Session '${sid}' can't be used: it was sealed with the key '${key}', which this server does not have. Add that key to the keys of this server again. If it is lost and "${verifyCommand(sid)}" reports nothing else, run "${sealCommand(sid)} --lost-key ${idInCommand(key)}".`,
  unsealed: (sid: string) =>
    `${notContinued(sid)}: it has no seal. An older version or another program wrote it, or somebody changed the database. ${inspect(sid)}. If it is right, a person can continue it with "${sealCommand(sid)}".`,
  unchecked: (sid: string) =>
    `${notContinued(sid)}: this program does not have the keys of its servers. Set WORKFLOWLOOKUP_KEYS to the same value as for the servers.`,
  sealedElsewhere: (sid: string) =>
    `${notContinued(sid)}: this server does not have the key that sealed it. Run "${verifyCommand(sid)}" to see which key it is, and add that key to the keys of this server again. If it is lost, a person can continue the session with "${sealCommand(sid)} --lost-key ID".`,
  imported: (sid: string) =>
    `Session '${sid}' can be read but not continued: it was imported from a server with other keys. Start a new session of the same workflow, or continue this one on the server that exported it.`,
  changedSinceInspection: (sid: string) =>
    `Session '${sid}' was written to while you inspected it, so nothing was sealed. Run "${verifyCommand(sid)}" and "${sealCommand(sid)}" again.`,
  noKeys: () =>
    'This program can only read the session database, because it does not have the keys of its servers. Set WORKFLOWLOOKUP_KEYS to the same value as for the servers, or use the state directory with their key file.',
} as const;

const verifyCommand = (sid: string): string => `workflowlookup sessions verify ${idInCommand(sid)}`;
const sealCommand = (sid: string): string => `workflowlookup sessions seal ${idInCommand(sid)}`;
const inspect = (sid: string): string => `Inspect it with "${verifyCommand(sid)}"`;
const notContinued = (sid: string): string => `Session '${sid}' can't be continued, and agents can't use it`;

/** Rows that can be changed, as messages name them. */
export const rowNames = {
  session: () => 'its row',
  event: (revision: number) => `event ${revision}`,
  call: (n: number) => `call ${n} of its trace`,
  commandResult: () => 'the recorded result of a command',
  agent: (number: number) => `agent ${number}`,
} as const;

/** Messages about damage in a database. */
export const damageMessages = {
  damaged: (problem: string) => `The session database is damaged: ${problem}. ${damageRemedy}.`,
  noSchemaVersion: () => 'it has no schema version',
  brokenIndex: (table: string) => `the index of its table ${table} is broken`,
  notUtf8: () => 'it contains a text that is not UTF-8',
  notAnObject: (what: string) => `${what} is not a JSON object`,
  apiKey: () => 'an API key was changed after it was stored',
  session: () => 'a session was changed after it was stored',
  severalRows: (sid: string) => `session '${sid}' is stored more than once`,
  value: (digest: string) => `the value ${digest} was changed after it was stored`,
  definition: (digest: string) => `the definition ${digest} was changed after it was stored`,
  call: (n: number, sid: string) => `call ${n} of session '${sid}' was changed after it was stored`,
  commandResult: () => 'the result of a command was changed after it was stored',
  agent: () => 'an agent of a session was changed after it was stored',
  event: (revision: number, sid: string) =>
    `event ${revision} of session '${sid}' was changed after it was stored`,
  missingEvent: (revision: number, sid: string) =>
    `the journal of session '${sid}' breaks at revision ${revision}`,
  wrongEnd: (sid: string) =>
    `the journal of session '${sid}' does not end with the event that the session names`,
} as const;

const damageRemedy = 'Restore it from a backup, or move it away to start with an empty one';

/** A failure of a database: what went wrong, and what to do. */
export interface FailureText {
  readonly problem: string;
  readonly remedy: string;
}

export const databaseMessages = {
  failed: ({ problem, remedy }: FailureText) => `The session database can't be used: ${problem}. ${remedy}.`,
  newerSchema: (found: number, known: number, place: 'database' | 'state directory') =>
    `The session database has schema version ${found}, but this program supports ${known}: a newer one wrote it. Use that one, or another ${place}.`,
  otherEncoding: (encoding: string) =>
    `The session database has the encoding ${encoding}, which can't represent every text. Create a database with ENCODING 'UTF8'.`,
  noLibsql: () => noSqlite('the package libsql can not be loaded'),
  noNodeSqlite: () => noSqlite('this Node.js has no node:sqlite'),
  noPg: () =>
    'Sessions can\'t be stored in Postgres: the package pg can not be loaded. Install it with "npm install pg@^8.23.1".',
  newerSqliteInUse: (version: string) =>
    `The session database is in use by a process with a newer SQLite, in a mode that SQLite ${version} can't share safely. Run all processes on one version of Node.js.`,
  removed: () =>
    'The session database was removed or replaced while it was in use. Writes that were not acknowledged are lost. Put the file back, or start with another state directory.',
} as const;

const noSqlite = (problem: string): string =>
  `Sessions can't be stored: ${problem}. Install libsql with "npm install libsql@0.5.29", or run a Node.js that contains SQLite 3.51.3 or newer, such as 22.23.`;

/** Failures of SQLite, by the reason in the data of the error. */
export const sqliteFailures = {
  busy: {
    problem: 'other processes kept it locked',
    remedy: 'Send the same call again',
  },
  'disk-full': {
    problem: 'the disk is full',
    remedy: 'Free some space and send the same call again',
  },
  'read-only': {
    problem: "this user can't write to its file or folder",
    remedy: 'Give this user permission to write there, or use another state directory with --state',
  },
  io: {
    problem: 'the disk reported an error',
    remedy: 'Check the disk, then send the same call again',
  },
  corrupt: { problem: 'its file is damaged', remedy: damageRemedy },
  /** @param code of the system, or of SQLite */
  unknown: (code: string | number): FailureText => ({
    problem: `it failed with ${typeof code === 'number' ? `SQLite code ${code}` : code}`,
    remedy: 'Check the state directory',
  }),
} as const;

/** Failures of Postgres, in the same way. */
export const postgresFailures = {
  unavailable: {
    problem: 'the server does not answer or ended the connection',
    remedy: 'Send the same call again in a moment. It takes effect only once',
  },
  busy: {
    problem: 'it is locked by others, or all connections are in use',
    remedy: 'Send the same call again in a moment',
  },
  timeout: {
    problem: 'it took too long to answer',
    remedy: 'Send the same call again in a moment',
  },
  'read-only': {
    problem: 'the server is read-only',
    remedy: 'Send the same call again in a moment, or use the address of the server that accepts writes',
  },
  'disk-full': {
    problem: 'the disk of the server is full',
    remedy: 'Free some space and send the same call again',
  },
  denied: {
    problem: 'the server refuses this user',
    remedy: 'Check the user, the password and its permissions',
  },
  'no-database': {
    problem: 'the server has no such database',
    remedy: 'Create the database, or use another one',
  },
  gone: {
    problem: 'its tables were removed while it was in use',
    remedy: 'Restore them, then start again',
  },
  tls: {
    problem: 'no secure connection to the server can be made',
    remedy: 'Check the TLS settings in the address and the certificate of the server',
  },
  address: {
    problem: 'its address is not valid',
    remedy: 'Write it as postgres://user:password@host:port/database',
  },
  corrupt: { problem: 'the server found it damaged', remedy: damageRemedy },
  /** @param state the SQLSTATE of the error */
  unknown: (state: string): FailureText => ({
    problem: `the server refused a statement with code ${state}`,
    remedy: 'Check the log of the server',
  }),
} as const;
