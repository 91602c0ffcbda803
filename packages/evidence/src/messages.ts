// Every message of this package that a person or an agent reads, by topic. `test/messages.test.ts` has a snapshot of all
// of them. A reason completes the sentence "Evidence 'tests' failed: …", so it has no capital and no full stop.

/** What reports say, and what is wrong with them. */
export const reportMessages = {
  missing: (kind: string, pattern: string): string => `the command wrote no ${kind} report at '${pattern}'`,
  tooMany: (pattern: string, found: number, most: number): string =>
    `'${pattern}' names ${found} reports, expected at most ${most}`,
  left: (file: string): string => `the report '${file}' of an earlier run can't be deleted`,
  unreadable: (kind: string, file: string): string => `the report '${file}' is not a ${kind} report`,
};

/** Why a check does not count. */
export const checkReasons = {
  untrusted: (command: string): string =>
    `no person has trusted .workflowlookup/checks.yaml as it is now; ask the user to run "${command}"`,
  changed: (command: string): string =>
    `.workflowlookup/checks.yaml, or a file that it names under also_trust, changed after a person trusted it; undo the change, or ask the user to run "${command}"`,
  invalid: (issue: string): string => `.workflowlookup/checks.yaml has an error (${issue})`,
  fileRemoved: (): string =>
    `.workflowlookup/checks.yaml was deleted; restore it, or ask the user to trust a file without checks`,
  notConfigured: (check: string): string =>
    `the project has no check '${check}', so nothing was run; "workflowlookup checks init" proposes checks`,
  noRepository: (): string =>
    `the working folder is in no git repository with a commit; make one with "git init" and "git commit"`,
  exitCode: (code: number): string => `exit code ${code}`,
  endedBy: (signal: string): string => `ended by ${signal}`,
  timeout: (timeout: string): string => `it did not end within ${timeout}`,
  cancelled: (): string => 'it was cancelled',
  tooMuchOutput: (): string => 'it wrote more than 256 MiB',
  notStarted: (): string => "the command can't be started",
  failures: (failed: number, run: number, names: readonly string[]): string => {
    const more = failed > names.length ? '; …' : '';
    return `${failed} of ${run} tests failed${names.length === 0 ? '' : ` (${names.join('; ')}${more})`}`;
  },
  noTests: (): string => 'no test ran',
  noCounts: (): string =>
    'no JUnit report counts its tests; add one under reports in .workflowlookup/checks.yaml',
  tooFewTests: (run: number, least: number): string => `${run} tests ran, expected at least ${least}`,
  fewerTests: (run: number, before: number, check: string): string =>
    `${run} tests ran, and ${before} when the check was last accepted; restore the tests, or ask the user to run "workflowlookup checks run ${check} --accept"`,
  errors: (count: number, allowed: number): string => `${count} errors, allowed are ${allowed}`,
  noCoverage: (): string =>
    'no lcov report says how much is covered; add one under reports in .workflowlookup/checks.yaml',
  lowCoverage: (found: number, least: number): string =>
    `${found} % of the lines are covered, expected at least ${least} %`,
  filesChanged: (paths: readonly string[]): string =>
    `files changed while it ran (${paths.join(', ')}); if the command writes them, add them to .gitignore`,
  notCommitted: (paths: readonly string[]): string => `not committed: ${paths.join(', ')}`,
};

/** Why evidence about git, changes or a file fails. */
export const stateReasons = {
  notAhead: (ref: string): string => `the last commit is not ahead of '${ref}'`,
  notBased: (ref: string): string => `the last commit does not contain '${ref}'`,
  unknownRef: (ref: string): string => `there is no branch or commit '${ref}'`,
  outside: (paths: readonly string[], within: readonly string[]): string =>
    `changed outside of ${within.join(', ')}: ${paths.join(', ')}`,
  noFile: (path: string): string => `there is no file '${path}'`,
  outsideFolder: (path: string): string => `'${path}' leads out of the working folder`,
  tooSmall: (path: string, bytes: number, least: number): string =>
    `'${path}' has ${bytes} bytes, expected at least ${least}`,
};

/** Counts that did not need a reason. */
export function listed(paths: readonly string[], most = 5): readonly string[] {
  const more = paths.length - most;
  return more > 0 ? [...paths.slice(0, most), `${more} more`] : paths;
}
