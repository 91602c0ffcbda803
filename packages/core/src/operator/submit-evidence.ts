import { WorkflowError, evidenceKind, defined } from '@workflowlookup/schema';
import type { EvidenceResult } from '../evidence/collector.ts';
import type { EvidenceDemand, EvidenceState } from '../evidence/evidence-state.ts';
import { evidenceStateIn } from '../evidence/evidence-state.ts';
import { evidenceMessages } from '../messages/sessions.ts';
import type { CollectedEvidence } from '../evidence/collect-evidence.ts';
import { collectedNow } from '../evidence/collect-evidence.ts';
import { demandsOf, sightFor, assertOpen, statedEvidence } from '../evidence/outside-evidence.ts';
import type { RunnableSession } from '../session-engine/open-session.ts';
import type { EvidenceCommand } from '../evidence/outside-evidence.ts';
import type { OperatorParts } from './load-session.ts';
import { loadRunnableSession } from './load-session.ts';
import { originOf, writeAsPerson } from './respond.ts';

/** Evidence that an activity asks for, and its state. */
export interface AskedEvidence extends EvidenceDemand {
  readonly state: EvidenceState;
}

/** What the current activity of a session asks for. */
export interface EvidenceList {
  readonly sid: string;
  readonly workflowId: string;
  /** Absent before the first activity. */
  readonly activity?: string;
  /** The folder in which the session was started, if that is known. */
  readonly project?: string;
  readonly asked: readonly AskedEvidence[];
}

/** A result that was collected elsewhere. */
export interface ReportedResult {
  /** The id of the evidence. */
  readonly evidence: string;
  /** The digest of the demand that it was collected for. */
  readonly demand: string;
  readonly result: Omit<EvidenceResult, 'by' | 'kind' | 'level'>;
}

/** Evidence that a person collected where the files are. */
export interface EvidenceReport {
  readonly activity: string;
  readonly results: readonly ReportedResult[];
}

/** Returns the evidence that the current activity of a session asks for. */
export async function listEvidence(parts: OperatorParts, sid: string): Promise<EvidenceList> {
  const run = await loadRunnableSession(parts, sid);
  const { state, runnable, session } = run;
  const sight = await sightFor(parts, run);
  const { evidence } = demandsOf(state, runnable, parts.policy.gates);
  return {
    sid,
    workflowId: state.workflowId,
    ...defined({ activity: state.current, project: session.project }),
    asked: evidence.map((demand) => ({ ...demand, state: evidenceStateIn(state, demand, sight) })),
  };
}

/** Records what a person collected, at the level `observed`. */
export async function reportEvidence(
  parts: OperatorParts,
  sid: string,
  { activity, results }: EvidenceReport,
): Promise<readonly CollectedEvidence[]> {
  const run = await loadRunnableSession(parts, sid);
  const { state, runnable } = run;
  assertOpen(state);
  if (state.current !== activity)
    throw new WorkflowError('INVALID_STATE', evidenceMessages.activityLeft(activity), {
      data: { reason: 'activity-left' },
    });
  const { evidence, otherEvidence } = demandsOf(state, runnable, parts.policy.gates);
  const demands = [...evidence, ...otherEvidence];
  const commands = results.map((one): EvidenceCommand => {
    const demand = demands.find((other) => other.evidence.id === one.evidence);
    if (demand === undefined) {
      const known = demands.map((other) => other.evidence.id);
      throw new WorkflowError('INVALID_INPUT', evidenceMessages.unknown([one.evidence], known), {
        data: { evidence_ids: [one.evidence] },
      });
    }
    if (demand.digest !== one.demand)
      throw new WorkflowError('INVALID_STATE', evidenceMessages.otherDemand(one.evidence), {
        data: { reason: 'other-demand' },
      });
    return {
      kind: 'evidence',
      activity,
      evidence: one.evidence,
      demand: one.demand,
      result: {
        ...one.result,
        kind: evidenceKind(demand.evidence),
        level: 'observed',
        by: parts.person,
        ...('check' in demand.evidence ? { check: demand.evidence.check } : {}),
      },
    };
  });
  return record(parts, run, commands);
}

/** Records what a signed statement says of the checks that the current activity asks for, at the level `ci`. */
export async function submitStatement(
  parts: OperatorParts,
  sid: string,
  source: unknown,
): Promise<readonly CollectedEvidence[]> {
  const run = await loadRunnableSession(parts, sid);
  return record(parts, run, await statedEvidence(parts, run, source));
}

async function record(
  parts: OperatorParts,
  run: RunnableSession,
  commands: readonly EvidenceCommand[],
): Promise<readonly CollectedEvidence[]> {
  let now = run;
  for (const command of commands) {
    const { state } = await writeAsPerson(parts, now, {
      ...command,
      isFromOutside: true,
      origin: originOf(parts),
    });
    now = { ...now, ...(await loadRunnableSession(parts, state.sid)) };
  }
  return collectedNow(parts, now, commands);
}
