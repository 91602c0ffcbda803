import type { ActivityReading, Reply } from '@workflowlookup/core/sessions';
import type { JsonObject, WorkflowError } from '@workflowlookup/schema';
import type { ToolAnswer } from './tool.ts';

/** Loads what the tools use from other packages. The first call does it, so that the server starts without them. */
export const loadOnFirstCall = (): Promise<typeof import('./loaded-on-first-call.ts')> =>
  import('./loaded-on-first-call.ts');

/** Encodes a value as TOON. */
export async function toToon(value: object): Promise<string> {
  return (await loadOnFirstCall()).toToon(value);
}

/** Joins texts with a line `---` between them, without the empty ones. */
export async function joinSections(...sections: readonly string[]): Promise<string> {
  return (await loadOnFirstCall()).joinSections(...sections);
}

export function jsonAnswer(
  reply: Reply<unknown>,
  fields: object,
  shownWarnings: readonly string[] = reply.warnings,
): ToolAnswer {
  return {
    json: {
      ...fields,
      session_token: reply.token,
      ...(shownWarnings.length > 0 && { warnings: shownWarnings }),
    },
    meta: answerMeta(reply),
  };
}

/** Returns a text answer made of sections. One of them should begin with {@link answerHeader}. */
export async function textAnswer(reply: Reply<unknown>, ...sections: readonly string[]): Promise<ToolAnswer> {
  return { text: await joinSections(...sections), meta: answerMeta(reply) };
}

/** Returns an activity as an agent reads it: its operations, then the header and the activity. */
export async function activityAnswer(
  reply: Reply<unknown>,
  { bundle, body }: ActivityReading,
  more: object = {},
): Promise<ToolAnswer> {
  return textAnswer(reply, bundle, `${await answerHeader(reply, more)}\n${body}`);
}

/** Returns the header of a text answer: the session token, the warnings and the fields of `more`. */
export function answerHeader({ token, warnings }: Reply<unknown>, more: object = {}): Promise<string> {
  return toToon({ session_token: token, ...(warnings.length > 0 && { warnings }), ...more });
}

/** Returns the error for arguments that match the schema one by one but not together. */
export async function invalidArguments(details: string): Promise<WorkflowError> {
  const parts = await loadOnFirstCall();
  return new parts.WorkflowError('INVALID_INPUT', details, { data: { details } });
}

/** Returns an error with the token to continue with, unless it has one already. */
export async function withToken(error: unknown, token: string): Promise<unknown> {
  const parts = await loadOnFirstCall();
  if (!(error instanceof parts.WorkflowError) || typeof error.data['session_token'] === 'string')
    return error;
  return new parts.WorkflowError(error.code, error.message, {
    cause: error,
    data: { ...error.data, session_token: token },
  });
}

function answerMeta({ token, warnings, traceToken }: Reply<unknown>): JsonObject {
  return {
    session_token: token,
    ...(traceToken !== undefined && { trace_token: traceToken }),
    validation: { status: warnings.length > 0 ? 'warning' : 'valid', warnings },
  };
}
