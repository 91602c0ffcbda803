import { digestOf, idInCommand, WorkflowError } from '@workflowlookup/schema';
import type { InspectedSession, SealMark } from '@workflowlookup/storage';
import { nowOf } from '../session-engine/clock.ts';
import type { OperatorParts } from './load-run.ts';
import { loadSession } from './load-run.ts';
import type { SessionProblem } from './verify-session.ts';
import { verifySession } from './verify-session.ts';

/** How a session is sealed. */
export interface SealRequest {
  /** The id of a lost key: what it sealed is accepted once, because a person vouches for it. */
  readonly lostKey?: string;
}

/** What sealing came to: `vouched`, a person said that what had no seal is right; `renewed`, every seal was genuine. */
export interface Sealed {
  readonly sid: string;
  readonly how: 'vouched' | 'renewed';
}

/**
 * Seals everything that is kept of a session with the key that signs now. A session without seals, or sealed by a key that
 * was lost, is marked: a person vouched for it. So is its definition without a genuine seal, for this session alone: other
 * sessions may have its digest, which does not cover every field. Anything else that is wrong with it is refused.
 *
 * @throws WorkflowError STATE with the problems in its data; STORAGE
 */
export async function sealSession(
  parts: OperatorParts,
  sid: string,
  { lostKey }: SealRequest = {},
): Promise<Sealed> {
  const store = await parts.store();
  const found = await store.inspect?.(sid);
  if (found?.session === undefined || store.seal === undefined) {
    await loadSession(store, sid);
    throw new WorkflowError('STATE', 'The store of this session does not seal what it keeps.');
  }
  const { problems } = await verifySession(store, sid);
  const others = problems.filter((problem) => !isVouchedFor(problem, lostKey));
  if (others.length > 0 || !isOnlyBy(found, lostKey)) throw notSealed(sid, problems);
  const isRenewed = problems.length === 0;
  await store.seal(found, isRenewed ? undefined : markOf(parts, found, lostKey));
  return { sid, how: isRenewed ? 'renewed' : 'vouched' };
}

function isVouchedFor({ code }: SessionProblem, lostKey: string | undefined): boolean {
  return code === 'UNSEALED' || (code === 'UNKNOWN_KEY' && lostKey !== undefined);
}

/** Whether every seal by a key that is not in the ring names the one that was lost. */
function isOnlyBy(found: InspectedSession, lostKey: string | undefined): boolean {
  const { session, snapshot, definition, events, calls, commands, agents, deliveries } = found;
  const single = [session, snapshot, definition].flatMap((one) => one ?? []);
  return [...single, ...events, ...calls, ...commands, ...agents, ...deliveries].every(
    ({ verdict, seal }) => verdict !== 'unknown-key' || seal?.split(':', 1)[0] === lostKey,
  );
}

function markOf(parts: OperatorParts, found: InspectedSession, lostKey: string | undefined): SealMark {
  const { definition } = found;
  const isDefinitionToo = definition?.value !== undefined && definition.verdict !== 'genuine';
  return {
    at: new Date(nowOf(parts)).toISOString(),
    by: parts.person,
    revision: found.events.length,
    ...(lostKey === undefined ? {} : { lostKey }),
    ...(isDefinitionToo ? { definition: digestOf(definition.value) } : {}),
  };
}

function notSealed(sid: string, problems: readonly SessionProblem[]): WorkflowError {
  const named = problems.slice(0, 3).map(({ code, message }) => `${code}: ${message}`);
  return new WorkflowError(
    'STATE',
    `Session '${sid}' was not sealed, because there is more wrong with it than a missing seal. ${named.join(' ')} See all of it with "workflowlookup sessions verify ${idInCommand(sid)}".`,
    { data: { reason: 'problems', sid, problems: problems.map(({ code }) => code) } },
  );
}
