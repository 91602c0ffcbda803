import { defined, groupBy } from '@workflowlookup/schema';
import type { SessionQuery } from '@workflowlookup/storage';
import { tokensIn } from '../session-engine/trace.ts';
import { tags } from './session-index.ts';
import type { CountedSession } from './session-index.ts';
import type { Outcome, CountedResult } from './session-figures.ts';
import { isJudged, resultOf } from './session-figures.ts';

/** Which sessions insights are about. */
export interface InsightsQuery {
  readonly workflowId?: string;
  /** ISO 8601. Only sessions that were last written to at this time or later. */
  readonly since?: string;
  /** ISO 8601. Only sessions that were last written to before this time. */
  readonly before?: string;
}

/** Seconds of several waits or visits. */
export interface Durations {
  readonly count: number;
  readonly total: number;
  /** Of an even number, the mean of the two in the middle. */
  readonly median: number;
  /** Nine of ten took at most this long. */
  readonly p90: number;
}

/** A figure, and the tag that finds the sessions behind it. */
export interface Traceable {
  readonly workflowId: string;
  /** For `tags` of a session query. */
  readonly tag: string;
  /** The sessions behind the figure. */
  readonly sessions: number;
}

/** Sessions that ended in one way. */
export interface OutcomeInsight extends Traceable {
  readonly outcome: string;
  readonly result?: Outcome['result'];
}

/** Calls that were refused for one reason. */
export interface RefusalInsight extends Traceable {
  readonly activity: string;
  /** Empty if the call was refused for another reason than an output. */
  readonly step: string;
  /** The criterion that the output missed, in the author's words, or the code of the error. */
  readonly criterion: string;
  readonly count: number;
}

/** The visits, refusals and times of one activity, or of one step of a step workflow. */
export interface ActivityInsight extends Traceable {
  readonly activity: string;
  readonly visits: number;
  /** Visits after the first one of each session. */
  readonly retries: number;
  /** Finds the sessions with retries. */
  readonly retriedTag: string;
  readonly refused: number;
  /** Finds the sessions with calls that were refused there. */
  readonly refusedTag: string;
  /** Seconds of work in a session, without the time at checkpoints. */
  readonly work: Durations;
  /** Seconds at its checkpoints, of all sessions. Checkpoints that still wait count with the time until now. */
  readonly waited: number;
  /** The checkpoints that wait there now, and the seconds of `waited` that are theirs. */
  readonly open: { readonly checkpoints: number; readonly seconds: number; readonly tag: string };
}

/** The figures of one agent in all its sessions. The agent that was refused most often comes first. */
export interface AgentInsight {
  readonly agent: string;
  readonly tag: string;
  readonly sessions: number;
  readonly calls: number;
  readonly refused: number;
  /** Finds the sessions in which it was refused. */
  readonly refusedTag: string;
  /** About how many tokens it read, as {@link Insights.readTokens} counts them. */
  readonly readTokens: number;
}

/** The calls of one agent that were refused at one step. The most often refused comes first. */
export interface AgentRefusalInsight extends Traceable {
  readonly agent: string;
  readonly activity: string;
  /** Empty for calls that were refused for another reason than an output. */
  readonly step: string;
  /** A call that was refused at several steps counts once at each of them. */
  readonly refused: number;
}

/** One of the sessions in which agents read most. */
export interface LargeSession {
  readonly sid: string;
  readonly workflowId: string;
  /** What it is about; empty if nothing says so. */
  readonly title: string;
  readonly calls: number;
  readonly refused: number;
  readonly readTokens: number;
}

/** How long checkpoints waited for a person. */
export interface PersonInsight {
  /** `agent` for answers that an agent gave. */
  readonly person: string;
  /** Set if only the agent's client says that it was a person. The server knows who gave the other answers. */
  readonly assurance?: 'client';
  readonly tag: string;
  readonly sessions: number;
  readonly waits: Durations;
}

