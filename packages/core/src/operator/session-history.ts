import type { Json } from '@workflowlookup/schema';
import { canonicalJson, defined } from '@workflowlookup/schema';
import type { JournalEvent, SessionRow, SessionStore } from '@workflowlookup/storage';
import { auditSession, inTurns } from '@workflowlookup/storage/journal';
import { timesOf } from '../insights/session-figures.ts';
import { conditionText } from '../navigation/compile-workflow.ts';
import type { Navigator } from '../navigation/navigator.ts';
import { readEvidence } from '../evidence/outside-evidence.ts';
import type { Runnable, RunnableActivities, RunnableSteps } from '../session-engine/open-session.ts';
import { keptDefinition, eventOf, replay, stateOf } from '../session-engine/open-session.ts';
import { tokensIn, childrenOf, recordedCalls } from '../session-engine/trace.ts';
import type { TraceEvent } from '../session-engine/trace.ts';
import { evolve } from '../session/evolve.ts';
import { isAnswerTo } from '../session/open-checkpoints.ts';
import { sessionPosition } from '../session/evaluate-move.ts';
import type { SessionEvent } from '../session/session-event.ts';
import type { SessionState } from '../session/session-state.ts';
import { activeModes } from '../session/session-state.ts';
import type { LoopNode, Node, NodePosition } from '../navigation/compile-workflow.ts';
import { stepIdOf } from '../navigation/next-step.ts';
import { activitiesAgain, activitiesAhead } from './activities-ahead.ts';
import type { OperatorParts } from './load-session.ts';
import { loadSession } from './load-session.ts';
import type {
  CheckpointWait,
  Participant,
  RecordedEvent,
  SessionEvidence,
  SessionHistory,
  SessionHistoryMove,
  VariableChange,
} from './create-operator.ts';
import { notDoneTexts } from '../messages/operator.ts';

export async function readSessionHistory(parts: OperatorParts, sid: string): Promise<SessionHistory> {
  const store = await parts.store();
  const loaded = await loadSession(store, sid);
  const { session } = loaded;
  const { events: kept, verdict } = await auditSession(store, session);
  const events = kept.map(recordedEvent);
  const state = stateOf(loaded);
  const runnable = await keptDefinition(store, session);
  const reading = { isUnverifiedToo: session.unauthentic !== undefined };
  const calls = await recordedCalls(store, sid, reading);
  const agents = await store.agents(sid, reading);
  const ofAgents = callsOfAgents(calls, agents);
  const lastCall = ofAgents.at(-1);
  const { enforcement, outcome, parent, parked } = state;
  const evidence = await evidenceIn(parts, { runnable, session, state }, events);
  const moved = await inTurns(answersMoved(kept, sid, runnable.navigator));
  return {
    session,
    title: runnable.navigator.workflow.title,
    enforcement,
    ...defined({ outcome, parent, parked, lastCallAt: lastCall && endOf(lastCall) }),
    children: await childrenOf(store, sid),
    plan: plannedActivities(runnable, state, events),
    moves: movesIn(events),
    checkpoints: withReceipts(checkpointWaits(events, moved, session), ofAgents),
    notDone: state.notDone ?? [],
    taken: state.taken ?? [],
    ...(evidence.length > 0 && { evidence }),
    refusals: calls.filter(({ s }) => s === 'error'),
    participants: participantsOf(agents, calls),
    variables: variableChanges(events),
    chain: verdict.ok ? { ok: true, events: verdict.head.revision } : verdict,
  };
}

/** Returns the evidence of a session as it stands now, with the end of what its commands printed. */
async function evidenceIn(
  parts: Pick<OperatorParts, 'evidence' | 'policy'>,
  session: Parameters<typeof readEvidence>[1],
  events: readonly RecordedEvent[],
): Promise<readonly SessionEvidence[]> {
  const evidence = await readEvidence(parts, session);
  return evidence.map((one) => {
    const event = events.find(({ revision }) => revision === one.recorded?.revision)?.event;
    const output = event?.type === 'evidence-collected' ? event.result.output?.tail : undefined;
    return output === undefined || output === '' ? one : { ...one, output };
  });
}

/** Returns the calls that agents made, not people. */
function callsOfAgents(calls: readonly TraceEvent[], agents: readonly string[]): readonly TraceEvent[] {
  return calls.filter(({ aid }) => kindOf(aid, agents) === 'agent');
}

