import type { EvidenceLevel } from '@workflowlookup/schema';
import { evidenceLevels } from '@workflowlookup/schema';
import { evidenceMessages } from '../messages/evidence.ts';
import type { RecordedEvidence } from '../session/session-state.ts';
import type { EvidenceDemand } from './demands.ts';

/** What a server sees of the files that evidence is about. */
export interface EvidenceSight {
  /** The working folder; absent on a server that can't see it. */
  readonly folder?: string;
  /** The state of its files; absent without a git repository. */
  readonly tree?: string;
}

/**
 * The status of evidence. Only `passed`, `claimed` and `not-configured` let a session move on. `stale`: the files, or what
 * the step asks for, changed since. `weak`: of a lower level than asked for. `unseen`: this server can't tell whether the
 * files have changed.
 */
export type EvidenceStatus =
  | 'passed'
  | 'claimed'
  | 'not-configured'
  | 'missing'
  | 'failed'
  | 'stale'
  | 'weak'
  | 'unseen';

/** Evidence that a session has, or lacks. */
export interface EvidenceStanding {
  readonly id: string;
  readonly activity: string;
  readonly status: EvidenceStatus;
  /** The least level that counts; absent if the current activity does not ask for it. */
  readonly level?: EvidenceLevel;
  /** Whether the files are the same as when it was collected. `unknown` on a server that can't see them. */
  readonly freshness?: 'fresh' | 'stale' | 'unknown';
  /** The last result; absent if there is none. */
  readonly recorded?: RecordedEvidence;
}

const passing: ReadonlySet<EvidenceStatus> = new Set<EvidenceStatus>(['passed', 'claimed', 'not-configured']);

/** Returns how a demand stands, by the last result that was recorded for it. */
export function standingOf(
  { evidence, digest }: EvidenceDemand,
  {
    activity,
    recorded,
    since,
    sight,
  }: {
    readonly activity: string;
    readonly recorded: RecordedEvidence | undefined;
    /** The revision that entered the activity. */
    readonly since: number;
    readonly sight: EvidenceSight;
  },
): EvidenceStanding {
  const { id, level = 'rerun' } = evidence;
  const found = { id, activity, level };
  if (recorded === undefined) return { ...found, status: level === 'claimed' ? 'claimed' : 'missing' };
  const { result } = recorded;
  const freshness = freshnessOf(recorded, sight);
  const all = { ...found, freshness, recorded };
  if (recorded.demand !== digest) return { ...all, status: 'stale' };
  if (result.outcome === 'not-configured')
    // A check may have been added since the activity was visited before.
    return { ...all, status: recorded.revision > since ? 'not-configured' : 'missing' };
  if (result.outcome === 'failed') return { ...all, status: 'failed' };
  if (evidenceLevels.indexOf(result.level) < evidenceLevels.indexOf(level)) return { ...all, status: 'weak' };
  if (freshness === 'stale') return { ...all, status: 'stale' };
  // Nobody can tell here whether files have changed since an earlier visit.
  if (freshness === 'unknown' && result.level !== 'rerun' && recorded.revision <= since)
    return { ...all, status: 'missing' };
  // What a server saw itself, a server that sees as much can check.
  if (freshness === 'unknown' && result.level === 'rerun' && recorded.folder !== sight.folder)
    return { ...all, status: 'unseen' };
  return { ...all, status: 'passed' };
}

/** Returns whether the files are the same as when evidence was collected. */
export function freshnessOf(
  { result: { tree }, folder }: RecordedEvidence,
  sight: EvidenceSight,
): NonNullable<EvidenceStanding['freshness']> {
  const isElsewhere = folder !== undefined && folder !== sight.folder;
  if (sight.folder === undefined || isElsewhere) return 'unknown';
  if (tree === undefined) return sight.tree === undefined ? 'unknown' : 'stale';
  return tree === sight.tree ? 'fresh' : 'stale';
}

/** Returns whether evidence does not let a session move on. */
export function isOpenEvidence({ status }: EvidenceStanding): boolean {
  return !passing.has(status);
}

/** Describes evidence that does not let a session move on, or that proves less than it seems. */
export function describeStanding({ id, status, level = 'rerun', recorded }: EvidenceStanding): string {
  const reasons = recorded?.result.reasons ?? [];
  switch (status) {
    case 'missing':
      return evidenceMessages.missing(id);
    case 'failed':
      return evidenceMessages.failed(id, reasons);
    case 'stale':
      return evidenceMessages.stale(id);
    case 'weak':
      return evidenceMessages.weak(id, recorded?.result.level ?? 'claimed', level);
    case 'unseen':
      return evidenceMessages.unseen(id, recorded?.folder);
    case 'not-configured':
      return evidenceMessages.notConfigured(id, reasons);
    case 'claimed':
    case 'passed':
      return evidenceMessages.passed(id);
  }
}