/** How often the evidence of a step passed when it was collected. What did not pass most often comes first. */
export interface EvidenceInsight extends Traceable {
  readonly activity: string;
  /** Its id in the workflow. */
  readonly evidence: string;
  readonly passed: number;
  readonly failed: number;
  /** The project has no such check, so nothing was proved. */
  readonly notConfigured: number;
}

/** Sessions, counted by how they ended. */
export interface ResultInsight extends Readonly<Record<CountedResult, number>> {
  readonly sessions: number;
  /** Calls that were refused. */
  readonly refused: number;
  /** Finds the sessions of each result. */
  readonly resultTags: Readonly<Record<CountedResult, string>>;
}

/** The sessions that started on one day. */
export interface DayInsight extends ResultInsight {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  readonly tag: string;
}

/** The sessions of one workflow. The one with the most failures comes first. */
export interface WorkflowInsight extends ResultInsight {
  readonly workflowId: string;
  /** Finds the sessions with refused calls. */
  readonly refusedTag: string;
}

/** How often a rule of hooks acted. */
export interface HookInsight {
  /** The rule, and what it did. */
  readonly action: string;
  readonly tag: string;
  readonly count: number;
  /** The sessions that it acted on. A rule can act without one. */
  readonly sessions: number;
}

/** What a hook of an agent's client did. */
export interface CountedAct {
  /** ISO 8601. */
  readonly at: string;
  readonly rule: string;
  readonly act: string;
  readonly sid?: string;
}

/** The figures of all sessions that a query finds, counted from their journals and traces. */
export interface Insights {
  readonly sessions: number;
  readonly running: number;
  readonly completed: number;
  /** Completed sessions in which no move departed from the workflow, and all completed ones that nobody abandoned. */
  readonly followed: { readonly sessions: number; readonly of: number };
  /** Sessions that can't be verified. They are in no figure. */
  readonly unverified: number;
  readonly workflows: readonly WorkflowInsight[];
  readonly outcomes: readonly OutcomeInsight[];
  readonly refusals: readonly RefusalInsight[];
  readonly activities: readonly ActivityInsight[];
  readonly people: readonly PersonInsight[];
  readonly evidence: readonly EvidenceInsight[];
  /** Checkpoints that wait now, with the time since the first of them began to wait, and how long they have waited. */
  readonly waiting: { readonly checkpoints: number; readonly since?: string; readonly waits: Durations };
  /** Calls of a session, and how many of all were refused. `refusedTag` finds the sessions with refused calls. */
  readonly calls: Omit<Durations, 'count'> & { readonly refused: number; readonly refusedTag: string };
  /**
   * About how many tokens agents read in a session: the characters of the replies to its calls, divided by 4. A reply is
   * counted with the next call, so the last one of an agent is missing. Sessions of older versions don't count.
   */
  readonly readTokens: Omit<Durations, 'count'> & { readonly sessions: number };
  readonly agents: readonly AgentInsight[];
  readonly agentRefusals: readonly AgentRefusalInsight[];
  /** The sessions in which agents read most, at most 10. */
  readonly largest: readonly LargeSession[];
  /** Seconds from the first to the last event of a completed session. */
  readonly duration: Durations;
  /** Characters of output that a session submitted, as far as they are in the journal itself. */
  readonly output: Omit<Durations, 'count'>;
  /** What the hooks of agents' clients did. They write it to a file that nobody seals. */
  readonly hooks: readonly HookInsight[];
  readonly days: readonly DayInsight[];
}

/** The acts of hooks that insights count. One without a session counts by its time, unless the query is narrower. */
export function actsOf(
  acts: readonly CountedAct[],
  { workflowId, since = '', before }: InsightsQuery,
  principal: string | undefined,
): readonly CountedAct[] {
  const isWhole = workflowId === undefined && principal === undefined;
  return acts.filter(
    ({ sid, at }) => sid !== undefined || (isWhole && at >= since && (before === undefined || at < before)),
  );
}

