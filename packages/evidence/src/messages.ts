// Every message of this package that a person or an agent reads, by topic. `test/messages.test.ts` has a snapshot of all
// of them. A reason completes the sentence "Evidence 'tests' failed: …", so it has no capital and no full stop.

/** Messages about the contents of reports, and about problems with them. */
export const reportMessages = {
  missing: (kind: string, pattern: string) => `the command wrote no ${kind} report at '${pattern}'`,
  tooMany: (pattern: string, found: number, most: number) =>
    `'${pattern}' names ${found} reports, expected at most ${most}`,
  left: (file: string) => `the report '${file}' of an earlier run can't be deleted`,
  unreadable: (kind: string, file: string) => `the report '${file}' is not a ${kind} report`,
  toolFailed: (file: string) => `the report '${file}' says that the tool could not do its work`,
} as const;

/** How a person trusts checks: with a command, and perhaps in a console. */
interface TrustingHow {
  readonly command: string;
  readonly hasConsole?: boolean;
}

function trusting({ command, hasConsole = false }: TrustingHow): string {
  return `run "${command}"${hasConsole ? ', or to trust it in the console' : ''}`;
}

/** Why a check does not count. */
export const checkReasons = {
  untrusted: (how: TrustingHow) =>
    `no person has trusted .workflowlookup/checks.yaml as it is now; ask the user to ${trusting(how)}`,
  changed: (how: TrustingHow) =>
    `.workflowlookup/checks.yaml, or a file that it names under also_trust, changed after a person trusted it; undo the change, or ask the user to ${trusting(how)}`,
  invalid: (issue: string) => `.workflowlookup/checks.yaml has an error (${issue})`,
  fileRemoved: () =>
    `.workflowlookup/checks.yaml was deleted; restore it, or ask the user to trust a file without checks`,
  notConfigured: (check: string) => `the project has no check '${check}', so nothing was run`,
  noRepository: () =>
    `the working folder is in no git repository with a commit that can be read; make one with "git init" and "git commit", or find the damage with "git fsck"`,
  exitCode: (code: number) => `exit code ${code}`,
  endedBy: (signal: string) => `ended by ${signal}`,
  timeout: (timeout: string) => `it did not end within ${timeout}`,
  cancelled: () => 'it was cancelled',
  tooMuchOutput: () => 'it wrote more than 256 MiB',
  notStarted: () => "the command can't be started",
  failures: (failed: number, run: number, names: readonly string[]) => {
    const more = failed > names.length ? '; …' : '';
    return `${failed} of ${run} tests failed${names.length === 0 ? '' : ` (${names.join('; ')}${more})`}`;
  },
  noTests: () => 'no test ran',
  noCounts: () => 'no JUnit report counts its tests; add one under reports in .workflowlookup/checks.yaml',
  tooFewTests: (run: number, least: number) => `${run} tests ran, expected at least ${least}`,
  /** @param command with which a person accepts fewer tests */
  fewerTests: (run: number, before: number, command: string) =>
    `${run} tests ran, and ${before} when the check was last accepted; restore the tests, or ask the user to run "${command}"`,
  errors: (count: number, allowed: number) => `${count} errors, allowed are ${allowed}`,
  noCoverage: () =>
    'no lcov report says how much is covered; add one under reports in .workflowlookup/checks.yaml',
  lowCoverage: (found: number, least: number) =>
    `${found} % of the lines are covered, expected at least ${least} %`,
  filesChanged: (paths: readonly string[]) =>
    `files changed while it ran (${paths.join(', ')}); if the command writes them, add them to .gitignore`,
  notCommitted: (paths: readonly string[], hasNew: boolean) =>
    `not committed: ${paths.join(', ')}${hasNew ? ' (new files count unless a .gitignore in the project ignores them)' : ''}`,
  statedAsFailed: () => 'the signed statement says that it failed',
} as const;

/** Why evidence about git, changes or a file fails. */
export const stateReasons = {
  notAhead: (ref: string) => `the last commit is not ahead of '${ref}'`,
  notBased: (ref: string) => `the last commit does not contain '${ref}'`,
  unknownRef: (ref: string) => `there is no branch or commit '${ref}'`,
  unreadable: (ref: string) =>
    `the files of the last commit or of '${ref}' can't be read from the repository; run "git fsck"`,
  outside: (paths: readonly string[], within: readonly string[]) =>
    `changed outside of ${within.join(', ')}: ${paths.join(', ')}`,
  noFile: (path: string) => `there is no file '${path}'`,
  notInCommit: (path: string) =>
    `'${path}' is not in the last commit; commit it, and take it out of .gitignore`,
  outsideFolder: (path: string) => `'${path}' leads out of the working folder`,
  tooSmall: (path: string, bytes: number, least: number) =>
    `'${path}' has ${bytes} bytes, expected at least ${least}`,
} as const;

