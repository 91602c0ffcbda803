import { isJsonObject } from '@workflowlookup/schema';
import type { Seals, SessionRow } from '@workflowlookup/storage';
import type { SessionProblem } from './verify-session.ts';

/** What is recorded outside the database: the end of a journal, or that `prune` dropped the session. */
export interface AnchoredHead extends Pick<SessionRow, 'sid' | 'revision' | 'hash'> {
  /** When it was written down; ISO 8601. */
  readonly at: string;
  readonly status: SessionRow['status'] | 'pruned';
}

/** What an anchor says, by session. */
export interface Anchors {
  /** Every hash that was anchored of a revision, by revision; of a session that was dropped, those since. */
  readonly heads: ReadonlyMap<string, ReadonlyMap<number, ReadonlySet<string>>>;
  /** Sessions that `prune` dropped; one that was imported again has heads since. */
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

/** Reads the lines of an anchor. A line that was not written by a server with these keys is a problem, and says nothing. */
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
    // A head by a key that is not here can only make more to be seen; that a session was dropped must be proven.
    const isBelieved =
      verdict === 'genuine' ||
      (line?.status !== 'pruned' && (verdict === 'unknown-key' || verdict === 'unchecked'));
    if (line === undefined || !isBelieved) {
      const message = `Line ${number} of the anchor was not written by a server with these keys.`;
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
    // An older copy that was put back and worked on has another event there: neither hash stands in for the other.
    const ofSession = heads.get(sid) ?? new Map<number, Set<string>>();
    heads.set(sid, ofSession.set(revision, (ofSession.get(revision) ?? new Set()).add(hash)));
  }
  return { heads, pruned, problems };
}

function parse(text: string): (AnchoredHead & { readonly seal: string }) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return undefined;
    const texts = ['sid', 'hash', 'at', 'status', 'seal'].every((name) => typeof value[name] === 'string');
    if (!texts || typeof value['revision'] !== 'number') return undefined;
    return value as unknown as AnchoredHead & { readonly seal: string };
  } catch {
    // A server writes only lines of JSON.
    return undefined;
  }
}
