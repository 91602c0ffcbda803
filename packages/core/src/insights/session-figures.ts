import { evaluate, lookUp, parseCondition } from '@workflowlookup/conditions';
import type { Checkpoint, Json, SessionOutcome, Workflow } from '@workflowlookup/schema';
import { reservedTargets } from '@workflowlookup/schema';
import { insightTexts } from '../messages/operator.ts';
import type { RecordedEvent } from '../operator/create-operator.ts';
import type { TraceEvent } from '../session-engine/trace.ts';
import type { SessionEvent } from '../session/session-event.ts';
import type { EvidenceInsight, RefusalInsight, Traceable } from './insights.ts';
import type { SessionState } from '../session/session-state.ts';
import { stepIdOf } from '../navigation/next-step.ts';

/** The figures of one activity, or of one step of a step workflow, in a session. */
interface ActivityFigures {
  readonly activity: string;
  /** How often it was entered. */
  readonly visits: number;
  /** Seconds of the visits that ended, without the time at checkpoints. */
  readonly seconds: number;
  /** Seconds at its checkpoints. */
  readonly waited: number;
  /** Calls that were refused there. */
  readonly refused: number;
}

/** Refusals for the same reason. */
type RefusalFigures = Omit<RefusalInsight, keyof Traceable>;

/** The figures of one agent in a session. */
interface AgentFigures {
  readonly agent: string;
  /** Its calls in the trace, and those of them that were refused. */
  readonly calls: number;
  readonly refused: number;
  /** Characters of the replies that it got, as far as the trace has them. */
  readonly readChars: number;
  /** The steps at which its calls were refused. */
  readonly refusals: readonly Omit<RefusalFigures, 'criterion'>[];
}

/** Evidence that was collected for a step. */
type EvidenceFigures = Omit<EvidenceInsight, keyof Traceable>;

/** A checkpoint at which the session waited. */
interface WaitFigures {
  readonly checkpoint: string;
  /** The activity, or the step of a step workflow, that the session was at. */
  readonly activity: string;
  /** Who answered: a person, `agent`, or an empty text while nobody has. */
  readonly by: string;
  /** Set if only the agent's client says that a person answered. */
  readonly assurance?: 'client';
  /** Seconds until the answer. Absent while nobody has answered. */
  readonly seconds?: number;
  /** When it began to wait; ISO 8601. */
  readonly since: string;
}

/** The figures of one session, from its journal and its trace. */
export interface SessionFigures {
  readonly workflowId: string;
  /** ISO 8601: of the first and the last event. */
  readonly from: string;
  readonly to: string;
  readonly status: 'active' | 'blocked' | 'completed';
  readonly outcome?: Outcome;
  /** Whether no move departed from the workflow. */
  readonly followed: boolean;
  readonly activities: readonly ActivityFigures[];
  readonly refusals: readonly RefusalFigures[];
  /** The agents of the session. Calls that people made are counted for no agent. */
  readonly agents: readonly AgentFigures[];
  readonly waits: readonly WaitFigures[];
  readonly evidence: readonly EvidenceFigures[];
  /** Calls in the trace, and those of them that were refused. */
  readonly calls: number;
  readonly refused: number;
  /** Characters of the outputs that were submitted. */
  readonly outputChars: number;
}

interface Counting {
  visits: number;
  ms: number;
  waitedMs: number;
  refused: number;
}

/** Counts the figures of a session. */
export function figuresOf(
  workflowId: string,
  events: readonly RecordedEvent[],
  calls: readonly TraceEvent[],
  agents: readonly string[],
  outcome: Outcome | undefined,
): SessionFigures {
  const counter = countEvents(events);
  const refused = calls.filter(({ s }) => s === 'error');
  for (const { act } of refused) {
    const known = counter.activities.get(stepIdOf(act));
    if (known !== undefined) known.refused += 1;
  }
  const open = openWait(counter) !== undefined;
  return {
    workflowId,
    from: events[0]?.at ?? '',
    to: events.at(-1)?.at ?? '',
    status: outcome !== undefined ? 'completed' : open ? 'blocked' : 'active',
    ...(outcome !== undefined && { outcome }),
    followed: counter.followed,
    activities: Array.from(counter.activities, ([activity, { visits, refused: count, ...times }]) => ({
      activity,
      visits,
      ...inSeconds(times),
      refused: count,
    })),
    refusals: countRefusals(refused),
    agents: countAgents(calls, agents),
    waits: counter.waits,
    evidence: countEvidence(events),
    calls: calls.length,
    refused: refused.length,
    outputChars: counter.outputChars,
  };
}

