import type { DecisionInputs } from '../session/command.ts';
import type { EvaluatedMove } from '../session/evaluate-move.ts';
import type { RecordedEvidence, SessionState } from '../session/session-state.ts';
import type { EvidenceDemand } from './demands.ts';
import type { EvidenceSight, EvidenceStanding } from './standing.ts';
import { freshnessOf, isOpenEvidence, standingOf } from './standing.ts';

/** Returns how the evidence stands that the work of a move asks for. */
export function evidenceOf(
  { state, work }: EvaluatedMove,
  sight: EvidenceSight,
): readonly EvidenceStanding[] {
  return (work?.account.evidence ?? []).map((demand) => standingIn(state, demand, sight));
}

/** Returns the evidence that does not let a session move on. Without a sight, evidence is not judged. */
export function openEvidence(
  prospect: EvaluatedMove,
  { evidence: sight }: Pick<DecisionInputs, 'evidence'>,
): readonly EvidenceStanding[] {
  if (sight === undefined || prospect.work?.account.evidence.length === 0) return [];
  return evidenceOf(prospect, sight).filter(isOpenEvidence);
}

/** Returns how one demand of the current activity stands. */
export function standingIn(
  state: SessionState,
  demand: EvidenceDemand,
  sight: EvidenceSight,
): EvidenceStanding {
  const { current = '', since } = state;
  const recorded = lastResult(state, current, demand.evidence.id);
  return standingOf(demand, { activity: current, recorded, since, sight });
}

function lastResult(
  { evidence = [] }: SessionState,
  activity: string,
  id: string,
): RecordedEvidence | undefined {
  return evidence.find((one) => one.activity === activity && one.id === id);
}

/**
 * Returns all evidence of a session for people: what the current activity asks for, then the results of earlier
 * activities, the newest first.
 */
export function evidenceForPeople(
  state: SessionState,
  demands: readonly EvidenceDemand[],
  sight: EvidenceSight,
): readonly EvidenceStanding[] {
  const now = demands.map((demand) => standingIn(state, demand, sight));
  const asked = new Set(now.map(({ id }) => id));
  const earlier = (state.evidence ?? [])
    .filter(({ id, activity }) => activity !== state.current || !asked.has(id))
    .toReversed()
    .map((recorded): EvidenceStanding => {
      const freshness = freshnessOf(recorded, sight);
      const { outcome } = recorded.result;
      const status = outcome === 'passed' && freshness === 'stale' ? 'stale' : outcome;
      return { id: recorded.id, activity: recorded.activity, status, freshness, recorded };
    });
  return [...now, ...earlier];
}
