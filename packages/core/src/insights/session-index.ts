import type { Json, JsonObject, Workflow } from '@workflowlookup/schema';
import { WorkflowError } from '@workflowlookup/schema';
import type { IndexEntry, IndexGap, SessionIndex, SessionQuery, SessionStore } from '@workflowlookup/storage';
import { loadSession } from '../operator/load-session.ts';
import type { RecordedEvent } from '../operator/create-operator.ts';
import { recordedEvent } from '../operator/session-history.ts';
import { keptDefinition, stateOf } from '../session-engine/open-session.ts';
import { everySession } from '../session-engine/trace.ts';
import type { TraceEvent } from '../session-engine/trace.ts';
import type { SessionFigures, CountedResult } from './session-figures.ts';
import {
  checkpointOf,
  chosenIn,
  figuresOf,
  isJudged,
  outcomeOf,
  resultOf,
  titleOf,
} from './session-figures.ts';

/** How far a list or figures are up to date. */
export interface Freshness {
  /** Sessions that changed and whose title, outcome and figures are not derived again yet. */
  readonly behind: number;
}

/** The number of sessions whose entries are stored in one write. */
const batch = 50;
/** The most sessions that are counted as behind. */
const maxBehind = 10_000;

const running = new WeakMap<SessionStore, Promise<void>>();

/**
 * Derives the entries of sessions that changed, the latest first, until all are up to date or the time is over. The work
 * that is left continues in the background. Several calls share the work.
 */
export async function refreshIndex(store: SessionStore, waitMs: number): Promise<Freshness> {
  const { index } = store;
  if (index === undefined || (store.seals?.hasKeys() === false && !store.seals.isPlain)) return { behind: 0 };
  const gaps = await index.outdated(indexVersion, maxBehind);
  const behind = gaps.length - (await fillGaps(store, index, gaps, waitMs));
  if (behind > 0) continueInBackground(store, index);
  return { behind };
}

/** Derives the entries of sessions until the time is over. Returns how many it derived. */
async function fillGaps(
  store: SessionStore,
  index: SessionIndex,
  gaps: readonly IndexGap[],
  waitMs: number,
): Promise<number> {
  const deadline = performance.now() + waitMs;
  const isOver = (): boolean => performance.now() > deadline;
  let done = 0;
  while (done < gaps.length && !isOver()) {
    const some = gaps.slice(done, done + batch);
    const entries: IndexEntry[] = [];
    for (const gap of some) {
      if (isOver()) break;
      entries.push(await deriveEntry(store, gap));
    }
    await index.put(indexVersion, entries);
    done += entries.length;
  }
  return done;
}

function continueInBackground(store: SessionStore, index: SessionIndex): void {
  if (running.has(store)) return;
  const work = refreshSlowly(store, index).finally(() => running.delete(store));
  running.set(store, work);
}

/** A piece of the work in the background, and the pause after it in which calls of agents are served. */
const pieceMs = 30;
const pauseMs = 10;

/**
 * Works in short pieces. It looks for outdated sessions again only when it is done with those that it found, because
 * that reads a row of every session.
 */
async function refreshSlowly(store: SessionStore, index: SessionIndex): Promise<void> {
  try {
    for (;;) {
      let gaps = await index.outdated(indexVersion, maxBehind);
      if (gaps.length === 0) return;
      while (gaps.length > 0) {
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
        gaps = gaps.slice(await fillGaps(store, index, gaps, pieceMs));
      }
    }
  } catch (error) {
    // The store is closed or failing. The next request tries again and reports the error.
    if (!(error instanceof WorkflowError)) throw error;
  }
}

/** An index entry with its figures. They are absent if the session can't be verified. */
export interface CountedSession extends Omit<IndexEntry, 'text' | 'figures'> {
  readonly figures: SessionFigures | undefined;
}

/** Returns the figures of all sessions that a query finds. */
export async function countedSessions(
  store: SessionStore,
  query: SessionQuery,
): Promise<readonly CountedSession[]> {
  const entries =
    store.index === undefined ? await derivedNow(store, query) : await store.index.select(query);
  return entries.flatMap((entry): readonly CountedSession[] => {
    const { figures } = entry;
    // The session can't be verified.
    if (!('workflowId' in figures)) return [{ ...entry, figures: undefined }];
    // An older version derived this entry, so some figures are missing. The session counts once it is derived again.
    if (figures['version'] !== indexVersion) return [];
    return [{ ...entry, figures: figures as unknown as SessionFigures }];
  });
}

/** Counts from the journals, in a store without an index. */
async function derivedNow(store: SessionStore, query: SessionQuery): Promise<readonly IndexEntry[]> {
  const { tags = [], search = '', ...rest } = query;
  const entries: IndexEntry[] = [];
  for await (const { sid, revision } of everySession(store, rest))
    entries.push(await deriveEntry(store, { sid, revision, calls: 0 }));
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return entries.filter(
    (entry) =>
      tags.every((one) => entry.tags.includes(one)) && words.every((word) => entry.text.includes(word)),
  );
}

/** The version of this derivation. Increase it if an entry would come out differently: all entries are derived again. */
const indexVersion = 8;

/** The longest text that a search looks through, and the most of one variable. */
const maxTextChars = 6_000;
const maxValueChars = 400;

/**
 * Derives the entry of a session from its journal, its trace and its definition. The entry of a session that can't be
 * verified has no content, so that nobody can change the figures by writing to the database.
 */
async function deriveEntry(store: SessionStore, gap: IndexGap): Promise<IndexEntry> {
  try {
    return await derive(store, gap);
  } catch (error) {
    if (!(error instanceof WorkflowError) || error.code === 'STORE_UNAVAILABLE') throw error;
    return { ...gap, title: '', outcome: '', text: '', tags: [], figures: {} };
  }
}

