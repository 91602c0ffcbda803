/**
 * Exit codes: success, a problem was found, the command could not do its work, or it lacked the keys to check
 * everything.
 */
export const exitCodes = { ok: 0, findings: 1, usage: 2, unchecked: 3 } as const;

/** The exit code of a process. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
