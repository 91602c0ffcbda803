import type { Context } from '@workflowlookup/conditions';
import { lookUp } from '@workflowlookup/conditions';
import type { Evidence, EvidenceLevel, Json } from '@workflowlookup/schema';
import { digestOf, evidenceLevels } from '@workflowlookup/schema';
import { evidenceMessages } from '../messages/sessions.ts';
import type { EvaluatedMove } from '../session/evaluate-move.ts';
import type { RecordedEvidence, SessionState } from '../session/session-state.ts';

/** Evidence that a step asks for, with the variables of the session filled in. */
export interface EvidenceDemand {
  readonly evidence: Evidence;
  /**
   * The digest of the evidence with the variables filled in. If it changes, evidence that was collected before is
   * stale.
   */
  readonly digest: string;
  /** Variables that it names and that have no value. It can't be collected before they have one. */
  readonly unset: readonly string[];
  /** The step that asks for it, if that step may be reported as not done. */
  readonly stepToGiveUp?: string;
}

/** Fills in the variables of evidence. A variable with a list becomes several items where a list is expected. */
export function fillEvidence(evidence: Evidence, context: Context): EvidenceDemand {
  const unset = new Set<string>();
  const fill = (text: string): readonly string[] => {
    const whole = /^\{\{\s*([^{}]+?)\s*\}\}$/.exec(text)?.[1];
    const value = whole === undefined ? undefined : (lookUp(context, whole) as Json | undefined);
    if (Array.isArray(value)) {
      const texts = value.filter((one) => typeof one === 'string' && one.trim() !== '');
      if (texts.length === 0) unset.add(whole ?? '');
      return texts as readonly string[];
    }
    return [
      text.replaceAll(/\{\{\s*([^{}]+?)\s*\}\}/g, (_, name: string) => {
        const one = lookUp(context, name);
        if ((typeof one === 'string' && one.trim() !== '') || typeof one === 'number') return String(one);
        unset.add(name);
        return '';
      }),
    ];
  };
  const filled = filledWith(evidence, fill);
  return { evidence: filled, digest: digestOf(filled), unset: [...unset] };
}

/** Longer lists of evidence are shown as they are written: an agent has the values already. */
const maxShownChars = 1000;

/**
 * Returns the evidence of a step for an agent, with the variables filled in. An entry that depends on a variable
 * without a value is shown as its author wrote it.
 */
export function shownEvidence(list: readonly Evidence[], context: Context): readonly Evidence[] {
  const shown = list.map((one) => {
    const { evidence, unset } = fillEvidence(one, context);
    return unset.length === 0 ? evidence : one;
  });
  return JSON.stringify(shown).length > maxShownChars ? list : shown;
}

function filledWith(evidence: Evidence, fill: (text: string) => readonly string[]): Evidence {
  const one = (text: string): string => fill(text).join(' ');
  if ('git' in evidence) {
    const { ahead_of: ref } = evidence.git;
    return ref === undefined ? evidence : { ...evidence, git: { ...evidence.git, ahead_of: one(ref) } };
  }
  if ('changes' in evidence) {
    const { within, since } = evidence.changes;
    return {
      ...evidence,
      changes: { within: within.flatMap(fill), ...(since === undefined ? {} : { since: one(since) }) },
    };
  }
  if (!('file' in evidence)) return evidence;
  return { ...evidence, file: { ...evidence.file, path: one(evidence.file.path) } };
}

