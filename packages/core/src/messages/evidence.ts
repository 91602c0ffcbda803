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
  passed: (id: string): string => `Evidence '${id}' passed.`,

  unset: (id: string, variables: readonly string[]): string =>
    `Evidence '${id}' can't be collected before ${variables.join(' and ')} ${variables.length === 1 ? 'has a value' : 'have values'}.`,
  unknown: (ids: readonly string[], known: readonly string[]): string =>
    `The current activity asks for no evidence '${ids.join("', '")}'. It asks for: ${known.length === 0 ? 'none' : known.join(', ')}.`,
  noFolder: (): string =>
    "This server can't see the folder in which you work, so it can't collect evidence. Work on this session through a server over stdio, started in that folder.",
  otherFolder: (found: string, folder: string): string =>
    `The session was started in '${folder}', and this server works in '${found}', so it can't collect its evidence. Use the server of that folder.`,
  activityLeft: (activity: string): string =>
    `The session left activity '${activity}' while its evidence was collected. Nothing was recorded.`,
};
