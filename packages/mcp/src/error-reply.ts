import type { Issue } from '@workflowlookup/schema';
import { errorCodes, errorHelp, isJsonObject, WorkflowError } from '@workflowlookup/schema';
import type { RpcError } from './front-door/json-rpc.ts';
import { remedyOf } from './remedy.ts';
import { issueOnWire } from './tools/problem-on-wire.ts';

/** Codes whose `data` the specification gives whole. */
const exactData = new Set(['WORKFLOW_NOT_FOUND', 'STEP_NOT_FOUND']);

/** A failure as a JSON-RPC error; anything but a WorkflowError shows nothing of itself. */
export function rpcErrorOf(error: unknown): RpcError {
  if (!(error instanceof WorkflowError))
    return { code: errorCodes.INTERNAL.rpc, message: errorCodes.INTERNAL.title };
  const { rpc, title } = errorCodes[error.code];
  return { code: rpc, message: title, data: dataOf(error) };
}

/** The result of a tool call that failed: text that names the fix, the code in `_meta`, no structured content. */
export interface ToolError {
  readonly isError: true;
  readonly content: readonly [{ readonly type: 'text'; readonly text: string }];
  readonly _meta: {
    readonly 'workflowlookup/error': { readonly code: number; readonly name: string; readonly data: object };
    /** Where the code is explained, for people who look into a failure. */
    readonly 'workflowlookup/help': string;
    /** The token to go on with, where the failure gives one. */
    readonly session_token?: string;
  };
}

/** A failure as the result of a tool call. */
export function toolErrorOf(error: unknown): ToolError {
  const known =
    error instanceof WorkflowError
      ? error
      : new WorkflowError('INTERNAL', "Internal error. It is in the server's log.");
  const { session_token: token, ...data } = dataOf(known);
  const meta = {
    'workflowlookup/error': { code: errorCodes[known.code].rpc, name: known.code, data },
    'workflowlookup/help': errorHelp(known.code),
  };
  const text = textOf(known);
  if (typeof token !== 'string') return { isError: true, content: [{ type: 'text', text }], _meta: meta };
  return {
    isError: true,
    content: [{ type: 'text', text: `${text}\nsession_token: ${token}` }],
    _meta: { ...meta, session_token: token },
  };
}

/** What went wrong, and last what helps. */
function textOf({ message, data }: WorkflowError): string {
  const remedy = remedyOf(data['remedy']);
  if (remedy === undefined) return message;
  return `${/[.!?]$/.test(message) ? message : `${message}.`} ${remedy.sentence}`;
}

function dataOf(error: WorkflowError): Record<string, unknown> {
  const { remedy: kind, ...data } = error.data;
  const { issues } = data;
  const remedy = remedyOf(kind);
  const shown = {
    ...(remedy === undefined ? {} : { next: remedy.tool }),
    ...data,
    ...(Array.isArray(issues) ? { issues: (issues as Issue[]).filter(isJsonObject).map(issueOnWire) } : {}),
  };
  return exactData.has(error.code) ? shown : { details: textOf(error), ...shown };
}
