import { WorkflowError } from '@workflowlookup/schema';
import type { Json, JsonObject, Workflow } from '@workflowlookup/schema';
import type { IndexEntry, IndexGap, SessionStore } from '@workflowlookup/storage';
import { keptDefinition } from '../session-engine/definitions.ts';
import { stateOf } from '../session-engine/open-session.ts';
import type { TraceEvent } from '../session-engine/trace.ts';
import type { RecordedEvent } from '../operator/operator.ts';
import { loadSession } from '../operator/load-session.ts';
import { recordedEvent } from '../operator/session-history.ts';
import type { SessionFigures } from './session-figures.ts';
import { figuresOf } from './session-figures.ts';
import { outcomeOf, titleOf } from './title-and-outcome.ts';

/** The version of this derivation. Increase it if an entry would come out differently: all entries are derived again. */
export const indexVersion = 1;

/** The longest text that a search looks through, and the most of one variable. */
const maxTextChars = 6_000;
const maxValueChars = 400;

/**
 * Derives the entry of a session from its journal, its trace and its definition. The entry of a session that can't be
 * verified has no content, so that nobody can change the figures by writing to the database.
 */
export async function deriveEntry(store: SessionStore, gap: IndexGap): Promise<IndexEntry> {
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
  const first = events[0]?.event;
  const given = first?.type === 'session-started' ? first.title : undefined;
  const title = titleOf(given, workflow.definition, state.variables);
  const outcome = outcomeOf(workflow, state, events);
  const figures = figuresOf(session.workflowId, { events, calls, outcome });
  const agents = await store.agents(sid);
  const texts = [title, outcome?.name ?? '', ...agents, ...textsOf(workflow, events, state.variables)];
  return {
    sid,
    revision: state.revision,
    calls: mark,
    title,
    outcome: outcome?.name ?? '',
    text: texts.filter(Boolean).join('\n').toLowerCase().slice(0, maxTextChars),
    tags: tagsOf(figures),
    figures: figures as unknown as JsonObject,
  };
}

/** The names of the workflow and of the checkpoints that were reached, and the values of the variables. */
function textsOf(
  workflow: Workflow,
  events: readonly RecordedEvent[],
  variables: Readonly<Record<string, Json>>,
): readonly string[] {
  const reached = events.flatMap(({ event }) => {
    if (event.type === 'checkpoint-yielded') return [event.checkpoint, nameOf(workflow, event)];
    if (event.type === 'checkpoint-answered') return [event.person ?? '', event.note ?? ''];
    return [];
  });
  const values = Object.entries(variables).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : typeof value === 'boolean' ? '' : JSON.stringify(value);
    return text === '' || text === 'null' || text === '[]' ? [] : [`${name} ${text.slice(0, maxValueChars)}`];
  });
  const name = workflow.kind === 'steps' ? workflow.definition.name : workflow.definition.title;
  return [...new Set([name, ...reached, ...values])];
}

function nameOf(
  workflow: Workflow,
  { activity, checkpoint }: { readonly activity: string; readonly checkpoint: string },
): string {
  if (workflow.kind === 'steps') return '';
  const { checkpoints = [] } = workflow.activities.find(({ id }) => id === activity)?.definition ?? {};
  return checkpoints.find(({ id }) => id === checkpoint)?.name ?? '';
}

/** The tags of a session: with them, a figure leads to the sessions behind it. */
export const tags = {
  outcome: (name: string): string => tag('outcome', name),
  activity: (activity: string): string => tag('activity', activity),
  retried: (activity: string): string => tag('retried', activity),
  refused: (activity: string, step: string, criterion: string): string =>
    tag('refused', [activity, step, criterion].join('/')),
  answeredBy: (person: string): string => tag('answered-by', person),
  followed: (): string => 'followed',
  departed: (): string => 'departed',
  day: (day: string): string => tag('day', day),
} as const;

function tag(kind: string, value: string): string {
  return `${kind}:${value.replaceAll(/[\n\0\p{Surrogate}]/gu, ' ')}`;
}

function tagsOf(figures: SessionFigures): readonly string[] {
  const { outcome, activities, refusals, waits, followed, from } = figures;
  return [
    ...new Set([
      followed ? tags.followed() : tags.departed(),
      tags.day(from.slice(0, 10)),
      ...(outcome === undefined ? [] : [tags.outcome(outcome.name)]),
      ...activities.map(({ activity }) => tags.activity(activity)),
      ...activities.filter(({ visits }) => visits > 1).map(({ activity }) => tags.retried(activity)),
      ...refusals.map(({ activity, step, criterion }) => tags.refused(activity, step, criterion)),
      ...waits
        .map(({ by }) => by)
        .filter(Boolean)
        .map(tags.answeredBy),
    ]),
  ];
}
