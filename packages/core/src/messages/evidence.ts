/**
 * The messages about evidence of steps. A reason completes the sentence "Evidence 'tests' failed: …". A server adds the
 * call that collects evidence.
 */
export const evidenceMessages = {
  missing: (id: string): string => `Evidence '${id}' is missing.`,
  failed: (id: string, reasons: readonly string[]): string =>
    `Evidence '${id}' failed: ${reasons.join(', ')}. Fix that, then collect it again.`,
  stale: (id: string): string =>
    `Evidence '${id}' is stale: files, or the variables it depends on, changed after it was collected.`,
  weak: (id: string, found: string, level: string): string =>
    `Evidence '${id}' has level ${found}, and the step asks for ${level}.`,
  unseen: (id: string, folder: string | undefined): string =>
    `Evidence '${id}' was collected in ${folder === undefined ? 'another folder' : `'${folder}'`}, and this server can't see whether the files there have changed. Use the server of that folder.`,
  notConfigured: (id: string, reasons: readonly string[]): string =>
    `Evidence '${id}' proves nothing: ${reasons.join(', ')}.`,
  /** Said once in a session. */
  canBeConfigured: (): string => 'A person can set up checks with "workflowlookup checks init".',
  passed: (id: string): string => `Evidence '${id}' passed.`,

  unset: (id: string, variables: readonly string[]): string =>
    `Evidence '${id}' can't be collected before ${variables.join(' and ')} ${variables.length === 1 ? 'has a value' : 'have values'}.`,
  unknown: (ids: readonly string[], known: readonly string[]): string =>
    `The current activity asks for no evidence '${ids.join("', '")}'. It asks for: ${known.length === 0 ? 'none' : known.join(', ')}.`,
  /** @param activity in which it was collected */
  left: (id: string, activity: string): string =>
    `Evidence '${id}' belongs to '${activity}', which the session has left, so it can't be collected again. Its last result stays on record, and everyone who decides sees whether files have changed since. If you changed files, tell your user.`,
  needsStatement: (): string =>
    'Only CI can prove it: have CI attest the check, then call collect_evidence with its statement.',
  noFolder: (sid: string): string =>
    `This server can't see the folder in which you work, so it can't collect evidence. Ask the user to run "workflowlookup verify --session ${sid} --server URL" there, or call collect_evidence with the statement of CI.`,
  otherFolder: (found: string, folder: string): string =>
    `The session was started in '${folder}', and this server works in '${found}', so it can't collect its evidence. Use the server of that folder.`,
  noStatements: (): string =>
    'This server believes no signed statements. Start it with --trusted-key NAME=FILE.',
  otherCheck: (found: string, asked: readonly string[]): string =>
    `The statement is about the check '${found}'. The current activity asks for: ${asked.length === 0 ? 'none' : asked.join(', ')}.`,
  otherSession: (found: string, sid: string): string =>
    `The statement is for session '${found}', and this is session '${sid}'. Have CI attest the check for this session.`,
  noSession: (sid: string): string =>
    `This server can't see the files, so a statement counts only if it names the session. Run "workflowlookup attest" in CI with --session ${sid}.`,
  inTheFuture: (ranAt: string): string =>
    `The statement says that the check ran at ${ranAt}, which is in the future. Correct the clock of the machine that signed it.`,
  tooOld: (ranAt: string, newest: string): string =>
    `The statement is of a run at ${ranAt}, expected one after ${newest}, when the activity was entered or the last result was collected. Have CI run the check again.`,
  otherCommit: (found: string, head: string): string =>
    `The statement is about commit ${found}, and the working folder is at commit ${head}. Have CI attest that commit.`,
  notCommitted: (commit: string): string =>
    `The statement is about commit ${commit}, and files of the working folder differ from the last commit. Commit or undo the changes, and have CI attest the commit.`,
  otherChecks: (): string =>
    'The checks of that commit are not those that a person trusted. Undo the change of .workflowlookup/checks.yaml, or ask the user to run "workflowlookup checks trust".',
  otherDemand: (id: string): string =>
    `Evidence '${id}' asks for something else now, because the workflow or its variables have changed. Collect it again.`,
  sameCredential: (): string =>
    "This credential works on the session as an agent, so it can't report what a person saw. Use the API key of a person.",
  activityLeft: (activity: string): string =>
    `The session left activity '${activity}' while its evidence was collected. Nothing was recorded.`,
};
