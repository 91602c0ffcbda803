import { WorkflowError, defined } from '@workflowlookup/schema';
import type { EvidenceAnswer, EvidenceCollector, EvidenceProgress } from './collector.ts';
import type { EvidenceDemand, EvidenceSight, EvidenceState } from './evidence-state.ts';
import { evidenceStateIn, describeEvidence } from './evidence-state.ts';
import { evidenceMessages, messages } from '../messages/sessions.ts';
import { checkpointActive, refuse } from '../session/command.ts';
import type { SessionState } from '../session/session-state.ts';
import { conflict, refusalError } from '../session-engine/refusals.ts';
import {
  boundFolder,
  collectorOf,
  demandsOf,
  sightFor,
  sightOf,
  statedEvidence,
} from './outside-evidence.ts';
import type { OpenSession, RunnableSession } from '../session-engine/open-session.ts';
import type { EvidenceCommand } from './outside-evidence.ts';
import { reopen } from '../session-engine/open-session.ts';
import type { Outcome, SessionParts } from '../session-engine/sessions.ts';
import { nowOf } from '../session-engine/trace.ts';
import { credentialOf, executeCommand } from '../session-engine/write-calls.ts';

/** The evidence that an agent wants to collect. */
export interface CollectRequest {
  /**
   * Ids of evidence of the current activity. By default all that is required; if nothing is, all that its steps can ask
   * for.
   */
  readonly evidenceIds?: readonly string[];
  readonly waitMs: number;
  /** The text of a statement that CI signed. It is recorded, and nothing else is collected. */
  readonly statement?: string;
  readonly signal?: AbortSignal;
  onProgress?(progress: EvidenceProgress & { readonly id: string }): void;
}

/** Evidence after a collection. */
export interface CollectedEvidence extends EvidenceState {
  /** One sentence about the problem, if the evidence does not let the session move on. */
  readonly message?: string;
  /** Set while its command still runs. The same call gets the result later. */
  readonly running?: EvidenceProgress;
}

/** The result of a collection. */
export interface Collected {
  readonly evidence: readonly CollectedEvidence[];
}

/** Maximum age, in milliseconds, of the state of the files that a reply about a collection shows. */
const recentMs = 250;

/** How often recording one result is tried, because another write may come first each time. */
const maxTries = 8;

/**
 * Collects the evidence that the current activity asks for, and records each result. Evidence that already lets the
 * session move on is not collected again.
 *
 * @throws WorkflowError INVALID_STATE on a server that can't see the folder of the session; INVALID_INPUT for an id that
 *   the activity does not ask for; CHECKPOINT_OPEN; SESSION_COMPLETED
 */
export async function collectEvidence(
  parts: SessionParts,
  session: OpenSession,
  request: CollectRequest,
): Promise<Outcome<Collected>> {
  const { state } = session;
  const refusal =
    state.status === 'completed'
      ? refuse('SESSION_COMPLETED', messages.sessionCompleted())
      : state.gate && checkpointActive(state.gate.checkpoint);
  if (refusal !== undefined) throw await refusalError(parts, session, refusal, 'collect');
  if (request.statement !== undefined) return recordStatement(parts, session, request.statement);
  const demands = chosenDemands(parts, session, request.evidenceIds);
  const collector = collectorFor(parts, session, demands);
  const sight = await sightOf(collector, state);
  const todo = demands.filter(
    (demand) =>
      demand.unset.length === 0 &&
      evidenceStateIn(state, demand, sight).status !== 'passed' &&
      !needsStatement(demand),
  );
  const answers = await Promise.all(
    todo.map(async (demand) => ({ demand, answer: await collectOne(collector, state, demand, request) })),
  );
  let recorded = state;
  for (const { demand, answer } of answers) {
    if (!('result' in answer)) continue;
    recorded = await record(parts, session, {
      kind: 'evidence',
      activity: state.current ?? '',
      evidence: demand.evidence.id,
      demand: demand.digest,
      folder: collector.folder,
      result: answer.result,
    });
  }
  // A collection has just looked. Before an agent moves on, the server looks again.
  const now = answers.length === 0 ? sight : await sightOf(collector, recorded, recentMs);
  const evidence = demands.map((demand) => {
    const answer = answers.find((one) => one.demand === demand)?.answer;
    return collectedOf(recorded, demand, now, answer && 'running' in answer ? answer.running : undefined);
  });
  return { value: { evidence: withAdvice(evidence, state) }, state: recorded };
}

/** Returns the state of evidence after a collection. */
function collectedOf(
  state: SessionState,
  demand: EvidenceDemand,
  sight: EvidenceSight,
  running?: EvidenceProgress,
): CollectedEvidence {
  const evidenceState = evidenceStateIn(state, demand, sight);
  const message = running === undefined ? messageOf(demand, evidenceState) : undefined;
  return { ...evidenceState, ...defined({ running, message }) };
}

/** Adds what an agent and a person can do without a check, once in a session: to the first evidence that lacks its check. */
function withAdvice(
  evidence: readonly CollectedEvidence[],
  { evidence: before = [] }: SessionState,
): readonly CollectedEvidence[] {
  if (before.some(({ result }) => result.outcome === 'not-configured')) return evidence;
  const first = evidence.find(({ status }) => status === 'not-configured');
  return evidence.map((one) =>
    one === first && one.message !== undefined
      ? { ...one, message: `${one.message} ${evidenceMessages.withoutCheck()}` }
      : one,
  );
}