function endOf({ ts, ms }: TraceEvent): string {
  return new Date(Date.parse(ts) + ms).toISOString();
}

export function recordedEvent(kept: JournalEvent): RecordedEvent {
  return { revision: kept.revision, at: kept.at, event: eventOf(kept) };
}

const noCalls = { calls: 0, refused: 0, readChars: 0 };

function participantsOf(agents: readonly string[], calls: readonly TraceEvent[]): readonly Participant[] {
  const counts = new Map(agents.map((id) => [id, noCalls]));
  for (const { aid, s, read = 0 } of calls) {
    const known = counts.get(aid) ?? noCalls;
    const refused = known.refused + (s === 'error' ? 1 : 0);
    counts.set(aid, { calls: known.calls + 1, refused, readChars: known.readChars + read });
  }
  return [...counts].map(([id, { readChars, ...counted }]) => ({
    id,
    kind: kindOf(id, agents),
    ...counted,
    readTokens: tokensIn(readChars),
  }));
}

/** Returns the kind of a participant. An agent may call itself anything, but a person never joins as an agent. */
function kindOf(id: string, agents: readonly string[]): Participant['kind'] {
  return id.startsWith('human:') && !agents.includes(id) ? 'human' : 'agent';
}

/** The revisions of answers that do not belong to the question that follows from the journal before them. */
export function* answersMoved(
  events: readonly JournalEvent[],
  sid: string,
  navigator: Navigator,
): Generator<void, ReadonlySet<number>> {
  const moved = new Set<number>();
  if (events[0]?.type !== 'session-started') return moved;
  let state = replay(sid, events.slice(0, 1));
  for (const kept of events.slice(1)) {
    const event = eventOf(kept);
    if (event.type === 'checkpoint-answered' && isAnswerTo(event, state, navigator) === false)
      moved.add(kept.revision);
    state = evolve(state, { at: kept.at, event });
    yield;
  }
  return moved;
}

function setterOf(event: SessionEvent, name: string): Pick<VariableChange, 'by' | 'checkpoint' | 'person'> {
  const by = 'setBy' in event ? (event.setBy?.[name] ?? 'unknown') : 'unknown';
  if (event.type !== 'checkpoint-answered' || !Object.hasOwn(event.effect?.setVariable ?? {}, name))
    return { by };
  const { checkpoint, person } = event;
  return { by: 'checkpoint', checkpoint, ...defined({ person }) };
}

function variableChanges([first, ...rest]: readonly RecordedEvent[]): readonly VariableChange[] {
  const values = new Map<string, Json>();
  if (first?.event.type === 'session-started') {
    for (const [name, value] of Object.entries(first.event.variables)) values.set(name, value);
  }
  return rest.flatMap(({ revision, at, event }) =>
    Object.entries('variables' in event ? event.variables : {}).flatMap(([name, to]) => {
      const from = values.get(name);
      if (from !== undefined && canonicalJson(from) === canonicalJson(to)) return [];
      values.set(name, to);
      return [{ name, ...defined({ from }), to, revision, at, ...setterOf(event, name) }];
    }),
  );
}

/** Returns the moves of a session in order, without its abandoning. */
function movesIn(events: readonly RecordedEvent[]): readonly SessionHistoryMove[] {
  return events.flatMap(({ revision, at, event }): SessionHistoryMove[] => {
    if (event.type !== 'activity-entered' && event.type !== 'session-completed') return [];
    if (event.type === 'session-completed' && event.outcome !== undefined) return [];
    return [
      {
        revision,
        at,
        ...defined({ from: event.from, to: event.type === 'activity-entered' ? event.activity : undefined }),
        steps: event.manifest.map(({ step_id: id }) => id),
        ...(event.warnings.length === 0 ? {} : { warnings: event.warnings }),
      },
    ];
  });
}

/**
 * The state of an activity in the plan: done, current, skipped for good, still reachable, or reachable depending on the
 * answers to an open checkpoint. If the session was sent back, an activity after the current one is no longer done, but
 * reachable again.
 */
export type PlannedActivityStatus = 'done' | 'current' | 'skipped' | 'ahead' | 'depends';

/** An activity of the plan, with its state. */
export interface PlannedActivity {
  readonly id: string;
  readonly name: string;
  readonly status: PlannedActivityStatus;
  /** How often it was entered; of a step in a loop, in all its iterations. */
  readonly visits: number;
  /** Why it was skipped, or what it depends on. */
  readonly why?: string;
  /** Seconds of work in the visits that ended, and seconds at checkpoints that were answered; absent without a visit. */
  readonly seconds?: number;
  readonly waited?: number;
}