/** Returns the time that each activity, or each step of a step workflow, took so far. */
export function timesOf(
  events: readonly RecordedEvent[],
): ReadonlyMap<string, Pick<ActivityFigures, 'seconds' | 'waited'>> {
  const { activities } = countEvents(events);
  return new Map(Array.from(activities, ([id, times]) => [id, inSeconds(times)]));
}

function inSeconds({
  ms,
  waitedMs,
}: Pick<Counting, 'ms' | 'waitedMs'>): Pick<ActivityFigures, 'seconds' | 'waited'> {
  return { seconds: ms / 1000, waited: waitedMs / 1000 };
}

/** What is counted from the events so far. */
interface EventCounter {
  readonly activities: Map<string, Counting>;
  readonly waits: WaitFigures[];
  followed: boolean;
  outputChars: number;
  /** The activity that the session is at; empty before the first. */
  place: string;
  here?: Counting;
  /** When the work there began or continued; absent at a checkpoint and while the session is parked. */
  since: number | undefined;
}

function countEvents(events: readonly RecordedEvent[]): EventCounter {
  const counter: EventCounter = {
    activities: new Map(),
    waits: [],
    followed: true,
    outputChars: 0,
    place: '',
    since: undefined,
  };
  for (const { at, event } of events) {
    if ('warnings' in event && event.warnings.length > 0) counter.followed = false;
    if ('manifest' in event) counter.outputChars += charsIn(event.manifest);
    countEvent(counter, at, event);
  }
  return counter;
}

function countEvent(counter: EventCounter, at: string, event: SessionEvent): void {
  switch (event.type) {
    case 'activity-entered':
      pauseWork(counter, at);
      if (event.strayed === true) counter.followed = false;
      counter.place = stepIdOf(event.activity);
      counter.here = counter.activities.get(counter.place) ?? { visits: 0, ms: 0, waitedMs: 0, refused: 0 };
      counter.here.visits += 1;
      counter.activities.set(counter.place, counter.here);
      counter.since = Date.parse(at);
      break;
    case 'checkpoint-yielded':
      pauseWork(counter, at);
      counter.waits.push({
        checkpoint: event.checkpoint,
        activity: counter.place,
        by: '',
        since: at,
      });
      break;
    case 'checkpoint-answered':
      countAnswer(counter, at, event);
      break;
    case 'session-parked':
      pauseWork(counter, at);
      break;
    case 'session-resumed':
      // A session that was parked at a checkpoint waits there again.
      if (openWait(counter) === undefined) counter.since = Date.parse(at);
      break;
    case 'session-completed':
      pauseWork(counter, at);
      // The session was abandoned at the checkpoint, so it waits no longer.
      if (openWait(counter) !== undefined) counter.waits.pop();
      break;
    default:
  }
}

function pauseWork(counter: EventCounter, at: string): void {
  const { here, since } = counter;
  if (here !== undefined && since !== undefined) here.ms += Math.max(0, Date.parse(at) - since);
  counter.since = undefined;
}

/** The checkpoint that waits for its answer. */
function openWait({ waits }: EventCounter): WaitFigures | undefined {
  const last = waits.at(-1);
  return last?.seconds === undefined ? last : undefined;
}

function countAnswer(
  counter: EventCounter,
  at: string,
  { person, by, origin }: Extract<SessionEvent, { readonly type: 'checkpoint-answered' }>,
): void {
  const open = openWait(counter);
  // A person may answer a checkpoint again that was answered already.
  if (open === undefined) return;
  const ms = Math.max(0, Date.parse(at) - Date.parse(open.since));
  if (counter.here !== undefined) counter.here.waitedMs += ms;
  counter.waits[counter.waits.length - 1] = {
    ...open,
    by: person ?? by,
    ...(origin?.assurance === 'client' && { assurance: 'client' }),
    seconds: ms / 1000,
  };
  counter.since = Date.parse(at);
}

/** The text of a long output is stored apart from the journal, and its length is not known here. */
function charsIn(manifest: readonly { readonly output: unknown }[]): number {
  return manifest.reduce((sum, { output }) => sum + (typeof output === 'string' ? output.length : 0), 0);
}