async function derive(store: SessionStore, { sid, calls: mark }: IndexGap): Promise<IndexEntry> {
  const loaded = await loadSession(store, sid);
  const { session } = loaded;
  const kept = await store.events(sid, { limit: session.revision });
  const calls = (await store.calls(sid)).map(({ call }) => call as unknown as TraceEvent);
  const { workflow } = await keptDefinition(store, session);
  const state = stateOf(loaded);
  const events = kept.map(recordedEvent);
  const title = titleOf(workflow, state, events);
  const outcome = outcomeOf(workflow, state, events);
  const agents = await store.agents(sid);
  const figures = figuresOf(session.workflowId, events, calls, agents, outcome);
  const texts = [title, outcome?.name ?? '', ...agents, ...textsOf(workflow, events, state.variables)];
  return {
    sid,
    revision: state.revision,
    calls: mark,
    title,
    outcome: outcome?.name ?? '',
    text: texts.filter(Boolean).join('\n').toLowerCase().slice(0, maxTextChars),
    tags: tagsOf(figures),
    figures: { ...(figures as unknown as JsonObject), version: indexVersion },
  };
}

/** The names of the workflow and of the checkpoints that were reached, and the values of the variables. */
function textsOf(
  workflow: Workflow,
  events: readonly RecordedEvent[],
  variables: Readonly<Record<string, Json>>,
): readonly string[] {
  const reached = events.flatMap(({ event }) => {
    if (event.type === 'checkpoint-yielded')
      return [event.checkpoint, checkpointOf(workflow, event)?.name ?? ''];
    if (event.type === 'checkpoint-answered')
      return [event.person ?? '', event.note ?? '', chosenIn(workflow, event) ?? ''];
    return [];
  });
  const values = Object.entries(variables).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : typeof value === 'boolean' ? '' : JSON.stringify(value);
    return text === '' || text === 'null' || text === '[]' ? [] : [`${name} ${text.slice(0, maxValueChars)}`];
  });
  const name = workflow.kind === 'steps' ? workflow.definition.name : workflow.definition.title;
  return [...new Set([name, ...reached, ...values])];
}

/** The tags of a session: with them, a figure leads to the sessions behind it. */
export const tags = {
  outcome: (name: string): string => tag('outcome', name),
  activity: (activity: string): string => tag('activity', activity),
  retried: (activity: string): string => tag('retried', activity),
  refused: (activity: string, step: string, criterion: string): string =>
    tag('refused', [activity, step, criterion].join('/')),
  refusedAnywhere: (): string => 'refused',
  refusedIn: (activity: string): string => tag('refused-in', activity),
  agent: (agent: string): string => tag('agent', agent),
  agentRefused: (agent: string): string => tag('agent-refused', agent),
  agentRefusedAt: (agent: string, activity: string, step: string): string =>
    tag('agent-refused-at', [activity, step, agent].join('/')),
  waitsIn: (activity: string): string => tag('waits-in', activity),
  answeredBy: (person: string, assurance?: 'client'): string =>
    tag(assurance === undefined ? 'answered-by' : 'answered-by-client', person),
  evidence: (activity: string, evidence: string): string => tag('evidence', [activity, evidence].join('/')),
  /**
   * Matches no index entry, because hooks act without changing a session. `withoutHookTags` replaces it with session ids.
   */
  hook: (action: string): string => tag('hook', action),
  /** These two are for sessions that ended without being abandoned. */
  followed: (): string => 'followed',
  departed: (): string => 'departed',
  day: (day: string): string => tag('day', day),
  result: (result: CountedResult): string => tag('result', result),
  /** Both in one tag, because a list is filtered by one. */
  dayResult: (day: string, result: CountedResult): string => tag('day', [day, result].join('/')),
} as const;

function tag(kind: string, value: string): string {
  return `${kind}:${value.replaceAll(/[\n\0\p{Surrogate}]/gu, ' ')}`;
}

function tagsOf(figures: SessionFigures): readonly string[] {
  const { outcome, activities, refusals, agents, waits, evidence, followed, from } = figures;
  const [day, result] = [from.slice(0, 10), resultOf(figures)];
  return [
    ...new Set([
      ...(isJudged(figures) ? [followed ? tags.followed() : tags.departed()] : []),
      tags.day(day),
      tags.result(result),
      tags.dayResult(day, result),
      ...(outcome === undefined ? [] : [tags.outcome(outcome.name)]),
      ...activities.map(({ activity }) => tags.activity(activity)),
      ...activities.filter(({ visits }) => visits > 1).map(({ activity }) => tags.retried(activity)),
      ...refusals.map(({ activity, step, criterion }) => tags.refused(activity, step, criterion)),
      ...(figures.refused === 0 ? [] : [tags.refusedAnywhere()]),
      ...activities.filter(({ refused }) => refused > 0).map(({ activity }) => tags.refusedIn(activity)),
      ...agents.map(({ agent }) => tags.agent(agent)),
      ...agents.filter(({ refused }) => refused > 0).map(({ agent }) => tags.agentRefused(agent)),
      ...agents.flatMap(({ agent, refusals: places }) =>
        places.map(({ activity, step }) => tags.agentRefusedAt(agent, activity, step)),
      ),
      ...waits.filter(({ seconds }) => seconds === undefined).map(({ activity }) => tags.waitsIn(activity)),
      ...waits.filter(({ by }) => by !== '').map(({ by, assurance }) => tags.answeredBy(by, assurance)),
      ...evidence.map((one) => tags.evidence(one.activity, one.evidence)),
    ]),
  ];
}
