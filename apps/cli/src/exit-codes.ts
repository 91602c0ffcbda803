/** How a command ends: as it should, with something found, or not able to do its work. */
export const exitCodes = { ok: 0, findings: 1, usage: 2 } as const;

/** The exit code of a process. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