function countEvidence(events: readonly RecordedEvent[]): readonly EvidenceFigures[] {
  const counts = new Map<string, EvidenceFigures>();
  for (const { event } of events) {
    if (event.type !== 'evidence-collected') continue;
    const { evidence, result } = event;
    const activity = stepIdOf(event.activity);
    const key = JSON.stringify([activity, evidence]);
    const known = counts.get(key) ?? { activity, evidence, passed: 0, failed: 0, notConfigured: 0 };
    const outcome = outcomeFields[result.outcome];
    counts.set(key, { ...known, [outcome]: known[outcome] + 1 });
  }
  return [...counts.values()];
}

const outcomeFields = { passed: 'passed', failed: 'failed', 'not-configured': 'notConfigured' } as const;

function countAgents(calls: readonly TraceEvent[], agents: readonly string[]): readonly AgentFigures[] {
  const callsOf = new Map(agents.map((agent): [string, TraceEvent[]] => [agent, []]));
  for (const call of calls) callsOf.get(call.aid)?.push(call);
  return Array.from(callsOf, ([agent, own]) => {
    const refused = own.filter(({ s }) => s === 'error');
    return {
      agent,
      calls: own.length,
      refused: refused.length,
      readChars: own.reduce((sum, { read = 0 }) => sum + read, 0),
      refusals: placesOf(refused),
    };
  });
}

/** Counts refused calls by step. A call that was refused at several steps counts once at each of them. */
function placesOf(refused: readonly TraceEvent[]): AgentFigures['refusals'] {
  const places = refused.flatMap(({ act, rj = [] }) => {
    const steps = rj.length === 0 ? [''] : [...new Set(rj.map(({ step }) => step))];
    return steps.map((step) => ({ activity: stepIdOf(act), step }));
  });
  return counted(places);
}

/** Longer texts of criteria are cut off. */
const maxCriterionChars = 200;

function countRefusals(refused: readonly TraceEvent[]): readonly RefusalFigures[] {
  const reasons = refused.flatMap(({ act, err = '', rj = [] }) => {
    const activity = stepIdOf(act);
    if (rj.length === 0) return [{ activity, step: '', criterion: /^[A-Z_]+/.exec(err)?.[0] ?? 'INTERNAL' }];
    return rj.flatMap(({ step, issues }) =>
      issues.map((issue) => ({ activity, step, criterion: issue.slice(0, maxCriterionChars) })),
    );
  });
  return counted(reasons);
}

