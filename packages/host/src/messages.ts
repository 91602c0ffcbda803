// Every message of this package that a person or an agent reads, by topic. A message says what is wrong with the value
// found, what is expected, and what to do next. `test/messages.test.ts` has a snapshot of all of them.

/** Options of servers and commands. A caller adds the way to the help, so these texts end without a full stop. */
export const optionMessages = {
  wrongWord: (flag: string, choices: readonly string[], found: string) =>
    `--${flag} must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}, found '${found}'`,
  wrongSwitch: (variable: string, found: string) => `${variable} must be true or false, found '${found}'`,
  wrongSeconds: (found: string) =>
    `--min-response-seconds must be a number of seconds, such as 3 or 0.5, found '${found}'`,
  wrongNotBefore: (found: string) =>
    `WORKFLOWLOOKUP_KEYS_NOT_BEFORE must be a time such as 2030-01-31T12:00:00Z, found '${found}'`,
  wrongAuditPlace: (found: string) =>
    `--audit (or WORKFLOWLOOKUP_AUDIT) must be a file, syslog://HOST[:PORT] or -, found '${found}'`,

  wrongTrustedKey: (found: string) =>
    `--trusted-key (or WORKFLOWLOOKUP_TRUSTED_KEYS) must be NAME=FILE, such as ci=ci.pub, found '${found}'`,
  twoTrustedKeys: (name: string) => `--trusted-key names two keys '${name}'. Give each key its own name`,
  trustedKeyUnreadable: (file: string, code: string) =>
    `--trusted-key '${file}' can't be read (${code}). Correct the path, or let this user read the file`,

  /** @param directory as it was given */
  directoryIsFile: (directory: string) =>
    `--workflows '${directory}' is a file. Name the directory that holds the definitions`,
  directoryUnreadable: (directory: string, code: string, path: string) =>
    `--workflows '${directory}' can't be read (${code}). Let this user read ${path}`,
  directoryMissing: (directory: string, path: string) =>
    `--workflows '${directory}' does not exist: found nothing at ${path}. Correct the path, or create the directory`,

  /** @param problem one of the {@link databaseProblems} */
  wrongDatabase: (problem: string) => `--database (or WORKFLOWLOOKUP_DATABASE) ${problem}`,

  oldNode: (found: string, oldest: string) =>
    `Node.js ${found} is too old. Install Node.js ${oldest} or later.`,
} as const;

/** What is wrong with the address of a database. Each text completes a sentence about it. */
export const databaseProblems = {
  notPostgres: () =>
    'must be an address of Postgres, such as postgres://user@localhost/database. Without it, sessions are kept in SQLite, in the state directory',
  unknownMode: (found: string, known: readonly string[]) =>
    `has sslmode=${found}, which is not one of ${known.join(', ')}`,
  maybeNotEncrypted: (host: string) =>
    `leads to another machine (${host}) and does not say whether the connection is encrypted. Add ?sslmode=verify-full to the address (and &sslrootcert=FILE for a private certificate authority); if nobody else uses the network in between, add ?sslmode=disable`,
} as const;

/** Places where a server keeps things. */
export const placeMessages = {
  wrongAddress: (problem: string) => `The address of the database ${problem}.`,
  postgres: () => 'the Postgres database',
  postgresAt: (name: string, host: string) =>
    `the Postgres database '${name}' ${host === '' ? 'on this machine' : `at ${host}`}`,
  /** A command for a person who operates the server. */
  onTheServer: (command: string, flags: readonly ('--database' | '--state')[]) =>
    `${command}, on the machine of the server and with the value of ${flags.join(' and ')} that it was started with`,
  withDatabase: (command: string, database: string) => `${command}, where URL leads to ${database}`,

  anchorNotWritten: (place: string, reason: string, lines: { waiting: number; dropped: number }) =>
    `The anchor '${place}' can't be written (${reason}). The server keeps trying: ${lines.waiting} lines are waiting${lines.dropped === 0 ? '' : `, and ${lines.dropped} were dropped`}.`,
  auditNotWritten: (reason: string | undefined) =>
    `The audit log can't be written${reason === undefined ? '' : ` (${reason})`}. Entries are lost until it can be written again.`,
  diskFull: () => 'only a part of the entry fitted on the disk',
} as const;

