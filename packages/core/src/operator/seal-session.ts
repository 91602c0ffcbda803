import { WorkflowError, defined, digestOf, isJsonObject, parseJson } from '@workflowlookup/schema';
import type { InspectedSession, SealMark, Seals, SessionRow } from '@workflowlookup/storage';
import { nowOf } from '../session-engine/trace.ts';
import type { OperatorParts } from './load-session.ts';
import { loadSession } from './load-session.ts';
import type { SessionProblem } from './verify-session.ts';
import { verifySession } from './verify-session.ts';
import { operatorMessages, sealProblems } from '../messages/operator.ts';

/** How a session is sealed. */
export interface SealRequest {
  /** The id of a lost key. What it sealed is accepted once, because a person vouches for it. */
  readonly lostKey?: string;
}

/** The result of sealing: `vouched` if a person confirmed unsealed content; `renewed` if every seal was genuine. */
export interface Sealed {
  readonly sid: string;
  readonly how: 'vouched' | 'renewed';
}

/**
 * Seals everything stored for a session with the current signing key. If the session has no seals, or a lost key made
 * them, it is marked as vouched for by a person. So is its definition if that has no genuine seal, but for this session
 * only: a digest does not cover every field, so other sessions with the same digest may have another definition. Any
 * other problem of the session is refused.
 *
 * @throws WorkflowError INVALID_STATE with the problems in its data; STORE_UNAVAILABLE
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
    throw new WorkflowError('INVALID_STATE', operatorMessages.storeHasNoSeals());
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

/** Returns whether every seal by a missing key names the lost one. */
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
    ...defined({ lostKey, definition: isDefinitionToo ? digestOf(definition.value) : undefined }),
  };
}

function notSealed(sid: string, problems: readonly SessionProblem[]): WorkflowError {
  const named = problems.slice(0, 3).map(({ code, message }) => `${code}: ${message}`);
  return new WorkflowError('INVALID_STATE', operatorMessages.notSealed(sid, named), {
    data: { reason: 'problems', sid, problems: problems.map(({ code }) => code) },
  });
}

/** A record outside the database: the end of a journal, or that `prune` dropped the session. */
export interface AnchoredHead extends Pick<SessionRow, 'sid' | 'revision' | 'hash'> {
  /** When it was written down; ISO 8601. */
  readonly at: string;
  readonly status: SessionRow['status'] | 'pruned';
}

/** The content of an anchor, by session. */
export interface Anchors {
  /**
   * Every hash that an anchor has for a revision, by revision. If the session was dropped, only those anchored since
   * then.
   */
  readonly heads: ReadonlyMap<string, ReadonlyMap<number, ReadonlySet<string>>>;
  /** Sessions that `prune` dropped. If one of them was imported again, `heads` has its hashes since then. */
  readonly pruned: ReadonlySet<string>;
  /** Lines that no server with these keys wrote. */
  readonly problems: readonly SessionProblem[];
}

/** A line of an anchor, without its end. */
export function anchorLine(seals: Seals, head: AnchoredHead): string {
  const { sid, revision, hash, at, status } = head;
  return JSON.stringify({ sid, revision, hash, at, status, seal: seals.make('anchor', valuesOf(head)) });
}

function valuesOf({ sid, revision, hash, at, status }: AnchoredHead): readonly (string | number)[] {
  return [sid, revision, hash, at, status];
}

/**
 * Reads the lines of an anchor. A line that was not written by a server with these keys is reported as a problem and
 * otherwise ignored.
 */
export async function readAnchors(
  seals: Seals | undefined,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<Anchors> {
  const heads = new Map<string, Map<number, Set<string>>>();
  const pruned = new Set<string>();
  const problems: SessionProblem[] = [];
  let number = 0;
  for await (const text of lines) {
    number += 1;
    if (text.trim() === '') continue;
    const line = parse(text);
    const verdict = line && (seals?.judge('anchor', valuesOf(line), line.seal) ?? 'unchecked');
    // A head by an unknown key can only cause more checks; that a session was dropped must be proven.
    const isBelieved =
      verdict === 'genuine' ||
      (line?.status !== 'pruned' && (verdict === 'unknown-key' || verdict === 'unchecked'));
    if (line === undefined || !isBelieved) {
      const message = sealProblems.forgedAnchor(number);
      problems.push({ code: 'ANCHOR', sid: line?.sid ?? '', message });
      continue;
    }
    const { sid, revision, hash } = line;
    if (line.status === 'pruned') {
      // A session that was dropped as an older copy of itself is missing, like any other that somebody deleted.
      if ([...(heads.get(sid)?.keys() ?? [])].some((anchored) => anchored > revision)) continue;
      pruned.add(sid);
      heads.delete(sid);
      continue;
    }
    // An older copy that was restored and continued has another event there, so both hashes are kept.
    const ofSession = heads.get(sid) ?? new Map<number, Set<string>>();
    heads.set(sid, ofSession.set(revision, (ofSession.get(revision) ?? new Set()).add(hash)));
  }
  return { heads, pruned, problems };
}

function parse(text: string): (AnchoredHead & { readonly seal: string }) | undefined {
  const value = parseJson(text);
  if (!isJsonObject(value)) return undefined;
  const texts = ['sid', 'hash', 'at', 'status', 'seal'].every((name) => typeof value[name] === 'string');
  if (!texts || typeof value['revision'] !== 'number') return undefined;
  return value as unknown as AnchoredHead & { readonly seal: string };
}
