import type { ApiError } from '@workflowlookup/console/contract';
import type { Log } from '@workflowlookup/mcp';
import { describeError } from '@workflowlookup/mcp';
import { errorCodes, WorkflowError } from '@workflowlookup/schema';
import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';

/** Answers with a failure. */
export function answerError(
  context: Context,
  error: ApiError,
  status: ContentfulStatusCode = error.code === 'TOO_MANY_REQUESTS' ? 429 : errorCodes[error.code].http,
): Response {
  return context.json(error, status);
}

/** Answers what a route threw: a failure with a code says what it is, anything else is in the log alone. */
export function answerThrown(context: Context, error: Error, log: Log): Response {
  if (error instanceof WorkflowError) {
    const { code, message, data } = error;
    if (code === 'BUSY') context.header('retry-after', '1');
    return answerError(context, { code, message, ...(Object.keys(data).length > 0 && { data }) });
  }
  log('error', 'failure', describeError(error));
  return answerError(context, { code: 'INTERNAL', message: 'The server failed; its log says how.' });
}

/** Answers that more may be asked for later. */
export function answerTooMany(context: Context, waitSeconds: number): Response {
  context.header('retry-after', String(waitSeconds));
  return answerError(context, {
    code: 'TOO_MANY_REQUESTS',
    message: `That was too often: try again in ${waitSeconds} s.`,
  });
}