/** The keys that tokens are signed with. */
export const keyMessages = {
  /** @param code of the system error, such as `EACCES` */
  unusable: (action: 'changed' | 'read or created', code: string) =>
    `The token keys in the state directory can't be ${action} (${code}). ${keyRemedies[code] ?? "Make the folder writable for the server's user, or use another one."}`,
  lineOfFile: (index: number, file: string) => `Line ${index + 1} of '${file}'`,
  keyOfVariable: (index: number, variable: string) => `Key ${index + 1} of ${variable}`,
  /** @param name one of those above */
  wrongKey: (name: string, length: number) =>
    `${name} must have 64 hexadecimal digits, but ${length === 64 ? 'one of its 64 characters is not a hexadecimal digit' : `it has ${length} characters`}. Put the key back as it was, or remove it. Agents whose tokens it signed must then pass them to start_session.`,
  otherKeys: () =>
    `The servers that share this database sign tokens with other keys than this one. Set WORKFLOWLOOKUP_KEYS to the same keys on all of them. To add a key, put it beside those that they have.`,
  keysFromVariable: () =>
    'The keys come from WORKFLOWLOOKUP_KEYS, not from the state directory, so nothing was changed. Add the new key to that variable, and keep the others.',
  otherRotation: (lock: string) =>
    `Another process is changing the keys. Try again when it has ended. If there is no such process, remove '${lock}' from the state directory.`,

  /** @param reason one of the {@link openPlaces}; @param mode the permissions, such as `0777` */
  open: (reason: string, mode: string, command: string) =>
    `The token keys in the state directory are not used: ${reason} (mode ${mode}), so the keys may be somebody else's. Stop all servers that use the state directory, and run "${command}" in it. Then, if you don't know whether the keys are yours, remove the folder 'keys' from the state directory. Only after that, start a server. If the file system has no permissions, set WORKFLOWLOOKUP_KEYS or use another state directory.`,
} as const;

const noTokenKey =
  "Its folder 'keys' has files but no 'token-key'. Put that file back, or remove the folder.";
const keyRemedies: Readonly<Record<string, string>> = {
  ENOSPC: 'Free some space on the disk.',
  ENOTEMPTY: noTokenKey,
  EEXIST: noTokenKey,
};

/** Why somebody else could have made or read the keys. */
export const openPlaces = {
  around: () => 'every user can write to the folder around the state directory',
  everybodyWrites: (folder: string) => `every user can write to ${folder}`,
  groupWrites: (folder: string) => `a group of users can write to ${folder}`,
  otherOwner: (what: string, owner: number) => `${what} belongs to another user (${owner})`,
  notRegular: (file: string) => `'${file}' is not a regular file`,
  othersUse: (file: string) => `other users can read or write '${file}'`,
  stateDirectory: () => 'the state directory',
  folder: (name: string) => `its folder '${name}'`,
} as const;

/** API keys. */
export const apiKeyMessages = {
  wrongPrincipal: (found: string) =>
    `The principal must have 1 to 128 printable characters and no spaces, found '${found}'.`,
  wrongScope: (known: readonly string[], found: string | undefined) =>
    `The scopes are ${known.join(', ')}; found ${found === undefined ? 'none' : `'${found}'`}. Name one or more of them.`,
  wrongExpiry: (found: string) =>
    `The expiry must be a date such as 2030-01-31 or a span such as 30d, found '${found}'.`,
  expiryInPast: (found: string, now: string) =>
    `The expiry '${found}' is in the past: it is ${now} now. Name a later date, or a span such as 30d.`,
  notRevoked: (id: string) =>
    `The API key '${id}' can still be used: the database accepted the revocation but did not keep it. Only servers with this state directory refuse the key. Look for triggers, rules and other programs that write to the database. To refuse the key everywhere, set WORKFLOWLOOKUP_KEYS_NOT_BEFORE to the present time on all servers, and create new keys.`,

  // Why a key is refused. Each completes a sentence about the key.
  expired: (at: string) => `expired at ${at}`,
  revoked: (at: string) => `was revoked at ${at}`,
  tooOld: (notBefore: string) =>
    `was created before ${notBefore}, and the server accepts no keys from before that time`,
} as const;