/** Returns a query for a store, in which the tags of hooks are replaced by the sessions that these hooks acted on. */
export function withoutHookTags(query: SessionQuery, readActs: () => readonly CountedAct[]): SessionQuery {
  const { tags: asked = [], ...rest } = query;
  const ofHooks = asked.filter((tag) => tag.startsWith(tags.hook('')));
  if (ofHooks.length === 0) return query;
  const acts = readActs();
  const acted = (tag: string, sid: string): boolean =>
    acts.some((act) => act.sid === sid && tags.hook(actionOf(act)) === tag);
  // The file of the acts is not checked, and not every database can look for every text.
  const sids = [...new Set(acts.flatMap(({ sid }) => sid ?? []))].filter((sid) => /^[\w-]+$/.test(sid));
  return {
    ...rest,
    tags: asked.filter((tag) => !ofHooks.includes(tag)),
    sids: sids.filter((sid) => ofHooks.every((tag) => acted(tag, sid))),
  };
}

function actionOf({ rule, act }: CountedAct): string {
  return `${rule}: ${act}`;
}

/** The query of the sessions that insights are about. */
export function sessionsOf({ workflowId, since, before }: InsightsQuery): SessionQuery {
  return {
    ...defined({ workflowId, updatedSince: since, updatedBefore: before }),
  };
}

/** Adds up the figures of sessions. Checkpoints that still wait count until `nowMs`. */
export function insightsOf(
  given: readonly CountedSession[],
  { acts, nowMs }: { readonly acts: readonly CountedAct[]; readonly nowMs: number },
): Insights {
  // A store returns them in any order. Equal figures keep their order from one request to the next.
  const counted = given.toSorted((a, b) => (a.sid < b.sid ? -1 : 1));
  const all = counted.flatMap(({ figures }) => figures ?? []);
  const completed = all.filter(({ outcome }) => outcome !== undefined);
  const judged = completed.filter(isJudged);
  const open = all.flatMap(({ waits }) => waits.filter(({ seconds }) => seconds === undefined));
  const since = open.map((wait) => wait.since).toSorted()[0];
  const { count: _calls, ...calls } = durationsOf(all.map((one) => one.calls));
  const { count: _outputs, ...output } = durationsOf(all.map(({ outputChars }) => outputChars));
  const read = durationsOf(all.map(readCharsIn).filter((chars) => chars > 0));
  return {
    sessions: all.length,
    running: all.length - completed.length,
    completed: completed.length,
    followed: { sessions: judged.filter(({ followed }) => followed).length, of: judged.length },
    unverified: counted.length - all.length,
    workflows: workflowsIn(all),
    outcomes: outcomesIn(completed),
    refusals: refusalsIn(all),
    activities: activitiesIn(all, nowMs),
    people: peopleIn(all),
    evidence: evidenceIn(all),
    waiting: {
      checkpoints: open.length,
      ...(since !== undefined && { since }),
      waits: durationsOf(open.map((wait) => secondsSince(wait, nowMs))),
    },
    calls: { ...calls, refused: sum(all, ({ refused }) => refused), refusedTag: tags.refusedAnywhere() },
    readTokens: {
      sessions: read.count,
      total: tokensIn(read.total),
      median: tokensIn(read.median),
      p90: tokensIn(read.p90),
    },
    agents: agentsIn(all),
    agentRefusals: agentRefusalsIn(all),
    largest: largestOf(counted),
    duration: durationsOf(completed.map(({ from, to }) => (Date.parse(to) - Date.parse(from)) / 1000)),
    output,
    hooks: hooksIn(counted, acts),
    days: daysIn(all),
  };
}

type Figures = NonNullable<CountedSession['figures']>;

function workflowsIn(all: readonly Figures[]): Insights['workflows'] {
  return groups(all, ['workflowId'], (some) => ({
    ...resultsIn(some, tags.result),
    refusedTag: tags.refusedAnywhere(),
  }))
    .toSorted(byMost(({ sessions }) => sessions))
    .toSorted(byMost(({ failure }) => failure));
}

function resultsIn(some: readonly Figures[], tagOf: (result: CountedResult) => string): ResultInsight {
  const counts = { success: 0, failure: 0, stopped: 0, other: 0, running: 0 };
  for (const one of some) counts[resultOf(one)] += 1;
  return {
    sessions: some.length,
    ...counts,
    refused: sum(some, ({ refused }) => refused),
    resultTags: {
      success: tagOf('success'),
      failure: tagOf('failure'),
      stopped: tagOf('stopped'),
      other: tagOf('other'),
      running: tagOf('running'),
    },
  };
}

