import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from './exit-codes.ts';
import { exitCodes } from './exit-codes.ts';

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
