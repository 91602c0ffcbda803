/**
 * Texts about evidence for people, in the console and on the command line.
 *
 * @see docs/evidence.md
 */
export const evidenceTexts = {
  title: 'Current evidence',
  /** Labels of the facts that were collected. */
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
  /** Shown below evidence whose check the project does not have. */
  canBeConfigured: 'To set up checks, run "workflowlookup checks init" in the folder of the project.',
  freshness: {
    fresh: 'as they were when it was collected',
    stale: 'changed since it was collected',
    unknown: 'this server can’t tell whether they have changed',
  },
  /** Shown after a status if the server can't see the files. */
  unknownFiles: 'the files may have changed since',
} as const;
