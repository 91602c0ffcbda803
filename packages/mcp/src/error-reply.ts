import type { Issue } from '@workflowlookup/schema';
import { errorCodes, isJsonObject, WorkflowError } from '@workflowlookup/schema';
import type { RpcError } from './front-door/json-rpc.ts';
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
  };
}

/** A failure as the result of a tool call. */
export function toolErrorOf(error: unknown): ToolError {
  const known =
    error instanceof WorkflowError
      ? error
      : new WorkflowError('INTERNAL', "Internal error. It is in the server's log.");
  return {
    isError: true,
    content: [{ type: 'text', text: known.message }],
    _meta: {
      'workflowlookup/error': { code: errorCodes[known.code].rpc, name: known.code, data: dataOf(known) },
    },
  };
}

function dataOf({ code, data, message }: WorkflowError): Record<string, unknown> {
  const { issues } = data;
  const shown = Array.isArray(issues)
    ? { ...data, issues: (issues as Issue[]).filter(isJsonObject).map(issueOnWire) }
    : data;
  return exactData.has(code) ? { ...shown } : { details: message, ...shown };
}
