import { invalidArguments } from './invalid-arguments.ts';

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
export async function handleOrToken({
  checkpoint_handle: handle,
  session_token: token,
}: HandleOrToken): Promise<string> {
  const given = handle ?? token;
  if (given !== undefined) return given;
  throw await invalidArguments('Give checkpoint_handle, or session_token in its place; both are missing');
}
