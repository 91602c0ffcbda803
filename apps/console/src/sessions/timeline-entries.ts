import type { Json } from '@workflowlookup/schema';
import { formatDuration, truncate } from '../components/format.ts';
import type { Tone } from '../components/tags.tsx';
import { resultTones } from '../components/tags.tsx';
import type { EventsPage, SessionDetail } from '../contract/index.ts';
import {
  answerOrigin,
  answerText,
  answeredBy,
  checkpointMessages,
  isForAgent,
} from '../messages/checkpoints.ts';
import { sessionMessages } from '../messages/sessions.ts';
import type { SessionNames } from './session-names.ts';

const { events: messages, calls, enforcement } = sessionMessages;

/** What a filter of the timeline can show alone. */
export type EntryKind = 'move' | 'checkpoint' | 'refused' | 'other';

/** An output in the timeline: one that was accepted, or one that was refused, with what it missed. */
export interface TimelineOutput {
  readonly step: string;
  readonly output: string;
  readonly issues?: readonly string[];
}

/** An event of the journal or a refused call, as the timeline shows it. */
export interface TimelineEntry {
  readonly key: string;
  /** ISO 8601. */
  readonly at: string;
  /** The entry before or after it is of the same second, so its time needs milliseconds. */
  readonly sharesSecond: boolean;
  /** Absent for a refused call, which writes no event. */
  readonly revision?: number;
  readonly kind: EntryKind;
  readonly tone: Tone;
  readonly title: string;
  /** How long something took that ends here. */
  readonly span?: string;
  readonly lines: readonly string[];
  readonly outputs: readonly TimelineOutput[];
  /** What the agent was told, if the outputs do not say it. */
  readonly answer?: string;
  /** The activity or step that was left, and the one that was entered or that it is about. */
  readonly from?: string;
  readonly to?: string;
}

/** An entry before it is compared with its neighbours. */
type Described = Omit<TimelineEntry, 'sharesSecond'>;

/** How long a session has worked and waited so far. */
export interface TimelineSums {
  /** The time in the activities that the session has left. Absent before it has left the first one. */
  readonly workedMs?: number;
  readonly waitedMs: number;
  readonly parkedMs: number;
  /** The time from the start to the first activity. Absent before it is entered. */
  readonly beforeMs?: number;
}

type JournalRow = EventsPage['events'][number];
type JournalEvent = JournalRow['event'];
type Move = Extract<JournalEvent, { readonly type: 'activity-entered' | 'session-completed' }>;
type Waits = Pick<SessionDetail['history'], 'checkpoints'>;
type RefusedCall = SessionDetail['history']['refusals'][number];

const maxValue = 200;

/**
 * Puts the events of a journal and the refused calls into one order. The events must begin with the first one. A
 * refused call comes after the event that it was made on.
 */
export function timelineEntries(
  events: readonly JournalRow[],
  refusals: readonly RefusedCall[],
  names: SessionNames,
  { checkpoints = [], ended }: Pick<SessionDetail['row'], 'ended'> & Partial<Waits> = {},
): { readonly entries: readonly TimelineEntry[]; readonly sums: TimelineSums } {
  const clock = createClock();
  const last = events.at(-1)?.revision ?? 0;
  const left = refusals.filter(({ rev }) => rev <= last).toReversed();
  const entries: Described[] = [];
  for (const [index, row] of events.entries()) {
    const span = clock.next(row);
    const { lines, ...described } = describeEvent(row.event, names, ended);
    entries.push({
      key: String(row.revision),
      at: row.at,
      revision: row.revision,
      outputs: [],
      ...described,
      lines: [...lines, ...receiptLines(row, checkpoints, index === events.length - 1)],
      ...(span !== undefined && { span }),
    });
    const next = events[index + 1]?.revision ?? Infinity;
    for (let call = left.at(-1); call !== undefined && call.rev < next; call = left.at(-1)) {
      entries.push(refusedEntry(call, names));
      left.pop();
    }
  }
  return { entries: withSharedSeconds(entries), sums: clock.sums() };
}

function withSharedSeconds(entries: readonly Described[]): readonly TimelineEntry[] {
  const seconds = entries.map(({ at }) => Math.floor(Date.parse(at) / 1000));
  return entries.map((entry, index) => ({
    ...entry,
    sharesSecond: seconds[index] === seconds[index - 1] || seconds[index] === seconds[index + 1],
  }));
}