/** The state of the files that evidence is about, as far as a server can see them. */
export interface EvidenceSight {
  /** The working folder; absent on a server that can't see it. */
  readonly folder?: string;
  /** The state of its files; absent without a git repository. */
  readonly tree?: string;
  /** Digests of the files that evidence is about, by path; absent if the server can't tell. */
  readonly files?: ReadonlyMap<string, string | undefined>;
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
export interface EvidenceState {
  readonly id: string;
  readonly activity: string;
  readonly status: EvidenceStatus;
  /** The lowest level that is accepted; absent if the current activity does not ask for this evidence. */
  readonly level?: EvidenceLevel;
  /** Whether the files are the same as when it was collected. `unknown` on a server that can't see them. */
  readonly freshness?: 'fresh' | 'stale' | 'unknown';
  /** The last result; absent if there is none. */
  readonly recorded?: RecordedEvidence;
}

const passing: ReadonlySet<EvidenceStatus> = new Set<EvidenceStatus>(['passed', 'claimed', 'not-configured']);

/** Returns the state of a demand of the current activity, based on the last result that was recorded for it. */
export function evidenceStateIn(
  { current: activity = '', since, evidence: all = [] }: Pick<SessionState, 'current' | 'evidence' | 'since'>,
  { evidence, digest }: EvidenceDemand,
  sight: EvidenceSight,
): EvidenceState {
  const { id, level = 'rerun' } = evidence;
  const found = { id, activity, level };
  const recorded = all.find((one) => one.activity === activity && one.id === id);
  if (recorded === undefined) return { ...found, status: level === 'claimed' ? 'claimed' : 'missing' };
  const { result } = recorded;
  const freshness = freshnessOf(recorded, sight);
  const known = { ...found, freshness, recorded };
  if (recorded.demand !== digest) return { ...known, status: 'stale' };
  if (result.outcome === 'not-configured')
    // A check may have been added since the activity was visited before.
    return { ...known, status: recorded.revision > since ? 'not-configured' : 'missing' };
  if (result.outcome === 'failed') return { ...known, status: 'failed' };
  if (evidenceLevels.indexOf(result.level) < evidenceLevels.indexOf(level))
    return { ...known, status: 'weak' };
  if (freshness === 'stale') return { ...known, status: 'stale' };
  // This server can't tell whether files have changed since an earlier visit, so a result of that visit does not count.
  if (freshness === 'unknown' && result.level !== 'rerun' && recorded.revision <= since)
    return { ...known, status: 'missing' };
  // Another server saw these files when it collected the evidence. A server with the same folder can check whether they
  // have changed.
  if (freshness === 'unknown' && result.level === 'rerun' && recorded.folder !== sight.folder)
    return { ...known, status: 'unseen' };
  return { ...known, status: 'passed' };
}

/** Returns whether the files are the same as when evidence was collected. */
function freshnessOf(
  { result: { tree, file }, folder }: RecordedEvidence,
  sight: EvidenceSight,
): NonNullable<EvidenceState['freshness']> {
  const isElsewhere = folder !== undefined && folder !== sight.folder;
  if (sight.folder === undefined || isElsewhere) return 'unknown';
  const isSeen = file !== undefined && sight.files !== undefined;
  // Git may ignore the file, so it can change or disappear without a change of the tree.
  if (isSeen && sight.files.get(file.path) !== file.digest) return 'stale';
  if (tree === undefined && sight.tree === undefined) return isSeen ? 'fresh' : 'unknown';
  return tree === sight.tree ? 'fresh' : 'stale';
}

/** Returns whether evidence does not let a session move on. */
export function isOpenEvidence({ status }: EvidenceState): boolean {
  return !passing.has(status);
}

/**
 * Describes evidence that does not let a session move on, or that proves less than it seems. `step` asks for it, if the
 * step may be reported as not done.
 */
export function describeEvidence(
  { id, status, level = 'rerun', recorded }: EvidenceState,
  step?: string,
): string {
  const reasons = recorded?.result.reasons ?? [];
  switch (status) {
    case 'missing':
      return evidenceMessages.missing(id);
    case 'failed':
      return evidenceMessages.failed(id, reasons, step);
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

/** Returns the state of each piece of evidence that a move depends on. */
export function evidenceOf({ state, work }: EvaluatedMove, sight: EvidenceSight): readonly EvidenceState[] {
  return (work?.account.evidence ?? []).map((demand) => evidenceStateIn(state, demand, sight));
}

/** Describes the evidence that does not let a session move on. */
export function describeOpenEvidence(
  { state, work }: EvaluatedMove,
  sight: EvidenceSight,
): readonly string[] {
  return (work?.account.evidence ?? []).flatMap((demand) => {
    const evidenceState = evidenceStateIn(state, demand, sight);
    return isOpenEvidence(evidenceState) ? [describeEvidence(evidenceState, demand.stepToGiveUp)] : [];
  });
}

/**
 * Returns all evidence of a session for people: what the current activity asks for, then the results of earlier
 * activities, the newest first.
 */
export function evidenceForPeople(
  state: SessionState,
  demands: readonly EvidenceDemand[],
  sight: EvidenceSight,
): readonly EvidenceState[] {
  const now = demands.map((demand) => evidenceStateIn(state, demand, sight));
  const asked = new Set(now.map(({ id }) => id));
  const earlier = (state.evidence ?? [])
    .filter(({ id, activity }) => activity !== state.current || !asked.has(id))
    .toReversed()
    .map((recorded): EvidenceState => {
      const freshness = freshnessOf(recorded, sight);
      const { outcome } = recorded.result;
      const status = outcome === 'passed' && freshness === 'stale' ? 'stale' : outcome;
      return { id: recorded.id, activity: recorded.activity, status, freshness, recorded };
    });
  return [...now, ...earlier];
}
