/**
 * The words in which people read evidence, in the console and on the command line.
 *
 * @see docs/evidence.md
 */
export const evidenceTexts = {
  title: 'Current evidence',
  /** The names of what was found. */
  facts: {
    check: 'Check',
    command: 'Command',
    exitCode: 'Exit code',
    tests: 'Tests',
    errors: 'Errors',
    coverage: 'Covered lines',
    duration: 'Duration',
    commit: 'Commit',
    paths: 'Paths',
    base: 'Compared with',
    touched: 'Written while it ran, but the same afterwards',
    by: 'Collected by',
  },
  /** @param before how many tests ran when the check was last accepted */
  tests: (
    { run, failed, skipped }: { readonly run: number; readonly failed: number; readonly skipped: number },
    before?: number,
  ): string =>
    `${run} ran, ${failed} failed, ${skipped} skipped${before === undefined ? '' : `; ${before} ran when it was last accepted`}`,
  uncommitted: ' and uncommitted changes',
  /** Below evidence whose check the project does not have. */
  canBeConfigured: 'To set up checks, run "workflowlookup checks init" in the folder of the project.',
  freshness: {
    fresh: 'as they were when it was collected',
    stale: 'changed since it was collected',
    unknown: 'this server can’t tell whether they have changed',
  },
  /** After a status, where the server can't see the files. */
  unknownFiles: 'the files may have changed since',
} as const;
