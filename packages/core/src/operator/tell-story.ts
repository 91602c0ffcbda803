import type { Json } from '@workflowlookup/schema';
import { canonicalJson } from '@workflowlookup/schema';
import type { JournalEvent } from '@workflowlookup/storage';
import { auditSession } from '@workflowlookup/storage/journal';
import type { ChainVerdict } from '@workflowlookup/storage/journal';
import { keptDefinition } from '../session-engine/definitions.ts';
import { eventOf, replay, stateOf } from '../session-engine/load-state.ts';
import { childrenOf } from '../session-engine/read-status.ts';
import type { SessionEvent } from '../session/session-event.ts';
import type { TraceEvent } from '../session-engine/trace.ts';
import { evolve } from '../session/evolve.ts';
import type { Navigator } from '../session/navigator.ts';
import { isAnswerTo } from '../session/question.ts';
import { gateWaits } from './gate-waits.ts';
import type { OperatorParts } from './load-run.ts';
import { loadSession } from './load-run.ts';
import type { Participant, RecordedEvent, Soundness, Story, VariableChange } from './operator.ts';
import { plannedActivities } from './planned-activities.ts';
import { storyMoves } from './story-moves.ts';

/** What became of a session. */
export async function tellStory(parts: OperatorParts, sid: string): Promise<Story> {
  const store = await parts.store();
  const loaded = await loadSession(store, sid);
  const { session } = loaded;
  const { events: kept, verdict } = await auditSession(store, session);
  const events = kept.map(recordedEvent);
  const state = stateOf(loaded);
  const runnable = await keptDefinition(store, session);
  const calls = (await store.calls(sid)).map(({ call }) => call as unknown as TraceEvent);
  const { enforcement, outcome, parent } = state;
  return {
    session,
    title: runnable.navigator.workflow.title,
    enforcement,
    ...(outcome === undefined ? {} : { outcome }),
    ...(parent === undefined ? {} : { parent }),
    children: await childrenOf(store, sid),
    plan: plannedActivities(runnable, state, events),
    moves: storyMoves(events),
    gates: gateWaits(events, answersMoved(kept, sid, runnable.navigator), session),
    refusals: calls.filter(({ s }) => s === 'error'),
    participants: participantsOf(await store.agents(sid), calls),
    variables: variableChanges(events),
    chain: soundnessOf(verdict),
  };
}

function soundnessOf(verdict: ChainVerdict): Soundness {
  return verdict.ok ? { ok: true, events: verdict.head.revision } : verdict;
}

/** An event of a journal as it is read. */
export function recordedEvent(kept: JournalEvent): RecordedEvent {
  return { revision: kept.revision, at: kept.at, event: eventOf(kept) };
}

function participantsOf(agents: readonly string[], calls: readonly TraceEvent[]): readonly Participant[] {
  const counts = new Map<string, number>(agents.map((id) => [id, 0]));
  for (const { aid } of calls) counts.set(aid, (counts.get(aid) ?? 0) + 1);
  return [...counts].map(([id, count]) => ({ id, kind: kindOf(id, agents), calls: count }));
}

/** An agent may call itself what it likes; a person never joins as one. */
function kindOf(id: string, agents: readonly string[]): Participant['kind'] {
  return id.startsWith('human:') && !agents.includes(id) ? 'human' : 'agent';
}

/** The revisions of answers that do not belong to the question that follows from the journal before them. */
export function answersMoved(
  events: readonly JournalEvent[],
  sid: string,
  navigator: Navigator,
): ReadonlySet<number> {
  const moved = new Set<number>();
  if (events[0]?.type !== 'session-started') return moved;
  let state = replay(sid, events.slice(0, 1));
  for (const kept of events.slice(1)) {
    const event = eventOf(kept);
    if (event.type === 'checkpoint-answered' && isAnswerTo(event, state, navigator) === false)
      moved.add(kept.revision);
    state = evolve(state, { at: kept.at, event });
  }
  return moved;
}

/** Who set a variable in an event. */
function setterOf(event: SessionEvent, name: string): Pick<VariableChange, 'by' | 'checkpoint' | 'person'> {
  const by = 'setBy' in event ? (event.setBy?.[name] ?? 'unknown') : 'unknown';
  if (event.type !== 'checkpoint-answered' || !Object.hasOwn(event.effect?.setVariable ?? {}, name))
    return { by };
  const { checkpoint, person } = event;
  return { by: 'checkpoint', checkpoint, ...(person === undefined ? {} : { person }) };
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
      return [{ name, ...(from === undefined ? {} : { from }), to, revision, at, ...setterOf(event, name) }];
    }),
  );
}