/** Returns every activity of a definition in order, with its state and its times. */
function plannedActivities(
  runnable: Runnable,
  state: SessionState,
  events: readonly RecordedEvent[],
): readonly PlannedActivity[] {
  const plan =
    runnable.kind === 'activities' ? plannedGraph(runnable, state, events) : plannedSequence(runnable, state);
  const times = timesOf(events);
  return plan.map((planned) => ({ ...planned, ...times.get(planned.id) }));
}

function plannedGraph(
  { workflow, navigator }: RunnableActivities,
  state: SessionState,
  events: readonly RecordedEvent[],
): readonly PlannedActivity[] {
  const ahead = activitiesAhead(state, navigator);
  const { open, now, answered } = ahead;
  const again = activitiesAgain({ workflow, navigator }, state, () => ahead);
  return workflow.activities.map(({ id, definition: { name } }) => {
    const visits = visitsIn(state, (visited) => visited === id);
    const isAhead = answered.length === 0 ? now.has(id) : answered.every((ids) => ids.has(id));
    const depends = !isAhead && answered.some((ids) => ids.has(id));
    const isCurrent = state.current === id;
    const status = plannedStatus({ isCurrent, isDone: visits > 0 && !again.has(id), isAhead, depends });
    const planned = { id, name, status, visits };
    if (status === 'skipped') return { ...planned, why: whyNotEntered(id, navigator, state, events) };
    return status === 'depends'
      ? { ...planned, why: notDoneTexts.dependsOn(open.map((checkpoint) => checkpoint.id)) }
      : planned;
  });
}

/**
 * Steps of a step workflow run in the order of the file, so a step before the current one that was not done was
 * skipped.
 */
function plannedSequence(
  { compiled, navigator }: RunnableSteps,
  state: SessionState,
): readonly PlannedActivity[] {
  const steps = compiled.nodes.flatMap(stepsIn);
  const current = state.current === undefined ? undefined : stepIdOf(state.current);
  const visitsOf = (id: string): number => visitsIn(state, (visited) => stepIdOf(visited) === id);
  const reached = steps.findLastIndex(({ id }) => visitsOf(id) > 0);
  const { moves } = navigator.ahead(sessionPosition(state, navigator));
  const next = new Set(moves.map(({ target }) => stepIdOf(target)));
  return steps.map(({ id, name }, at) => {
    const [place] = compiled.positions.get(id) ?? [];
    const visits = visitsOf(id);
    const isAhead = state.status === 'active' && (at > reached || next.has(id));
    const status = plannedStatus({ isCurrent: current === id, isDone: visits > 0, isAhead });
    const why = status === 'skipped' && place !== undefined ? whyNotDone(place, state) : undefined;
    return { id, name, status, visits, ...defined({ why }) };
  });
}

function stepsIn(node: Node): readonly { readonly id: string; readonly name: string }[] {
  return node.kind === 'step' ? [{ id: node.step.id, name: node.step.title }] : node.body.flatMap(stepsIn);
}

function visitsIn({ visits }: SessionState, isIt: (id: string) => boolean): number {
  return Object.entries(visits).reduce((sum, [id, count]) => (isIt(id) ? sum + count : sum), 0);
}

interface Facts {
  readonly isCurrent: boolean;
  readonly isDone: boolean;
  readonly isAhead: boolean;
  readonly depends?: boolean;
}

/** An abandoned session keeps its current activity. */
function plannedStatus({ isCurrent, isDone, isAhead, depends = false }: Facts): PlannedActivityStatus {
  if (isCurrent) return 'current';
  if (isDone) return 'done';
  if (depends) return 'depends';
  return isAhead ? 'ahead' : 'skipped';
}

/** Returns why an activity was skipped: an answer or a mode skipped it, or no transition that was taken leads to it. */
function whyNotEntered(
  id: string,
  navigator: Navigator,
  state: SessionState,
  events: readonly RecordedEvent[],
): string {
  for (const { event } of events) {
    if (event.type !== 'checkpoint-answered' || event.effect?.skipActivities?.includes(id) !== true) continue;
    const { answer, checkpoint } = event;
    return answer.kind === 'dismissed'
      ? notDoneTexts.skippedByDismissal(checkpoint)
      : notDoneTexts.skippedByAnswer(answer.option, checkpoint);
  }
  const mode = activeModes(navigator, state.variables).find(({ skipActivities }) =>
    skipActivities.includes(id),
  );
  if (mode !== undefined) return notDoneTexts.skippedByMode(mode.id);
  return state.outcome === 'abandoned' ? notDoneTexts.abandoned() : notDoneTexts.notReached();
}