/** Counts equal items, in the order of the first of each. */
function counted<Item extends object>(
  items: readonly Item[],
): readonly (Item & { readonly count: number })[] {
  const counts = new Map<string, Item & { readonly count: number }>();
  for (const item of items) {
    const key = JSON.stringify(item);
    counts.set(key, { ...item, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}

/** The longest title, in characters. A longer one is cut off. */
const maxTitleChars = 120;

/** The variables that a title is taken from, if the workflow does not say how a session is called. */
const titleVariables = ['title', 'goal', 'issue', 'target', 'branch'] as const;

const marker = /\{\{?\s*([\w.-]+)\s*\}?\}/g;

/**
 * Returns what a session is about: the title that `start_session` was given, the workflow's `session_title`, or the
 * first of the usual variables that has a value. Returns an empty text if there is none of them.
 *
 * @param events the first of them is enough
 */
export function titleOf(
  { definition: { session_title: template } }: Workflow,
  { variables }: Pick<SessionState, 'variables'>,
  [first]: readonly Pick<RecordedEvent, 'event'>[],
): string {
  const given = first?.event.type === 'session-started' ? (first.event.title ?? '') : '';
  if (given.trim() !== '') return oneLine(given);
  const filled = template === undefined ? undefined : fill(template, variables);
  if (filled !== undefined) return filled;
  for (const name of titleVariables) {
    const value = Object.hasOwn(variables, name) ? textOf(variables[name]) : '';
    if (value !== '') return value;
  }
  return '';
}

/** Fills a template. Returns `undefined` if it names variables and none of them has a value yet. */
function fill(template: string, variables: Readonly<Record<string, Json>>): string | undefined {
  let [named, found] = [0, 0];
  const text = template.replace(marker, (_, name: string) => {
    const value = textOf(lookUp(variables, name) as Json | undefined);
    named += 1;
    if (value !== '') found += 1;
    return value;
  });
  return named > 0 && found === 0 ? undefined : oneLine(text);
}

function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return oneLine(value);
  return typeof value === 'number' ? String(value) : '';
}

function oneLine(text: string): string {
  const plain = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
  return plain.length > maxTitleChars ? `${plain.slice(0, maxTitleChars - 1).trimEnd()}…` : plain;
}

/** How a session ended: with one of the results, with another outcome (`other`), or not yet (`running`). */
export type CountedResult = NonNullable<Outcome['result']> | 'other' | 'running';

export function resultOf({ outcome }: Pick<SessionFigures, 'outcome'>): CountedResult {
  return outcome === undefined ? 'running' : (outcome.result ?? 'other');
}

/** Whether a session counts as one that followed its workflow or did not: it has ended, and nobody abandoned it. */
export function isJudged({ outcome }: Pick<SessionFigures, 'outcome'>): boolean {
  return outcome !== undefined && outcome.name !== insightTexts.abandoned();
}

/** How a session ended, and whether that is a success. */
export interface Outcome {
  readonly name: string;
  /** Absent if the workflow does not say. */
  readonly result?: NonNullable<SessionOutcome['result']>;
}

/**
 * Returns how a session ended, or `undefined` if it has not ended. The workflow's `session_outcomes` decide. Without them, it
 * is the activity from which the session ended, if there are several, or else the last answer to a checkpoint.
 */
export function outcomeOf(
  workflow: Workflow,
  state: SessionState,
  events: readonly Pick<RecordedEvent, 'event'>[],
): Outcome | undefined {
  if (state.status !== 'completed') return undefined;
  if (state.outcome === 'abandoned') return { name: insightTexts.abandoned(), result: 'stopped' };
  const declared = workflow.definition.session_outcomes ?? [];
  const found = declared.find(({ when }) => when === undefined || holds(when, state.variables));
  if (found !== undefined)
    return { name: oneLine(found.name), ...(found.result !== undefined && { result: found.result }) };
  return {
    name: oneLine(endOf(workflow, events) ?? lastAnswer(workflow, events) ?? insightTexts.completed()),
  };
}

function holds(when: NonNullable<SessionOutcome['when']>, variables: SessionState['variables']): boolean {
  const parsed = parseCondition(when);
  return parsed.ok && evaluate(parsed.condition, variables);
}

/** The activity from which the session ended, if the workflow can end from several. */
function endOf(workflow: Workflow, events: readonly Pick<RecordedEvent, 'event'>[]): string | undefined {
  const end = events.at(-1)?.event;
  if (workflow.kind === 'steps' || end?.type !== 'session-completed') return undefined;
  const ends = workflow.activities.filter(({ definition }) => {
    const { transitions = [], decisions = [], checkpoints = [] } = definition;
    const targets = [
      ...transitions.map(({ to }) => to),
      ...decisions.flatMap(({ branches }) => branches.map(({ transitionTo }) => transitionTo)),
      ...checkpoints.flatMap(({ options }) => options.map(({ effect }) => effect?.transitionTo)),
    ];
    const isDeadEnd = targets.every((target) => target === undefined);
    return isDeadEnd || targets.some((target) => target !== undefined && reservedTargets.includes(target));
  });
  if (ends.length < 2) return undefined;
  const last = ends.find(({ id }) => id === end.from);
  return last && insightTexts.endedIn(last.definition.name);
}

function lastAnswer(workflow: Workflow, events: readonly Pick<RecordedEvent, 'event'>[]): string | undefined {
  // The answers to confirmations of a step workflow only say that the step was confirmed.
  if (workflow.kind === 'steps') return undefined;
  const event = events.findLast((one) => one.event.type === 'checkpoint-answered')?.event;
  return event?.type === 'checkpoint-answered' ? chosenIn(workflow, event) : undefined;
}

/** Returns the option that was chosen, by its label if it has one. Returns `undefined` for a dismissal. */
export function chosenIn(
  workflow: Workflow,
  event: Extract<SessionEvent, { readonly type: 'checkpoint-answered' }>,
): string | undefined {
  const { answer } = event;
  if (answer.kind === 'dismissed') return undefined;
  const option = checkpointOf(workflow, event)?.options.find(({ id }) => id === answer.option);
  return option?.label ?? answer.option;
}

/** Returns a checkpoint of an activity as its author wrote it. Step workflows have no such checkpoints. */
export function checkpointOf(
  workflow: Workflow,
  { activity, checkpoint }: { readonly activity: string; readonly checkpoint: string },
): Checkpoint | undefined {
  if (workflow.kind === 'steps') return undefined;
  const { checkpoints = [] } = workflow.activities.find(({ id }) => id === activity)?.definition ?? {};
  return checkpoints.find(({ id }) => id === checkpoint);
}
