import type { EvidenceCollector } from '../evidence/collector.ts';
import type { EvidenceDemand } from '../evidence/demands.ts';
import { evidenceForPeople } from '../evidence/session-evidence.ts';
import type { EvidenceSight, EvidenceStanding } from '../evidence/standing.ts';
import { evaluateMove } from '../session/evaluate-move.ts';
import type { SessionState } from '../session/session-state.ts';
import type { Runnable } from './definitions.ts';
import type { RunnableSession } from './open-session.ts';
import type { SessionParts } from './parts.ts';

/** A session without a folder belongs to the one in which evidence was collected first. */
export function boundFolder({ evidence = [] }: SessionState): string | undefined {
  return evidence.find(({ folder }) => folder !== undefined)?.folder;
}

/** Returns what a collector sees of its folder now, or saw at most that many milliseconds ago. */
export async function sightOf(collector: EvidenceCollector, maxAgeMs = 0): Promise<EvidenceSight> {
  const tree = await collector.tree({ maxAgeMs });
  return { folder: collector.folder, ...(tree === undefined ? {} : { tree }) };
}

/** Returns the collector of the folder in which a session works, or `undefined` if this server has none for it. */
export function collectorOf(
  { evidence }: Pick<SessionParts, 'evidence'>,
  { state, session: { project } }: Pick<RunnableSession, 'session' | 'state'>,
): EvidenceCollector | undefined {
  const bound = project ?? boundFolder(state);
  return bound === undefined || bound === evidence?.folder ? evidence : undefined;
}

/** Returns what the server sees of the files of a session, or nothing of the files of another folder. */
export async function sightFor(
  parts: Pick<SessionParts, 'evidence'>,
  session: Pick<RunnableSession, 'session' | 'state'>,
): Promise<EvidenceSight> {
  const collector = collectorOf(parts, session);
  return collector === undefined ? {} : sightOf(collector);
}

/** Returns the evidence of a session, as people see it; nothing if it has none and asks for none. */
export async function readEvidence(
  parts: Pick<SessionParts, 'evidence' | 'policy'>,
  session: Pick<RunnableSession, 'runnable' | 'session' | 'state'>,
): Promise<readonly EvidenceStanding[]> {
  const { state, runnable } = session;
  const { evidence: demands } =
    state.status === 'completed' ? { evidence: [] } : demandsOf(state, runnable, parts.policy.gates);
  if (demands.length === 0 && (state.evidence ?? []).length === 0) return [];
  return evidenceForPeople(state, demands, await sightFor(parts, session));
}

/** Returns the evidence that the current activity asks for, and that of its steps that may be left out. */
export function demandsOf(
  state: SessionState,
  { navigator }: Runnable,
  gates: SessionParts['policy']['gates'],
): { readonly evidence: readonly EvidenceDemand[]; readonly otherEvidence: readonly EvidenceDemand[] } {
  const { work } = evaluateMove(state, { kind: 'move' }, navigator, gates);
  return work?.account ?? { evidence: [], otherEvidence: [] };
}