/** Measures activities, waits and pauses from one event to the next. */
function createClock() {
  const sums: { -readonly [Sum in keyof TimelineSums]: TimelineSums[Sum] } = { waitedMs: 0, parkedMs: 0 };
  let enteredMs = 0;
  let stoppedMs = 0;
  let restedMs = 0;
  const rested = (atMs: number): number => {
    const spanMs = Math.max(0, atMs - stoppedMs);
    restedMs += spanMs;
    return spanMs;
  };
  return {
    sums: (): TimelineSums => sums,
    /** Returns how long something took that ends with the event. */
    next({ at, event }: JournalRow): string | undefined {
      const atMs = Date.parse(at);
      switch (event.type) {
        case 'session-started':
          enteredMs = atMs;
          return undefined;
        case 'checkpoint-yielded':
        case 'session-parked':
          stoppedMs = atMs;
          return undefined;
        case 'checkpoint-answered': {
          const spanMs = rested(atMs);
          sums.waitedMs += spanMs;
          return messages.waited(formatDuration(spanMs / 1000));
        }
        case 'session-resumed': {
          const spanMs = rested(atMs);
          sums.parkedMs += spanMs;
          return messages.wasParked(formatDuration(spanMs / 1000));
        }
        case 'activity-entered':
        case 'session-completed': {
          const spanMs = Math.max(0, atMs - enteredMs - restedMs);
          enteredMs = atMs;
          restedMs = 0;
          if (event.from === undefined) {
            sums.beforeMs = spanMs;
            return undefined;
          }
          sums.workedMs = (sums.workedMs ?? 0) + spanMs;
          return messages.took(formatDuration(spanMs / 1000));
        }
        default:
          return undefined;
      }
    },
  };
}

type Description = Pick<TimelineEntry, 'kind' | 'tone' | 'title' | 'lines'> & Partial<Described>;

function describeEvent(
  event: JournalEvent,
  names: SessionNames,
  ended: SessionDetail['row']['ended'],
): Description {
  switch (event.type) {
    case 'session-started':
      return {
        kind: 'other',
        tone: 'current',
        title: messages.started(names.workflow, event.version),
        lines: [enforcement[event.enforcement], ...setLines(event.variables, event.assigned)],
      };
    case 'activity-entered':
      return {
        kind: 'move',
        tone: 'current',
        title:
          event.from === undefined
            ? messages.entered(names.activity(event.activity))
            : messages.moved(names.activity(event.from), names.activity(event.activity)),
        lines: moveLines(event, names),
        outputs: outputsOf(event, names),
        to: event.activity,
        ...(event.from !== undefined && { from: event.from }),
      };
    case 'checkpoint-yielded':
      return {
        kind: 'checkpoint',
        tone: 'waits',
        title: messages.reachedCheckpoint(names.checkpoint(event.checkpoint)),
        lines: [messages.inActivity(names.activity(event.activity)), ...setLines(event.variables ?? {})],
        to: event.activity,
      };
    case 'checkpoint-answered':
      return {
        kind: 'checkpoint',
        tone: 'planned',
        title: messages.answered(
          names.checkpoint(event.checkpoint),
          answerText(event.answer, names.options(event.checkpoint)),
        ),
        lines: answerLines(event, names),
        to: event.activity,
      };
    case 'evidence-collected': {
      const { outcome, level, reasons } = event.result;
      return {
        kind: 'other',
        tone: outcome === 'passed' ? 'done' : 'skipped',
        title: messages.evidence(event.evidence, outcome, level),
        lines: reasons,
      };
    }
    case 'session-completed':
      return {
        kind: 'move',
        ...(event.outcome === 'abandoned'
          ? { tone: 'skipped', title: messages.abandoned(event.person) }
          : {
              tone: ended?.result === undefined ? 'planned' : resultTones[ended.result],
              title: messages.ended(ended?.name),
            }),
        lines: [
          ...(event.from === undefined ? [] : [messages.inActivity(names.activity(event.from))]),
          ...moveLines(event, names),
        ],
        outputs: outputsOf(event, names),
        ...(event.from !== undefined && { from: event.from }),
      };
    case 'session-parked':
      return {
        kind: 'other',
        tone: 'skipped',
        title: messages.parked(event.by, event.person),
        lines: [messages.parkedBecause(event.reason)],
      };
    case 'session-resumed':
      return { kind: 'other', tone: 'current', title: messages.resumed(event.by, event.person), lines: [] };
  }
}

