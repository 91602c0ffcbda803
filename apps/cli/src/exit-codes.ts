import { WorkflowError } from '@workflowlookup/schema';

/** How a command ends: as it should, with something found, or not able to do its work. */
export const exitCodes = { ok: 0, findings: 1, usage: 2 } as const;

/** The exit code of a process. */
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Errors that are about what is kept, not about how the command was called. */
const findings: ReadonlySet<string> = new Set([
  'SESSION_COMPLETED',
  'SESSION_CONFLICT',
  'STATE',
  'VALIDATION',
]);

/** The exit code a failure leads to. */
export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof WorkflowError)) return exitCodes.usage;
  return findings.has(error.code) || isDamage(error) ? exitCodes.findings : exitCodes.usage;
}

/** Whether a store says that what it keeps is not what was written. */
export function isDamage(error: unknown): error is WorkflowError {
  return (
    error instanceof WorkflowError &&
    error.code === 'STORAGE' &&
    ['broken-chain', 'corrupt'].includes(String(error.data['reason']))
  );
}