function outcomesIn(completed: readonly Figures[]): readonly OutcomeInsight[] {
  const each = completed.flatMap(({ workflowId, outcome }) =>
    outcome === undefined ? [] : [{ ...outcome, workflowId, outcome: outcome.name }],
  );
  return groups(each, ['workflowId', 'outcome', 'result'], (some, { outcome }) => ({
    tag: tags.outcome(outcome),
    sessions: some.length,
  })).toSorted(byMost(({ sessions }) => sessions));
}

function refusalsIn(all: readonly Figures[]): readonly RefusalInsight[] {
  const each = all.flatMap(({ workflowId, refusals }) => refusals.map((one) => ({ workflowId, ...one })));
  return groups(each, ['workflowId', 'activity', 'step', 'criterion'], (some, place) => ({
    count: sum(some, ({ count }) => count),
    tag: tags.refused(place.activity, place.step, place.criterion),
    sessions: some.length,
  })).toSorted(byMost(({ count }) => count));
}

function secondsSince({ since }: Pick<Figures['waits'][number], 'since'>, nowMs: number): number {
  return Math.max(0, nowMs - Date.parse(since)) / 1000;
}

function activitiesIn(all: readonly Figures[], nowMs: number): readonly ActivityInsight[] {
  const each = all.flatMap(({ workflowId, activities, waits }) =>
    activities.map((one) => ({
      workflowId,
      ...one,
      open: waits.filter(({ activity, seconds }) => seconds === undefined && activity === one.activity),
    })),
  );
  return groups(each, ['workflowId', 'activity'], (some, { activity }) => {
    const open = some.flatMap((one) => one.open);
    const openSeconds = sum(open, (wait) => secondsSince(wait, nowMs));
    return {
      tag: tags.activity(activity),
      sessions: some.length,
      visits: sum(some, ({ visits }) => visits),
      retries: sum(some, ({ visits }) => visits - 1),
      retriedTag: tags.retried(activity),
      refused: sum(some, ({ refused }) => refused),
      refusedTag: tags.refusedIn(activity),
      work: durationsOf(some.map(({ seconds }) => seconds)),
      waited: round(sum(some, ({ waited }) => waited) + openSeconds),
      open: { checkpoints: open.length, seconds: round(openSeconds), tag: tags.waitsIn(activity) },
    };
  }).toSorted(byMost(({ work }) => work.total));
}

function agentsIn(all: readonly Figures[]): readonly AgentInsight[] {
  const each = all.flatMap(({ agents }) => agents);
  return groups(each, ['agent'], (some, { agent }) => ({
    tag: tags.agent(agent),
    sessions: some.length,
    calls: sum(some, ({ calls }) => calls),
    refused: sum(some, ({ refused }) => refused),
    refusedTag: tags.agentRefused(agent),
    readTokens: tokensIn(sum(some, ({ readChars }) => readChars)),
  })).toSorted(byMost(({ refused }) => refused));
}

function agentRefusalsIn(all: readonly Figures[]): readonly AgentRefusalInsight[] {
  const each = all.flatMap(({ workflowId, agents }) =>
    agents.flatMap(({ agent, refusals }) => refusals.map((one) => ({ agent, workflowId, ...one }))),
  );
  return groups(each, ['agent', 'workflowId', 'activity', 'step'], (some, { agent, activity, step }) => ({
    refused: sum(some, ({ count }) => count),
    tag: tags.agentRefusedAt(agent, activity, step),
    sessions: some.length,
  })).toSorted(byMost(({ refused }) => refused));
}

const maxLargest = 10;

function largestOf(counted: readonly CountedSession[]): readonly LargeSession[] {
  return counted
    .flatMap(({ sid, title, figures }) => {
      if (figures === undefined) return [];
      const { workflowId, calls, refused } = figures;
      return [{ sid, workflowId, title, calls, refused, readTokens: tokensIn(readCharsIn(figures)) }];
    })
    .filter(({ readTokens }) => readTokens > 0)
    .toSorted(byMost(({ readTokens }) => readTokens))
    .slice(0, maxLargest);
}