/** Returns why a step was skipped, as far as the definition shows: a condition of its own or of a loop around it. */
function whyNotDone(
  { node, loops }: NodePosition,
  { outcome, visits }: Pick<SessionState, 'outcome' | 'visits'>,
): string {
  if (outcome === 'abandoned') return notDoneTexts.abandoned();
  const outer = loops.find((loop) => !hasIterations(loop, visits));
  const condition = (outer ?? node).step.runCondition;
  if (condition !== undefined) return notDoneTexts.conditionFalse(conditionText(condition));
  return outer === undefined ? notDoneTexts.skipped() : notDoneTexts.noIteration(outer.step.id);
}

function hasIterations({ step: { id } }: LoopNode, visits: SessionState['visits']): boolean {
  return Object.keys(visits).some((instance) =>
    instance.split('::').some((part) => part.startsWith(`${id}@`)),
  );
}

/** Calls whose replies have the last answer and its note. */
const tellsAnswer: ReadonlySet<string> = new Set(['resume', 'status', 'read-activity', 'move']);

/** Adds when an agent got each answer that people gave elsewhere. `calls` are those of agents, oldest first. */
function withReceipts(
  waits: readonly CheckpointWait[],
  calls: readonly TraceEvent[],
): readonly CheckpointWait[] {
  const telling = calls.filter(({ name, s }) => s === 'ok' && tellsAnswer.has(name));
  return waits.map((wait) => {
    const { answered } = wait;
    if (answered === undefined || answered.by !== 'human' || isThroughAgent(answered)) return wait;
    const atMs = Date.parse(answered.at);
    const call = telling.find(({ name, rev, ts, ms }) =>
      rev === wait.revision
        ? name === 'resume' && Date.parse(ts) + ms >= atMs
        : rev > wait.revision && Date.parse(ts) >= atMs,
    );
    return call === undefined ? wait : { ...wait, answered: { ...answered, receivedAt: endOf(call) } };
  });
}

function isThroughAgent({ origin }: NonNullable<CheckpointWait['answered']>): boolean {
  return origin !== undefined && ['tool', 'elicitation', 'autonomy'].includes(origin.channel);
}

/** Returns when an agent got each answer that a person gave elsewhere, by the time of the answer. */
export async function readReceipts(
  store: SessionStore,
  sid: string,
  events: readonly RecordedEvent[],
): Promise<ReadonlyMap<string, string>> {
  const { session } = await loadSession(store, sid);
  const reading = { isUnverifiedToo: session.unauthentic !== undefined };
  const [calls, agents] = await Promise.all([recordedCalls(store, sid, reading), store.agents(sid, reading)]);
  const waits = withReceipts(checkpointWaits(events), callsOfAgents(calls, agents));
  return new Map(
    waits.flatMap(({ answered }) =>
      answered?.receivedAt === undefined ? [] : [[answered.at, answered.receivedAt]],
    ),
  );
}

/** The checkpoints a session stopped at, in order, each with its answer; `moved` are answers to another question. */
function checkpointWaits(
  events: readonly RecordedEvent[],
  moved: ReadonlySet<number> = new Set(),
  { imported }: Pick<SessionRow, 'imported'> = {},
): readonly CheckpointWait[] {
  const doubtfulUpTo = imported?.isAuthentic === false ? imported.revision : 0;
  const waits: CheckpointWait[] = [];
  for (const { revision, at, event } of events) {
    if (event.type === 'checkpoint-yielded') {
      const { checkpoint, activity } = event;
      waits.push({ checkpoint, activity, revision, yieldedAt: at });
    }
    const last = waits.at(-1);
    if (event.type === 'checkpoint-answered' && last !== undefined) {
      const { answer, by, person, note, origin, decided } = event;
      const isAsAsked = !moved.has(revision);
      const answered = {
        at,
        answer,
        by,
        ...defined({ person, note, origin, decided: decided && { ...decided, isAsAsked } }),
        ...(revision <= doubtfulUpTo && { isImported: true as const }),
      };
      waits[waits.length - 1] = { ...last, answered };
    }
  }
  return waits;
}