/** What a person trusts of the definitions of a project. */
export const trustMessages = {
  folderTooWide: (path: string) =>
    `'${path}' can't be trusted as a whole, because every project that is ever put below it would be trusted. Name the folder of one project.`,
  /** @param problem one of the {@link trustProblems} */
  recordUnusable: (problem: string) =>
    `Nothing was changed: the trust record, trust.json in the state directory, can't be used, because ${problem}. Use the WORKFLOWLOOKUP_KEYS and the --state of the servers, and let only this user write to the file. To start with an empty record, delete the file.`,
  /** @param problem the first one in the file */
  checksInvalid: (problem: string) =>
    `The checks were not trusted, because .workflowlookup/checks.yaml has an error (${problem}). Correct it, then review the file again.`,
  otherChange: (lock: string) =>
    `Nothing was changed, because another process is changing the trust record. Try again when it has ended. If there is no such process, remove '${lock}' from the state directory.`,
  recordNotWritten: (code: string) =>
    `The trust record in the state directory can't be written (${code}). Make the folder writable for this user, or use another one with --state.`,
} as const;

export const trustProblems = {
  othersWrite: () => 'other users may write to it',
  otherKeys: () => 'it was not written with the token keys that are used here',
  unreadable: () => 'it is damaged, or this user may not read it',
} as const;

/** Files that people read, check and save in the console. */
export const draftMessages = {
  noSource: (source: string) => `There is no source '${source}'. Use one of those that the console lists.`,
  noFile: (source: string, file: string) =>
    `The source '${source}' has no file '${file}'. The page of a workflow lists its files.`,
  notOfDefinition: (source: string, file: string) =>
    `'${file}' is not part of a definition in the source '${source}', so its text is not shown. The page of a workflow lists its files.`,
  notTrusted: (source: string, file: string) =>
    `No person has trusted '${file}' in the source '${source}' as it is now. Review it first, on the page of workflows or with: workflowlookup trust`,
  outside: () =>
    'This path is outside the source, or its name is not one of a definition file. Use a relative path that ends in .json, .yaml, .yml, .toon or .md.',
  notText: (file: string) =>
    `'${file}' is not a text file in UTF-8 of at most 1 MiB, so it can't be part of a definition. Replace it with a text file.`,
  isLink: (file: string) =>
    `'${file}' is a symbolic link, and links are not followed. Open the file it points to, or put a copy of that file in its place.`,
  unreadable: (file: string, code: string) =>
    `'${file}' can't be read (${code}). Let the user of the server read it, and check the disk.`,

  readOnly: (source: string) =>
    `The source '${source}' is read-only. To save to it, start the server with --writable and its directory.`,
  notScanned: (file: string) =>
    `'${file}' was not saved, because the server never looks for definitions at this path. A definition is a .json or .yaml file, or a part of an activity workflow, at most 3 folders deep. Its name has no invisible characters and does not end in .test.yaml, which marks tests. Save it under another path.`,
  noName: () => 'The copy has no name. Send the name that the list of workflows shows for it.',
  badId: (id: string) =>
    `'${id.slice(0, 64)}' is not the id of a workflow. Use 3 to 64 lowercase letters, digits and dashes.`,
  changed: (file: string) =>
    `'${file}' was changed after you read it, and nothing was written. Read it again, and repeat your changes.`,
  exists: (file: string) =>
    `'${file}' already exists, and nothing was written. Read the file again before you save it.`,
  hasErrors: (file: string) =>
    `'${file}' was not saved, because it has errors. Correct the errors in data.problems and save it again.`,
  notWritten: (file: string, code: string) =>
    `'${file}' can't be written (${code}). Let the user of the server write to it, and check the disk.`,
} as const;

const sendLess = 'Send a smaller workflow, output or list of criteria.';

/** Calls that run in a worker. */
export const jobMessages = {
  noWorkflow: () =>
    'The text is not a valid workflow, so there is no dry run of it. Correct the errors in data.problems.',
  notReadable: (line: number, problem: string) =>
    `The criteria are not valid YAML or JSON: ${problem} (line ${line}). Write them as in a definition.`,
  wrongFields: (problem: string) =>
    `The fields can't be used: ${problem} Write them as in a step, such as [{id: summary, min_length: 30}].`,
  tooSlow: (mostMs: number) => `The call took more than ${mostMs} ms and was stopped. ${sendLess}`,
  outOfMemory: () => `The call needed more memory than a call may use. ${sendLess}`,
  workerEnded: () => `The worker of this call ended before the call was done. ${sendLess}`,
  answerTooLong: (most: number) =>
    `The answer would be longer than ${most} characters. Ask about a smaller workflow.`,
  tooManyWaiting: (most: number) =>
    `${most} of your calls are already waiting for a worker. Try again when one of them has been answered.`,
  shuttingDown: () => 'The server is shutting down. Send the call again in a moment.',
} as const;
