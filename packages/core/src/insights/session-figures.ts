import type { RecordedEvent } from '../operator/operator.ts';
import type { TraceEvent } from '../session-engine/trace.ts';
import { parseInstanceId } from '../steps/progress.ts';
import type { Outcome } from './title-and-outcome.ts';

/** What one activity, or one step of a step workflow, took in a session. */
export interface ActivityFigures {
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
export interface RefusalFigures {
  readonly activity: string;
  /** The step whose output was refused; empty if the call was refused for another reason. */
  readonly step: string;
  /** The criterion that the output missed, in the author's words, or the code of the error. */
  readonly criterion: string;
  readonly count: number;
}

/** A checkpoint that was waited at. */
export interface WaitFigures {
  readonly checkpoint: string;
  /** Who answered: a person, `agent`, or an empty text while nobody has. */
  readonly by: string;
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
  readonly waits: readonly WaitFigures[];
  /** Calls in the trace, and those of them that were refused. */
  readonly calls: number;
  readonly refused: number;
  /** Characters of the outputs that were submitted. */
  readonly outputChars: number;
  /** Actions of hooks, by what they did. */
  readonly hooks: Readonly<Record<string, number>>;
}

interface Counting {
  readonly activity: string;
  visits: number;
  ms: number;
  waitedMs: number;
  refused: number;
}

/** Counts the figures of a session. */
export function figuresOf(
  workflowId: string,
  {
    events,
    calls,
    outcome,
  }: {
    readonly events: readonly RecordedEvent[];
    readonly calls: readonly TraceEvent[];
    readonly outcome: Outcome | undefined;
  },
): SessionFigures {
  const counted = countEvents(events);
  const refusals = countRefusals(calls);
  for (const { activity, count } of refusals) {
    const known = counted.activities.get(activity);
    if (known !== undefined) known.refused += count;
  }
  const last = events.at(-1);
  const open = counted.waits.at(-1);
  return {
    workflowId,
    from: events[0]?.at ?? '',
    to: last?.at ?? '',
    status: outcome !== undefined ? 'completed' : open?.seconds === undefined && open ? 'blocked' : 'active',
    ...(outcome !== undefined && { outcome }),
    followed: counted.followed,
    activities: [...counted.activities.values()].map(({ activity, visits, ms, waitedMs, refused }) => ({
      activity,
      visits,
      seconds: ms / 1000,
      waited: waitedMs / 1000,
      refused,
    })),
    refusals,
    waits: counted.waits,
    calls: calls.length,
    refused: calls.filter(({ s }) => s === 'error').length,
    outputChars: counted.outputChars,
    hooks: {},
  };
}

interface CountedEvents {
  readonly activities: Map<string, Counting>;
  readonly waits: readonly WaitFigures[];
  readonly followed: boolean;
  readonly outputChars: number;
}

function countEvents(events: readonly RecordedEvent[]): CountedEvents {
  const activities = new Map<string, Counting>();
  const waits: WaitFigures[] = [];
  let followed = true;
  let outputChars = 0;
  let here: Counting | undefined;
  /** When the work of the current activity began or continued; absent at a checkpoint. */
  let since: number | undefined;
  const stop = (at: string): void => {
    if (here !== undefined && since !== undefined) here.ms += Math.max(0, Date.parse(at) - since);
    since = undefined;
  };
  for (const { at, event } of events) {
    if ('warnings' in event && event.warnings.length > 0) followed = false;
    if ('manifest' in event) outputChars += charsIn(event.manifest);
    switch (event.type) {
      case 'activity-entered': {
        stop(at);
        if (event.strayed === true) followed = false;
        here = countingOf(activities, stepOf(event.activity));
        here.visits += 1;
        since = Date.parse(at);
        break;
      }
      case 'checkpoint-yielded':
        stop(at);
        waits.push({ checkpoint: event.checkpoint, by: '', since: at });
        break;
      case 'checkpoint-answered': {
        const open = waits.at(-1);
        // A person may answer a checkpoint again that was answered already.
        if (open?.seconds === undefined && open !== undefined) {
          const ms = Math.max(0, Date.parse(at) - Date.parse(open.since));
          if (here !== undefined) here.waitedMs += ms;
          const by = event.person ?? (event.by === 'human' ? 'human' : 'agent');
          waits[waits.length - 1] = { ...open, by, seconds: ms / 1000 };
          since = Date.parse(at);
        }
        break;
      }
      case 'session-parked':
        stop(at);
        break;
      case 'session-completed':
        stop(at);
        // The session was abandoned at the checkpoint, so it waits no longer.
        if (waits.length > 0 && waits.at(-1)?.seconds === undefined) waits.pop();
        break;
      case 'session-resumed':
        // A session that was parked at a checkpoint waits there again.
        if (waits.at(-1)?.seconds !== undefined || waits.length === 0) since = Date.parse(at);
        break;
      default:
    }
  }
  return { activities, waits, followed, outputChars };
}

function countingOf(activities: Map<string, Counting>, activity: string): Counting {
  const known = activities.get(activity) ?? { activity, visits: 0, ms: 0, waitedMs: 0, refused: 0 };
  activities.set(activity, known);
  return known;
}

/** A step of a step workflow counts together in all its rounds. */
function stepOf(activity: string): string {
  return parseInstanceId(activity)?.stepId ?? activity;
}

/** The text of a long output is stored apart from the journal, and its length is not known here. */
function charsIn(manifest: readonly { readonly output: unknown }[]): number {
  return manifest.reduce((sum, { output }) => sum + (typeof output === 'string' ? output.length : 0), 0);
}

/** Longer texts of criteria are cut off. */
const maxCriterionChars = 200;

function countRefusals(calls: readonly TraceEvent[]): readonly RefusalFigures[] {
  const counts = new Map<string, RefusalFigures>();
  const add = (activity: string, step: string, criterion: string): void => {
    const cut = criterion.slice(0, maxCriterionChars);
    const key = JSON.stringify([activity, step, cut]);
    counts.set(key, { activity, step, criterion: cut, count: (counts.get(key)?.count ?? 0) + 1 });
  };
  for (const { s, act, err = '', rj = [] } of calls) {
    if (s !== 'error') continue;
    const activity = stepOf(act);
    if (rj.length === 0) add(activity, '', /^[A-Z_]+/.exec(err)?.[0] ?? 'INTERNAL');
    for (const { step, issues } of rj) for (const issue of issues) add(activity, step, issue);
  }
  return [...counts.values()];
}