/** Why check runs of GitHub do not count. None of them may name the token. */
export const githubReasons = {
  noToken: () => 'the server has no token for GitHub; ask the user to set WORKFLOWLOOKUP_GITHUB_TOKEN',
  notEncrypted: () => 'GITHUB_API_URL must start with https:',
  noRepository: () =>
    '.workflowlookup/checks.yaml names no repository of GitHub; ask the user to add "github: {repository: owner/name}"',
  noRun: (name: string, commit: string) =>
    `GitHub has no check run '${name}' for commit ${commit}; push the commit, or wait until CI has begun`,
  concluded: (name: string, conclusion: string) => `check run '${name}' ended with '${conclusion}'`,
  pending: (name: string, status: string) => `check run '${name}' is ${status.replaceAll('_', ' ')}`,
  noCounts: () => 'check runs of GitHub count no tests; remove tests, min and coverage',
  tokenRefused: () => 'GitHub refuses the token of the server; ask the user to renew it',
  noAccess: (repository: string) =>
    `GitHub shows no check runs of '${repository}' to this token; it needs read access to checks`,
  unknownCommit: (commit: string, repository: string) =>
    `GitHub knows no commit ${commit} in '${repository}'; push it`,
  /** @param at the time from which GitHub answers again, if it says so */
  limited: (at: string | undefined) =>
    `GitHub limits the requests of this token; try again ${at === undefined ? 'later' : `after ${at}`}`,
  unreachable: () => "GitHub can't be reached, or failed; try again later",
  failed: (status: number) => `GitHub answered with status ${status}`,
} as const;

/** Signed statements and the keys that sign them. */
export const statementMessages = {
  tooLong: (most: number) =>
    `The statement is longer than ${most} characters, which is the most that a server reads.`,
  notAnEnvelope: () =>
    'This is not a signed statement: expected a DSSE envelope with payloadType, payload and signatures, as "workflowlookup attest" writes it.',
  notBase64: () => 'The payload and the signatures of a statement must be base64.',
  otherPayload: (found: string, expected: string) =>
    `The payload of the statement has the type '${found.slice(0, 200)}', expected '${expected}'.`,
  otherPredicate: (found: string, expected: string) =>
    `The statement has the predicate '${found}', expected '${expected}'.`,
  notAnObject: () =>
    'The payload of the statement must be a JSON object in UTF-8, in which no name stands twice.',
  notAStatement: () =>
    'The statement lacks fields that a server needs: a commit as its only subject, and what "workflowlookup attest" writes about a check.',
  /** @param names of the keys that the server trusts */
  unknownKey: (names: readonly string[]) =>
    names.length === 0
      ? 'This server trusts no keys, so it believes no statement. Start it with --trusted-key NAME=FILE.'
      : `No trusted key signed the statement as it is now. Trusted: ${names.join(', ')}. Use the statement exactly as it was signed.`,

  keyUnreadable: (file: string, code: string) => `The key file '${file}' can't be read (${code}).`,
  notAKey: (file: string) =>
    `The file '${file}' has no key. Expected a PEM file, such as "openssl genpkey -algorithm ed25519 -out ci.key" writes; without a passphrase.`,
  otherKeyType: (file: string, found: string) =>
    `The key in '${file}' is of type ${found}, expected ed25519. Make one with "openssl genpkey -algorithm ed25519 -out ci.key".`,
  publicForSigning: (file: string) =>
    `The key in '${file}' is public. A statement is signed with the private key.`,
  privateForTrust: (file: string) =>
    `The key in '${file}' is private, and whoever can read it can sign. A server needs only the public key: "openssl pkey -in ci.key -pubout -out ci.pub".`,

  /** @param field which of them differs */
  otherFindings: (
    field: 'check' | 'checksDigest' | 'commit' | 'session',
    found: string | undefined,
    expected: string | undefined,
  ) => {
    const name = field === 'checksDigest' ? 'digest of the checks' : field;
    return `The findings name the ${name} ${found ?? '(none)'}, expected ${expected ?? '(none)'}. Run the check at this commit again, with the same options.`;
  },
  unreadable: (file: string, code: string) => `The statement '${file}' can't be read (${code}).`,
  notOfASession: () =>
    'This is not a statement of a session, or it lacks fields. "workflowlookup sessions export --statement" writes one.',
  brokenSession: (sid: string, problems: readonly string[]) =>
    `No statement was signed, because session ${sid} has problems. ${problems.join(' ')} Run "workflowlookup sessions verify ${sid}".`,
  unauthenticated: (sid: string) =>
    `No statement was signed, because no key of this server sealed session ${sid}.`,
  movedOn: (sid: string) =>
    `No statement was signed, because session ${sid} changed meanwhile. Run the command again.`,

  noCheck: (check: string, problem: string | undefined) =>
    problem === undefined
      ? `The project has no check '${check}'. Run "workflowlookup checks list".`
      : `.workflowlookup/checks.yaml has an error (${problem}).`,
  noRepository: () => `The check can't be attested: ${checkReasons.noRepository()}.`,
  notClean: (paths: readonly string[]) =>
    `A statement is about a commit, and these files differ from it: ${paths.join(', ')}. Commit them, or add them to .gitignore.`,
  changedMeanwhile: (paths: readonly string[]) =>
    `Files changed while the check ran: ${paths.join(', ')}. If the command writes them, add them to .gitignore.`,
} as const;

/** Counts that did not need a reason. */
export function listed(paths: readonly string[], most = 5): readonly string[] {
  const more = paths.length - most;
  return more > 0 ? [...paths.slice(0, most), `${more} more`] : paths;
}
