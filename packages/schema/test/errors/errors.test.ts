import { errorCodes, WorkflowError } from '@workflowlookup/schema';
import { expect, test } from 'vitest';

test('The table of errors has the codes, numbers and titles that callers rely on', () => {
  const rows = Object.entries(errorCodes).map(
    ([code, { rpc, http, title }]) => `${code} ${rpc} ${http} ${title}`,
  );
  expect(rows).toEqual([
    'SERVER_ERROR -32000 500 Server error',
    'WORKFLOW_NOT_FOUND -32001 404 Workflow not found',
    'INVALID_WORKFLOW -32002 422 Invalid workflow',
    'STEP_NOT_FOUND -32003 404 Step not found',
    'INVALID_CRITERIA -32004 422 Validation error',
    'INVALID_FILE -32004 422 Validation error',
    'INVALID_STATE -32005 409 State error',
    'CONFLICT -32005 409 Conflict',
    'STORE_UNAVAILABLE -32006 503 Storage error',
    'STORE_DAMAGED -32006 500 Storage error',
    'SOURCE_UNREADABLE -32006 503 Storage error',
    'KEYS_UNUSABLE -32006 503 Storage error',
    'NOT_WRITTEN -32006 500 Storage error',
    'UNSAFE_FILE -32007 403 Security error',
    'UNTRUSTED -32007 403 Workflow not trusted',
    'SESSION_UNVERIFIED -32005 409 Session not verified',
    'NOT_FOUND -32003 404 Not found',
    'ACTIVITY_NOT_FOUND -32003 404 Activity not found',
    'CHECKPOINT_NOT_FOUND -32003 404 Checkpoint not found',
    'SKILL_NOT_FOUND -32003 404 Skill not found',
    'RESOURCE_NOT_FOUND -32003 404 Resource not found',
    'CHECKPOINT_OPEN -32005 409 Checkpoint is open',
    'ILLEGAL_TRANSITION -32005 409 Illegal transition',
    'MANIFEST_INVALID -32005 409 Manifest not accepted',
    'EVIDENCE_REQUIRED -32005 409 Evidence required',
    'STATEMENT_REFUSED -32005 409 Statement refused',
    'VARIABLE_PROTECTED -32005 409 Variable protected',
    'HUMAN_REQUIRED -32005 403 Human required',
    'NOTE_REQUIRED -32005 409 Note required',
    'SESSION_COMPLETED -32005 409 Session completed',
    'SESSION_CONFLICT -32005 409 Session conflict',
    'TOKEN_INVALID -32007 401 Token not valid',
    'FORBIDDEN -32007 403 Forbidden',
    'QUOTA_EXCEEDED -32005 429 Quota exceeded',
    'TOO_COSTLY -32000 422 Too costly',
    'BUSY -32000 429 Busy',
    'TIMEOUT -32000 408 Timeout',
    'CANCELLED -32000 409 Cancelled',
    'INVALID_INPUT -32602 400 Invalid params',
    'INTERNAL -32603 500 Internal error',
  ]);
});

test('An error has its code, its data and its cause', () => {
  const cause = new Error('below');
  const error = new WorkflowError('STORE_UNAVAILABLE', 'The folder can not be read.', {
    data: { folder: 'a' },
    cause,
  });
  expect(error).toMatchObject({
    name: 'WorkflowError',
    code: 'STORE_UNAVAILABLE',
    data: { folder: 'a' },
    cause,
  });
  expect(error).toBeInstanceOf(Error);
});

test('An error without data has an empty object and no cause', () => {
  const error = new WorkflowError('INTERNAL', 'm');
  expect(error.data).toEqual({});
  expect('cause' in error).toBe(false);
});
