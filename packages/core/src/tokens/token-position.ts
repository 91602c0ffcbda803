import { WorkflowError } from '@workflowlookup/schema';
import { isSessionId } from './session-id.ts';

/** Which session a token is of, which of its states, and who holds it. */
export interface TokenPosition {
  readonly sid: string;
  /** The revision of the session the holder knows; below 2^32. */
  readonly revision: number;
  /** Number of the agent in this session, counted as they join; below 2^24. */
  readonly agent: number;
}

/** One past the largest revision, and one past the largest event number of a trace token. */
export const revisionLimit = 2 ** 32;

/** One past the largest agent number. */
const agentLimit = 2 ** 24;

/** Whether the fields of a position have its types and ranges. */
export function isPosition(value: { readonly [K in keyof TokenPosition]: unknown }): value is TokenPosition {
  return isSessionId(value.sid) && isBelow(revisionLimit, value.revision) && isBelow(agentLimit, value.agent);
}

/** Fails where a token could not hold the position: a number too large would come back as another one. @throws INTERNAL */
export function assertPosition(position: TokenPosition): void {
  const { sid, revision, agent } = position;
  if (isPosition(position)) return;
  throw new WorkflowError(
    'INTERNAL',
    `A token holds a session id of 20 hexadecimal digits, a revision below ${revisionLimit} and an agent number ` +
      `below ${agentLimit}; found '${sid}', ${revision} and ${agent}.`,
  );
}

/** Whether a value is a whole number from 0 up to the limit, without it. */
export function isBelow(limit: number, value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < limit;
}
