import type { CheckEvidence } from '@workflowlookup/schema';
import { WorkflowError, defined } from '@workflowlookup/schema';
import type { EvidenceCollector, StatedCheck } from './collector.ts';
import type { EvidenceDemand, EvidenceSight, EvidenceState } from './evidence-state.ts';
import { evidenceForPeople } from './evidence-state.ts';
import { evidenceMessages, messages } from '../messages/sessions.ts';
import { evaluateMove } from '../session/evaluate-move.ts';
import type { StepAccount } from '../session/outputs/step-account.ts';
import type { CollectionResult } from '../session/session-event.ts';
import type { RecordedEvidence, SessionState } from '../session/session-state.ts';
import type { Runnable, RunnableSession } from '../session-engine/open-session.ts';
import type { SessionParts } from '../session-engine/sessions.ts';
import { nowOf } from '../session-engine/trace.ts';

/**
 * Returns the folder in which evidence of a session was first collected. A session that was started without a folder is
 * bound to it.
 */
export function boundFolder({ evidence = [] }: SessionState): string | undefined {
  return evidence.find(({ folder }) => folder !== undefined)?.folder;
}

/**
 * Returns what a collector sees now of its folder, and of the files that the evidence of a session is about. A state of
 * the folder that was seen at most that many milliseconds ago does as well.
 */
export async function sightOf(
  collector: EvidenceCollector,
  { evidence = [] }: Pick<SessionState, 'evidence'>,
  maxAgeMs = 0,
): Promise<EvidenceSight> {
  const { folder } = collector;
  const paths = evidence.flatMap(({ result: { file } }) => file?.path ?? []);
  const digests = paths.map(async (path) => [path, await collector.file?.(path)] as const);
  const [tree, ...files] = await Promise.all([collector.tree({ maxAgeMs }), ...digests]);
  return defined({ folder, tree, files: collector.file && new Map(files) });
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
  return collector === undefined ? {} : sightOf(collector, session.state);
}

/** Returns the evidence of a session, as people see it; nothing if it has none and asks for none. */
export async function readEvidence(
  parts: Pick<SessionParts, 'evidence' | 'policy'>,
  session: Pick<RunnableSession, 'runnable' | 'session' | 'state'>,
): Promise<readonly EvidenceState[]> {
  const { state, runnable } = session;
  const { evidence: demands } = demandsOf(state, runnable, parts.policy.gates);
  if (demands.length === 0 && (state.evidence ?? []).length === 0) return [];
  return evidenceForPeople(state, demands, await sightFor(parts, session));
}

/** Returns the evidence that the current activity asks for, and that of its steps that may be left out. */
export function demandsOf(
  state: SessionState,
  { navigator }: Runnable,
  gates: SessionParts['policy']['gates'],
): Pick<StepAccount, 'evidence' | 'otherEvidence'> {
  const isOver = state.status === 'completed';
  const { work } = isOver ? {} : evaluateMove(state, { kind: 'move' }, navigator, gates);
  return work?.account ?? { evidence: [], otherEvidence: [] };
}

/** A command that records evidence, without its writer. */
export type EvidenceCommand = { readonly kind: 'evidence' } & Omit<CollectionResult, 'credential' | 'origin'>;

/** How far the clock of a signer may be ahead. */
const maxAheadMs = 5 * 60_000;

type Parts = Pick<SessionParts, 'evidence' | 'statements' | 'policy' | 'now'>;

type CheckDemand = EvidenceDemand & { readonly evidence: CheckEvidence };

/**
 * Returns the commands that record what a signed statement says of the checks that the current activity asks for.
 *
 * @throws WorkflowError STATEMENT_REFUSED if no trusted key signed it, or if it is about another commit, check or
 *   session, or too old; INVALID_INPUT; SESSION_COMPLETED
 */
export async function statedEvidence(
  parts: Parts,
  run: RunnableSession,
  source: unknown,
): Promise<readonly EvidenceCommand[]> {
  const { state } = run;
  assertOpen(state);
  if (parts.statements === undefined) throw refused('no-trusted-keys', evidenceMessages.noStatements());
  const stated = await parts.statements.read(source);
  const demands = checksAskedFor(parts, run).filter(({ evidence }) => evidence.check === stated.check);
  if (demands.length === 0) {
    const asked = [...new Set(checksAskedFor(parts, run).map(({ evidence }) => evidence.check))];
    throw refused('other-check', evidenceMessages.otherCheck(stated.check, asked), { check: stated.check });
  }
  if (stated.session !== undefined && stated.session !== state.sid)
    throw refused('other-session', evidenceMessages.otherSession(stated.session, state.sid));
  if (Date.parse(stated.ranAt) > nowOf(parts) + maxAheadMs)
    throw refused('in-the-future', evidenceMessages.inTheFuture(stated.ranAt));
  const collector = collectorOf(parts, run);
  const before =
    collector === undefined
      ? await beforeElsewhere(run, stated, demands)
      : await beforeHere(run, collector, stated, demands);
  const commands = demands.map(({ evidence, digest }): EvidenceCommand => ({
    kind: 'evidence',
    activity: state.current ?? '',
    evidence: evidence.id,
    demand: digest,
    ...defined({ folder: collector?.folder }),
    result: stated.resultFor(evidence, before),
  }));
  const counted = commands.map(({ result }) => (result.outcome === 'passed' ? (result.tests?.run ?? 0) : 0));
  const most = Math.max(...counted);
  if (most > (before ?? 0)) await collector?.baseline?.accept(stated.check, most);
  return commands;
}