/** Returns a refused call in one line: what was called, and why the server refused it. */
export function refusalText(call: RefusedCall, names: Pick<SessionNames, 'activity'>): string {
  const { title, answer = '', outputs } = refusedEntry({ ...call, act: '' }, names);
  const missed = outputs.map(({ step, issues = [] }) => `${step}: ${issues.join(' ')}`);
  return messages.refusedBecause(title, missed.length === 0 ? answer : missed.join(' '));
}

function refusedEntry(
  { spanId, ts, name, act, aid, err = '', rj = [] }: RefusedCall,
  names: Pick<SessionNames, 'activity'>,
): Described {
  const outputs = rj.flatMap(({ step, issues, output }) =>
    output === undefined ? [] : [{ step: names.activity(step), output, issues }],
  );
  const issues = rj.flatMap((one) => (one.output === undefined ? one.issues : []));
  return {
    key: spanId,
    at: ts,
    kind: 'refused',
    tone: 'refused',
    title: messages.refused(calls[name], act === '' ? undefined : names.activity(act)),
    lines: [messages.calledBy(aid), ...issues],
    outputs,
    ...(err !== '' && { answer: err.replace(/^[A-Z_]+: /, '') }),
    ...(act !== '' && { to: act }),
  };
}

function outputsOf({ manifest }: Move, names: SessionNames): readonly TimelineOutput[] {
  return manifest.flatMap(({ step_id: id, output }) =>
    output === undefined || output === '' ? [] : [{ step: names.activity(id), output }],
  );
}

function moveLines(
  { manifest, variables, warnings, condition }: Move,
  names: SessionNames,
): readonly string[] {
  return [
    ...manifest.flatMap(({ step_id: id, output, not_done: reason }) => {
      if (reason === undefined) return [];
      const isLeft = output === undefined || output === '';
      return [(isLeft ? messages.notDone : messages.notProved)(names.activity(id), reason)];
    }),
    ...(condition === '' ? [] : [messages.because(condition)]),
    ...setLines(variables),
    ...warnings.map((warning) => messages.warning(warning)),
  ];
}

function answerLines(
  event: Extract<JournalEvent, { readonly type: 'checkpoint-answered' }>,
  names: SessionNames,
): readonly string[] {
  const { by, origin, note, variables, effect: { transitionTo, skipActivities = [] } = {} } = event;
  const say = by === 'agent' ? messages.relayedNote : messages.note;
  return [
    messages.answeredBy(answeredBy(event)),
    ...(by === 'human' && origin !== undefined ? [`${answerOrigin(origin)}.`] : []),
    ...(note === undefined ? [] : [say(note)]),
    ...(transitionTo === undefined ? [] : [messages.next(names.activity(transitionTo))]),
    ...(skipActivities.length === 0 ? [] : [messages.skips(skipActivities.map(names.activity).join(', '))]),
    ...setLines(variables),
  ];
}

/** Says when the agent got a person's answer, or that it will. */
function receiptLines(
  { at, event }: JournalRow,
  checkpoints: Waits['checkpoints'],
  isLast: boolean,
): readonly string[] {
  if (event.type !== 'checkpoint-answered' || !isForAgent(event)) return [];
  const receivedAt = checkpoints.find(({ answered }) => answered?.at === at)?.answered?.receivedAt;
  if (receivedAt === undefined) return isLast ? [checkpointMessages.answer.notReceived] : [];
  return [messages.received(formatDuration((Date.parse(receivedAt) - Date.parse(at)) / 1000))];
}

/** Lists the values of variables; by default, of all of them. */
function setLines(
  variables: Readonly<Record<string, Json>>,
  names: readonly string[] = Object.keys(variables),
): readonly string[] {
  return Object.entries(variables)
    .filter(([name]) => names.includes(name))
    .map(([name, value]) => messages.variable(name, truncate(JSON.stringify(value), maxValue)));
}
