import { WorkflowError } from '@workflowlookup/schema';
import type { ExitCode } from './command-line.ts';
import { exitCodes } from './command-line.ts';
import { trustMessages } from '../messages/definitions.ts';
import { jsonText, plainLine } from '../terminal/plain-text.ts';

/** Errors about stored data, not about how the command was called. */
const findings: ReadonlySet<string> = new Set([
  'INVALID_CRITERIA',
  'INVALID_FILE',
  'INVALID_STATE',
  'SESSION_COMPLETED',
  'SESSION_CONFLICT',
  'SESSION_UNVERIFIED',
  'STORE_DAMAGED',
]);

export function exitCodeOf(error: unknown): ExitCode {
  if (!(error instanceof WorkflowError)) return exitCodes.usage;
  return findings.has(error.code) ? exitCodes.findings : exitCodes.usage;
}

/** Returns whether an error says that stored data is damaged. */
export function isDamage(error: unknown): error is WorkflowError {
  return error instanceof WorkflowError && error.code === 'STORE_DAMAGED';
}

/** Returns what to print about an error: a line for people, or JSON. */
export function failureText(error: unknown, asJson: boolean): string {
  const { code, message, data } = error as { code?: unknown; message?: unknown; data?: unknown };
  const name = typeof code === 'string' ? code : 'INTERNAL';
  const line = plainLine(name === 'UNTRUSTED' ? untrustedText(data) : String(message));
  return asJson ? jsonText({ error: { code: name, message: line } }) : `workflowlookup: ${line} (${name})`;
}

/** Rewords the error of the engine, whose text tells an agent to ask its user. The reader here may be that user. */
function untrustedText(data: unknown): string {
  const { workflowId, command } = data as Readonly<Record<'command' | 'workflowId', string>>;
  return trustMessages.untrustedWorkflow(workflowId, command);
}
