/** How a command ends: as it should, with something found, not able to do its work, or without the keys to check all. */
export const exitCodes = { ok: 0, findings: 1, usage: 2, unchecked: 3 } as const;

/** The exit code of a process. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
