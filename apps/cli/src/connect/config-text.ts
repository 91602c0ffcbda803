import { WorkflowError } from '@workflowlookup/schema';

/** A file that a client is configured in. */
export interface ConfigText {
  /** Its path, for messages. */
  readonly file: string;
  readonly text: string;
}

/** Why a file can't be changed, and where in it. */
export function problemAt({ file, text }: ConfigText, offset: number, message: string): WorkflowError {
  const lines = text.slice(0, offset).split('\n');
  const column = (lines.at(-1)?.length ?? 0) + 1;
  return new WorkflowError(
    'VALIDATION',
    `${file}:${lines.length}:${column}: ${message}. Nothing was written: set that right, or put the block there by hand.`,
  );
}

/** How a text ends its lines. */
export function lineEnd(text: string): '\n' | '\r\n' {
  return text.includes('\r\n') ? '\r\n' : '\n';
}
