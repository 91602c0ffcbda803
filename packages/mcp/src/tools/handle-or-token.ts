import { WorkflowError } from '@workflowlookup/schema';

/** The two ways in which a call names a checkpoint that waits. */
export interface HandleOrToken {
  readonly checkpoint_handle?: string;
  readonly session_token?: string;
}

/**
 * The token a call goes by: the handle wins.
 *
 * @throws INVALID_PARAMS where there is neither
 */
export function handleOrToken({ checkpoint_handle: handle, session_token: token }: HandleOrToken): string {
  const given = handle ?? token;
  if (given !== undefined) return given;
  const details = 'Give checkpoint_handle, or session_token in its place; both are missing';
  throw new WorkflowError('INVALID_PARAMS', details, { data: { details } });
}
