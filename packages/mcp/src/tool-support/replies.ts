import type { DefinitionProblem, UntrustedDefinition } from '@workflowlookup/core';
import type { Remedy } from '@workflowlookup/core/sessions';
import type { Issue } from '@workflowlookup/schema';
import {
  trustCommand,
  writeOutHidden,
  WorkflowError,
  errorCodes,
  errorHelp,
  isJsonObject,
} from '@workflowlookup/schema';
import type { RpcError } from '../json-rpc/rpc-messages.ts';
import { callKinds, messages } from '../messages.ts';
import type { NamedCall } from './session-json.ts';
import { remedyCall, waitCall } from './session-json.ts';
import type { ToolResult } from './tool.ts';

export { joinSections, toToon, wholeDefinition } from '@workflowlookup/core/library';
export { markedCheckpoint } from '@workflowlookup/core/sessions';
export { WorkflowError } from '@workflowlookup/schema';

export function problemJson({ id, file, severity, issues }: DefinitionProblem): object {
  return { id: writeOutHidden(id), file: writeOutHidden(file), severity, issues: issues.map(issueJson) };
}

/**
 * Returns an issue as clients see it. Invisible characters are written out as escapes, so that names in a definition can't
 * hide text from people.
 */
export function issueJson({ pointer, line, column, message, suggestion }: Issue): object {
  return {
    pointer: writeOutHidden(pointer),
    line,
    column,
    message: writeOutHidden(message),
    ...(suggestion === undefined ? {} : { suggestion: writeOutHidden(suggestion) }),
  };
}

/** Returns the number of untrusted definitions. Their ids are left out, because their authors chose them. */
export function untrustedJson(untrusted: readonly UntrustedDefinition[]): object {
  if (untrusted.length === 0) return {};
  return { untrusted: { count: untrusted.length, command: untrusted[0]?.trustWith ?? trustCommand } };
}

export function untrustedSummary(count: number): object {
  if (count === 0) return {};
  return { untrusted: messages.untrusted(count, trustCommand) };
}

/**
 * Converts an error to a JSON-RPC error. Only a WorkflowError shows its message; any other becomes "Internal error".
 * Several codes share a number, so the data has the name of the code.
 */
export function toRpcError(error: unknown): RpcError {
  if (!(error instanceof WorkflowError))
    return { code: errorCodes.INTERNAL.rpc, message: errorCodes.INTERNAL.title };
  const { rpc, title } = errorCodes[error.code];
  const name = codesWithFixedData.has(error.code) ? {} : { name: error.code };
  return { code: rpc, message: title, data: { ...errorData(error), ...name } };
}

/**
 * Converts an error to the result of a tool call, in the same way: a text that names the fix, and in `_meta` the code, the
 * URL that explains it, and the token to continue with if the error carries one.
 */
export function toToolError(error: unknown): ToolResult {
  const known =
    error instanceof WorkflowError ? error : new WorkflowError('INTERNAL', messages.internalError());
  const { session_token: token, ...data } = errorData(known);
  const hasToken = typeof token === 'string';
  const text = hasToken ? `${errorText(known)}\nsession_token: ${token}` : errorText(known);
  return {
    isError: true,
    content: [{ type: 'text', text }],
    _meta: {
      'workflowlookup/error': { code: errorCodes[known.code].rpc, name: known.code, data },
      'workflowlookup/help': errorHelp(known.code),
      ...(hasToken && { session_token: token }),
    },
  };
}

/** The next call that resolves an error. */
interface RemedyText {
  readonly tool: string;
  /** The call with the arguments that are known, without the token. */
  readonly call?: NamedCall;
  readonly sentence: string;
}

/** Returns the remedy that an error names, or `undefined` if it names none. */
function remedyOf(remedy: Remedy | undefined): RemedyText | undefined {
  if (remedy === undefined) return undefined;
  if (typeof remedy === 'string') return { tool: callKinds[remedy].tool, sentence: messages.remedy(remedy) };
  const call = remedyCall(remedy);
  return { tool: call.tool, call, sentence: sentenceFor(remedy, call) };
}

function sentenceFor(remedy: Exclude<Remedy, string>, call: NamedCall): string {
  const text = callText(call);
  if (remedy.kind !== 'answer') return messages.askWith(text);
  const { by, options, isAlone, isIdle, needsNote } = remedy;
  if (isIdle === true) return messages.dismissWith(text);
  if (needsNote === true) return by === 'agent' ? messages.ownNoteWith(text) : messages.noteWith(text);
  if (by === 'human') return messages.tellUser(text);
  if (by === 'agent') return messages.choose(options, text);
  return isAlone
    ? messages.askUser(options, text)
    : messages.askUserOrWait(options, text, callText(waitCall()));
}

function callText({ tool, arguments: known }: NamedCall): string {
  return `${tool} ${JSON.stringify(known)}`;
}

/** Error codes whose `data` the specification fixes, so that nothing is added to it. */
const codesWithFixedData = new Set(['WORKFLOW_NOT_FOUND', 'STEP_NOT_FOUND']);

function errorText({ message, data }: WorkflowError): string {
  const remedy = remedyOf(data['remedy'] as Remedy | undefined);
  if (remedy === undefined) return message;
  if (message.endsWith('\n')) return `${message}${remedy.sentence}`;
  return `${/[.!?]$/.test(message) ? message : `${message}.`} ${remedy.sentence}`;
}

function errorData(error: WorkflowError): Record<string, unknown> {
  const { remedy: kind, ...data } = error.data;
  const { issues } = data;
  const remedy = remedyOf(kind as Remedy | undefined);
  const shown = {
    ...data,
    ...(remedy === undefined ? {} : { next: remedy.tool }),
    ...(remedy?.call === undefined ? {} : { next_call: remedy.call }),
    ...(Array.isArray(issues) ? { issues: (issues as Issue[]).filter(isJsonObject).map(issueJson) } : {}),
  };
  return codesWithFixedData.has(error.code) ? shown : { details: errorText(error), ...shown };
}
