import { errorCodes, WorkflowError } from '@workflowlookup/schema';
import { expect, test } from 'vitest';

test('the table of errors is a promise to callers', () => {
  const rows = Object.entries(errorCodes).map(
    ([code, { rpc, http, title, slug }]) => `${code} ${rpc} ${http} ${title} #${slug}`,
  );
  expect(rows).toEqual([
    'SERVER_ERROR -32000 500 Server error #server-error',
    'WORKFLOW_NOT_FOUND -32001 404 Workflow not found #workflow-not-found',
    'INVALID_WORKFLOW -32002 422 Invalid workflow #invalid-workflow',
    'STEP_NOT_FOUND -32003 404 Step not found #step-not-found',
    'VALIDATION -32004 422 Validation error #validation',
    'STATE -32005 409 State error #state',
    'STORAGE -32006 503 Storage error #storage',
    'SECURITY -32007 403 Security error #security',
    'UNTRUSTED -32007 403 Workflow not trusted #untrusted',
    'ACTIVITY_NOT_FOUND -32003 404 Activity not found #activity-not-found',
    'CHECKPOINT_NOT_FOUND -32003 404 Checkpoint not found #checkpoint-not-found',
    'SKILL_NOT_FOUND -32003 404 Skill not found #skill-not-found',
    'RESOURCE_NOT_FOUND -32003 404 Resource not found #resource-not-found',
    'GATE_ACTIVE -32005 409 Checkpoint waits #gate-active',
    'ILLEGAL_TRANSITION -32005 409 Illegal transition #illegal-transition',
    'MANIFEST_INVALID -32005 409 Manifest not accepted #manifest-invalid',
    'VARIABLE_PROTECTED -32005 409 Variable protected #variable-protected',
    'HUMAN_REQUIRED -32005 403 Human required #human-required',
    'SESSION_COMPLETED -32005 409 Session completed #session-completed',
    'SESSION_CONFLICT -32005 409 Session conflict #session-conflict',
    'TOKEN_INVALID -32007 401 Token not valid #token-invalid',
    'FORBIDDEN -32007 403 Forbidden #forbidden',
    'QUOTA_EXCEEDED -32005 429 Quota exceeded #quota-exceeded',
    'TOO_COSTLY -32000 422 Too costly #too-costly',
    'BUSY -32000 429 Busy #busy',
    'INVALID_PARAMS -32602 400 Invalid params #invalid-params',
    'INTERNAL -32603 500 Internal error #internal',
  ]);
});

test('an error carries its code, its facts and what caused it', () => {
  const cause = new Error('below');
  const error = new WorkflowError('STORAGE', 'The folder can not be read.', { data: { folder: 'a' }, cause });
  expect(error).toMatchObject({ name: 'WorkflowError', code: 'STORAGE', data: { folder: 'a' }, cause });
  expect(error).toBeInstanceOf(Error);
});

test('an error without facts has none', () => {
  const error = new WorkflowError('INTERNAL', 'm');
  expect(error.data).toEqual({});
  expect('cause' in error).toBe(false);
});