/** Refuses evidence for a session that is completed. */
export function assertOpen({ status }: SessionState): void {
  if (status === 'completed') throw new WorkflowError('SESSION_COMPLETED', messages.sessionCompleted());
}

function checksAskedFor(
  { policy }: Pick<SessionParts, 'policy'>,
  { state, runnable }: RunnableSession,
): readonly CheckDemand[] {
  const { evidence, otherEvidence } = demandsOf(state, runnable, policy.gates);
  return [...evidence, ...otherEvidence].filter((one): one is CheckDemand => 'check' in one.evidence);
}

/** Compares a statement with the folder of the session, and returns how many tests ran when the check was accepted. */
async function beforeHere(
  run: RunnableSession,
  collector: EvidenceCollector,
  stated: StatedCheck,
  demands: readonly CheckDemand[],
): Promise<number | undefined> {
  const { check, commit, checksDigest } = stated;
  const tree = await collector.tree();
  if (tree !== `commit:${commit}`) {
    const head = /^commit:(.*)$/.exec(tree ?? '')?.[1];
    throw head === undefined
      ? refused('not-committed', evidenceMessages.notCommitted(commit), { commit })
      : refused('other-commit', evidenceMessages.otherCommit(commit, head), { commit, expected: head });
  }
  // A statement is outdated only if a newer one by CI about the same commit was recorded. Results of local commands, or
  // of CI at another commit, do not count.
  const sameCommit = knownFor(run, demands).filter(
    ({ result }) => result.level === 'ci' && result.collectedAt !== undefined && result.commit === commit,
  );
  refuseOlder(stated, sameCommit);
  const { baseline } = collector;
  if (baseline === undefined) return undefined;
  const { digest, tests } = await baseline.read(check);
  // The agent may have changed what the check does, and committed that.
  if (digest !== checksDigest)
    throw refused('other-checks', evidenceMessages.otherChecks(baseline.trustCommand), { check });
  return tests;
}

/**
 * A server that can't see the folder does not know the commit. So the statement must be for this session, about a run
 * after the activity was entered, and newer than what is recorded.
 */
async function beforeElsewhere(
  run: RunnableSession,
  stated: StatedCheck,
  demands: readonly CheckDemand[],
): Promise<number | undefined> {
  const { state, vault } = run;
  if (stated.session === undefined) throw refused('no-session', evidenceMessages.noSession(state.sid));
  const [entered] = await vault.store.events(state.sid, { after: state.since - 1, limit: 1 });
  refuseOlder(stated, knownFor(run, demands), entered?.at);
  const counts = (state.evidence ?? []).flatMap(({ result }) =>
    result.check === stated.check && result.outcome === 'passed' ? [result.tests?.run ?? 0] : [],
  );
  return counts.length === 0 ? undefined : Math.max(...counts);
}

/** Returns what is recorded for demands of the current activity. */
function knownFor(
  { state: { evidence = [], current } }: RunnableSession,
  demands: readonly CheckDemand[],
): readonly RecordedEvidence[] {
  const ids = new Set(demands.map((demand) => demand.evidence.id));
  return evidence.filter(({ id, activity }) => activity === current && ids.has(id));
}

/** Refuses a statement about a run before a time, or before what is recorded. */
function refuseOlder({ ranAt }: StatedCheck, known: readonly RecordedEvidence[], since = ''): void {
  const times = [since, ...known.map(({ at, result }) => result.collectedAt ?? at)];
  const newest = times.toSorted().at(-1) ?? '';
  if (ranAt < newest) throw refused('too-old', evidenceMessages.tooOld(ranAt, newest), { ran_at: ranAt });
}

function refused(
  reason: string,
  message: string,
  data: Readonly<Record<string, unknown>> = {},
): WorkflowError {
  return new WorkflowError('STATEMENT_REFUSED', message, { data: { reason, ...data } });
}