function readCharsIn({ agents }: Figures): number {
  return sum(agents, ({ readChars }) => readChars);
}

function peopleIn(all: readonly Figures[]): readonly PersonInsight[] {
  const each = all.flatMap(({ waits }, session) =>
    waits.flatMap(({ by: person, seconds, ...wait }) =>
      seconds === undefined ? [] : [{ ...wait, session, person, seconds }],
    ),
  );
  return groups(each, ['person', 'assurance'], (some, { person, assurance }) => ({
    tag: tags.answeredBy(person, assurance),
    sessions: new Set(some.map(({ session }) => session)).size,
    waits: durationsOf(some.map(({ seconds }) => seconds)),
  })).toSorted(byMost(({ waits }) => waits.total));
}

function evidenceIn(all: readonly Figures[]): readonly EvidenceInsight[] {
  const each = all.flatMap(({ workflowId, evidence }) => evidence.map((one) => ({ workflowId, ...one })));
  return groups(each, ['workflowId', 'activity', 'evidence'], (some, { activity, evidence }) => ({
    tag: tags.evidence(activity, evidence),
    sessions: some.length,
    passed: sum(some, ({ passed }) => passed),
    failed: sum(some, ({ failed }) => failed),
    notConfigured: sum(some, ({ notConfigured }) => notConfigured),
  })).toSorted(byMost(({ failed, notConfigured }) => failed + notConfigured));
}

function hooksIn(counted: readonly CountedSession[], acts: readonly CountedAct[]): readonly HookInsight[] {
  const sids = new Set(counted.map(({ sid }) => sid));
  const each = acts
    .filter(({ sid }) => sid === undefined || sids.has(sid))
    .map((act) => ({ ...act, action: actionOf(act) }));
  return groups(each, ['action'], (some, { action }) => ({
    tag: tags.hook(action),
    count: some.length,
    sessions: new Set(some.flatMap(({ sid }) => sid ?? [])).size,
  })).toSorted(byMost(({ count }) => count));
}

function daysIn(all: readonly Figures[]): readonly DayInsight[] {
  const each = all.map((one) => ({ ...one, day: one.from.slice(0, 10) }));
  return groups(each, ['day'], (some, { day }) => ({
    tag: tags.day(day),
    ...resultsIn(some, (result) => tags.dayResult(day, result)),
  })).toSorted((a, b) => (a.day < b.day ? -1 : 1));
}

/** Groups items that agree in some fields. Returns what `count` counts of each group, together with these fields. */
function groups<Item extends object, Field extends keyof Item, Counted>(
  items: readonly Item[],
  fields: readonly Field[],
  count: (some: readonly Item[], common: Pick<Item, Field>) => Counted,
): readonly (Counted & Pick<Item, Field>)[] {
  const keyOf = (item: Item): string =>
    JSON.stringify(Object.fromEntries(fields.map((field) => [field, item[field]])));
  return Array.from(groupBy(items, keyOf), ([key, some]) => {
    const common = JSON.parse(key) as Pick<Item, Field>;
    return { ...common, ...count(some, common) };
  });
}

function sum<Item>(items: readonly Item[], valueOf: (item: Item) => number): number {
  return items.reduce((total, item) => total + valueOf(item), 0);
}

function byMost<Item>(valueOf: (item: Item) => number): (a: Item, b: Item) => number {
  return (a, b) => valueOf(b) - valueOf(a);
}

function durationsOf(values: readonly number[]): Durations {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? 0;
  const middle = (sorted.length - 1) / 2;
  return {
    count: sorted.length,
    total: round(sum(sorted, (value) => value)),
    median: round((at(Math.floor(middle)) + at(Math.ceil(middle))) / 2),
    p90: round(at(Math.ceil(sorted.length * 0.9) - 1)),
  };
}

/** To milliseconds, so that sums of fractions compare equal. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}