function messageOf(demand: EvidenceDemand, evidenceState: EvidenceState): string | undefined {
  const { unset, stepToGiveUp } = demand;
  if (unset.length > 0) return evidenceMessages.unset(evidenceState.id, unset);
  if (evidenceState.status === 'passed') return undefined;
  const isWanted = evidenceState.status !== 'failed' && needsStatement(demand);
  return [
    describeEvidence(evidenceState, stepToGiveUp),
    ...(isWanted ? [evidenceMessages.needsStatement()] : []),
  ].join(' ');
}

/** Returns whether only CI can prove it, by a statement. */
function needsStatement({ evidence }: Pick<EvidenceDemand, 'evidence'>): boolean {
  return evidence.level === 'ci' && 'check' in evidence && evidence.github === undefined;
}

/** Records what a statement says of the checks that the activity asks for. */
async function recordStatement(
  parts: SessionParts,
  session: OpenSession,
  statement: string,
): Promise<Outcome<Collected>> {
  const commands = await statedEvidence(parts, session, statement);
  let { state } = session;
  for (const command of commands) state = await record(parts, session, command);
  const evidence = await collectedNow(parts, { ...session, state }, commands);
  return { value: { evidence }, state };
}

/** Returns the state of the evidence that was just recorded. */
export async function collectedNow(
  parts: Pick<SessionParts, 'evidence' | 'policy'>,
  session: RunnableSession,
  commands: readonly EvidenceCommand[],
): Promise<readonly CollectedEvidence[]> {
  const { state, runnable } = session;
  const sight = await sightFor(parts, session);
  const { evidence, otherEvidence } = demandsOf(state, runnable, parts.policy.gates);
  const ids = new Set(commands.map((one) => one.evidence));
  return [...evidence, ...otherEvidence]
    .filter((demand) => ids.has(demand.evidence.id))
    .map((demand) => collectedOf(state, demand, sight));
}

/** Returns the collector of the folder in which a session works. */
function collectorFor(
  { evidence }: Pick<SessionParts, 'evidence'>,
  session: RunnableSession,
  demands: readonly EvidenceDemand[],
): EvidenceCollector {
  if (evidence === undefined) {
    const steps = demands.flatMap(({ stepToGiveUp }) => stepToGiveUp ?? []);
    throw new WorkflowError(
      'INVALID_STATE',
      evidenceMessages.noFolder(session.state.sid, [...new Set(steps)]),
      { data: { reason: 'no-folder' } },
    );
  }
  const collector = collectorOf({ evidence }, session);
  if (collector !== undefined) return collector;
  const bound = session.session.project ?? boundFolder(session.state) ?? '';
  throw new WorkflowError('INVALID_STATE', evidenceMessages.otherFolder(evidence.folder, bound), {
    data: { reason: 'other-folder', folder: bound },
  });
}

/** Returns the demands of the current activity to collect. */
function chosenDemands(
  { policy }: Pick<SessionParts, 'policy'>,
  { state, runnable }: OpenSession,
  ids: readonly string[] | undefined,
): readonly EvidenceDemand[] {
  const { evidence, otherEvidence } = demandsOf(state, runnable, policy.gates);
  if (ids === undefined) return evidence.length === 0 ? otherEvidence : evidence;
  const all = [...evidence, ...otherEvidence];
  const known = all.map(({ evidence: { id } }) => id);
  const unknown = ids.filter((id) => !known.includes(id));
  const left = (state.evidence ?? []).find(({ id }) => unknown.includes(id));
  if (left !== undefined)
    throw new WorkflowError('INVALID_INPUT', evidenceMessages.left(left.id, left.activity), {
      data: { evidence_ids: unknown, reason: 'activity-left' },
    });
  if (unknown.length > 0)
    throw new WorkflowError('INVALID_INPUT', evidenceMessages.unknown(unknown, known), {
      data: { evidence_ids: unknown },
    });
  return all.filter(({ evidence: { id } }) => ids.includes(id));
}

function collectOne(
  collector: EvidenceCollector,
  { sid, since }: SessionState,
  { evidence, digest }: EvidenceDemand,
  { waitMs, signal, onProgress }: CollectRequest,
): Promise<EvidenceAnswer> {
  return collector.collect({
    key: [sid, since, evidence.id, digest].join('\n'),
    evidence,
    waitMs,
    ...defined({ signal }),
    ...(onProgress && { onProgress: (progress) => onProgress({ ...progress, id: evidence.id }) }),
  });
}

/** Records a result, whatever was written to the session meanwhile, as long as it is at the same activity. */
async function record(
  parts: SessionParts,
  session: OpenSession,
  command: EvidenceCommand,
): Promise<SessionState> {
  let now = session;
  for (let tries = 0; tries < maxTries; tries += 1) {
    now = await reopen(session);
    if (now.state.since !== session.state.since) break;
    const carried = await executeCommand({ ...parts, principal: parts.caller.principal }, now, {
      ...command,
      ...credentialOf(parts),
    });
    if (!('overtaken' in carried)) return carried.state;
  }
  throw conflict(session, now.state, nowOf(parts));
}
