import type { Enforcement } from '@workflowlookup/schema';
import { canonicalJson, defined, unlessEmpty } from '@workflowlookup/schema';
import type { SessionStatusWord } from '@workflowlookup/storage';
import type { Navigator } from '../navigation/navigator.ts';
import { loopMessages } from '../messages/sessions.ts';
import type { DecisionInputs } from './command.ts';
import { allSteps } from './outputs/step-account.ts';
import {
  describeEarlyEnd,
  whyNoEnd,
  evaluateMove,
  undecidedOf,
  sessionPosition,
  endKeyword,
} from './evaluate-move.ts';
import { isAsked, optionalCheckpoints, waitsForHuman } from './open-checkpoints.ts';
import type { EvidenceState } from '../evidence/evidence-state.ts';
import { isOpenEvidence } from '../evidence/evidence-state.ts';
import type { EvaluatedMove } from './evaluate-move.ts';
import type { AnsweredCheckpoint, GivenAnswer, SessionState, Values } from './session-state.ts';
import { initialVariables, ownValue, statusWord } from './session-state.ts';

/** A session that was started from this one. */
export interface ChildLink {
  readonly sid: string;
  readonly workflowId: string;
  readonly status: SessionStatusWord;
  /** Why the session is not proven to be written by a server with the keys; absent if it is. */
  readonly unauthentic?: 'unsealed' | 'unchecked' | 'unknown-key';
}

/** Everything an agent needs to continue after it lost all but its token. */
export interface SessionStatus extends Pick<
  SessionState,
  'outcome' | 'current' | 'completed' | 'parked' | 'parent' | 'taken' | 'notDone'
> {
  readonly status: SessionStatusWord;
  /** Skipped by answers or by active modes. */
  readonly skipped: readonly string[];
  readonly lastAnswer?: AnsweredCheckpoint & Partial<GivenAnswer>;
  /** Paths of the files that the completed activities were to write; absent if there are none. */
  readonly artifacts?: readonly string[];
  /** The session has one agent, no parent and no children. */
  readonly isAlone?: boolean;
  readonly workflow: { readonly id: string; readonly version: string; readonly title: string };
  readonly children: readonly ChildLink[];
  /**
   * Present if the session was imported. With `isAuthentic: false` nothing proves its content, and it can't be
   * continued.
   */
  readonly imported?: { readonly at: string; readonly by: string; readonly isAuthentic: boolean };
  /** Why the session is not proven to be written by a server with the keys; such a session can't be continued. */
  readonly unauthentic?: 'unsealed' | 'unchecked' | 'unknown-key';
  /** Those that differ from their defaults. */
  readonly variables: Values;
  /** Who set each variable, and at which revision. */
  readonly variablesSetBy?: Readonly<Record<string, string>>;
  /** Evidence that the current activity asks for, then that of earlier activities; absent if there is none. */
  readonly evidence?: readonly EvidenceState[];
  readonly next: readonly NextCall[];
  /** Why the next transition can't be computed, and what helps. */
  readonly obstacle?: string;
  /** Number of entries that were left out to keep the status short. */
  readonly omitted?: Omitted;
}

/** How many entries of each field a status leaves out. */
export type Omitted = Partial<
  Readonly<
    Record<
      | 'completed'
      | 'skipped'
      | 'children'
      | 'variables'
      | 'artifacts'
      | 'taken'
      | 'notDone'
      | 'evidence'
      | 'next',
      number
    >
  >
>;

const lists = [
  'completed',
  'skipped',
  'children',
  'variables',
  'artifacts',
  'taken',
  'notDone',
  'evidence',
  'next',
] as const satisfies readonly (keyof Omitted)[];

/**
 * Returns the position of a session and its legal calls in at most 2,800 characters of JSON, so that an agent that lost
 * its context can continue after one call.
 */
export function statusOf(
  state: SessionState,
  navigator: Navigator,
  more: {
    readonly children?: readonly ChildLink[];
    readonly gates?: DecisionInputs['gates'];
    /** Whether a problem of a move refuses it. By default as the session was started. */
    readonly enforcement?: Enforcement;
    readonly evidence?: readonly EvidenceState[];
    readonly artifacts?: readonly string[];
    /** What the journal has of the last answer. */
    readonly given?: GivenAnswer;
  } = {},
): SessionStatus {
  const { outcome, current, completed, parked, parent, lastAnswer } = state;
  const { id, title } = navigator.workflow;
  const { gates = 'declared', enforcement = state.enforcement, evidence = [] } = more;
  const here = sessionPosition(state, navigator, {}, { gates });
  const isOpen = state.status !== 'completed' && state.gate === undefined;
  const prospect = isOpen ? evaluateMove(state, { kind: 'move' }, navigator, gates) : undefined;
  const obstacle = prospect && obstacleOf(prospect);
  return shortenStatus(
    defined({
      status: statusWord(state),
      outcome,
      current,
      completed,
      skipped: [...here.skipped],
      lastAnswer: lastAnswer && { ...lastAnswer, ...more.given },
      artifacts: unlessEmpty(more.artifacts),
      taken: unlessEmpty(state.taken),
      notDone: unlessEmpty(state.notDone),
      parked,
      workflow: { id, version: state.version, title },
      parent,
      children: more.children ?? [],
      ...changed(state, navigator),
      evidence: unlessEmpty(evidence),
      next:
        prospect === undefined
          ? nextCalls(state, navigator, gates)
          : afterEvidence(prospect, openHere(state, evidence), enforcement),
      obstacle,
    }),
  );
}

function obstacleOf(prospect: EvaluatedMove): string | undefined {
  const [missing] = prospect.work?.account.missingLists ?? [];
  return (
    prospect.ahead.obstacle ??
    (missing === undefined ? describeEarlyEnd(prospect) : loopMessages.setList(missing))
  );
}

/** Returns the variables that differ from their defaults, and who set each. */
function changed(
  state: SessionState,
  navigator: Navigator,
): Pick<SessionStatus, 'variables' | 'variablesSetBy'> {
  const defaults = initialVariables(navigator);
  const variables = Object.entries(state.variables).filter(([name, value]) => {
    const standard = ownValue(defaults, name);
    return standard === undefined || canonicalJson(value) !== canonicalJson(standard);
  });
  const setBy = variables.map(([name]) => [name, originText(state, name)] as const);
  return {
    variables: Object.fromEntries(variables),
    ...(setBy.length > 0 && { variablesSetBy: Object.fromEntries(setBy) }),
  };
}

/** `checkpoint merge at 12`, `agent at 3`. */
function originText({ origins }: SessionState, name: string): string {
  const origin = ownValue(origins, name);
  if (origin === undefined) return 'unknown';
  const { by, checkpoint, revision } = origin;
  return `${by}${checkpoint === undefined ? '' : ` ${checkpoint}`} at ${revision}`;
}

/** A call that is legal now, independent of its name in the protocol. */
export type NextCall =
  | { readonly kind: 'read-activity'; readonly activity: string }
  /** Collects evidence that is missing or no longer valid. The activity can't be left without it. */
  | { readonly kind: 'collect'; readonly evidence: readonly string[] }
  | {
      readonly kind: 'yield';
      readonly checkpoint: string;
      /**
       * Values of a refused move that must be set with the question, because the checkpoint would not be asked without
       * them.
       */
      readonly variables?: Values;
    }
  | { readonly kind: 'present'; readonly checkpoint: string }
  | {
      readonly kind: 'answer';
      readonly checkpoint: string;
      readonly options: readonly string[];
      /** `human`: an agent's answer is refused. `agent`: the agent decides by itself. */
      readonly by: 'any' | 'human' | 'agent';
      /** The checkpoint's condition is false, so an agent can only dismiss the checkpoint. */
      readonly isIdle?: true;
      /** The option is refused without a note. */
      readonly needsNote?: true;
    }
  | {
      readonly kind: 'move';
      /**
       * Absent if no word means the end, if the next transition is undecided, or if an obstacle must be resolved first.
       */
      readonly activity?: string;
      /**
       * Unset variables that decide whether a transition is open. Set them first, or name the end, which is refused
       * while a checkpoint that needs a person can still come.
       */
      readonly undecided?: readonly string[];
      /** Steps the manifest has to name, in order. */
      readonly steps: readonly string[];
      /** How many steps were left out to keep a status short. */
      readonly moreSteps?: number;
      /**
       * Evidence that is missing or no longer valid. The move gets a warning, or the step has to be reported as not
       * done.
       */
      readonly needsEvidence?: readonly string[];
    };

type AnswerCall = Extract<NextCall, { kind: 'answer' }>;

/**
 * Returns the legal calls, the recommended one first, or none for a completed session. Transitions are those that will
 * be open once the required steps are done.
 */
export function nextCalls(
  state: SessionState,
  navigator: Navigator,
  gates: DecisionInputs['gates'],
): readonly NextCall[] {
  if (state.status === 'completed') return [];
  const answer = answerCall(state, navigator, gates);
  if (answer !== undefined) return [{ kind: 'present', checkpoint: answer.checkpoint }, answer];
  return callsFrom(evaluateMove(state, { kind: 'move' }, navigator, gates));
}

/** Returns the ids of the evidence of the current activity that is missing or no longer valid. */
function openHere({ current }: SessionState, evidence: readonly EvidenceState[]): readonly string[] {
  return evidence
    .filter((one) => one.activity === current && one.level !== undefined && isOpenEvidence(one))
    .map(({ id }) => id);
}

/**
 * Returns the legal calls. If evidence is missing or no longer valid, the call that collects it comes first, and a
 * strict session refuses a move until then, unless the steps that ask for it may be reported as not done.
 */
function afterEvidence(
  prospect: EvaluatedMove,
  needsEvidence: readonly string[],
  enforcement: Enforcement,
): readonly NextCall[] {
  const calls = callsFrom(prospect);
  if (needsEvidence.length === 0) return calls;
  const asking = prospect.work === undefined ? [] : allSteps(prospect.work.place);
  const mayMove =
    enforcement === 'advisory' ||
    asking
      .filter(({ evidence = [] }) => evidence.some(({ id }) => needsEvidence.includes(id)))
      .every(({ mayBeMissing }) => mayBeMissing === true);
  return [
    { kind: 'collect', evidence: needsEvidence },
    ...calls.flatMap((call): readonly NextCall[] => {
      if (call.kind !== 'move') return [call];
      return mayMove ? [{ ...call, needsEvidence }] : [];
    }),
  ];
}

/** The legal calls of a session that is active and waits at no checkpoint. */
function callsFrom(prospect: EvaluatedMove): readonly NextCall[] {
  const { state } = prospect;
  return [
    ...(state.current === undefined ? [] : [{ kind: 'read-activity', activity: state.current } as const]),
    ...yields(prospect),
    ...moves(prospect),
  ];
}

/** Returns the call that answers the open checkpoint of a session, or `undefined` if none is open. */
export function answerCall(
  state: SessionState,
  navigator: Navigator,
  gates: DecisionInputs['gates'],
): AnswerCall | undefined {
  const { gate: open } = state;
  if (open === undefined) return undefined;
  const { checkpoint } = open;
  const place = navigator.place(open.activity, state);
  const declared = place.checkpoints.find(({ id }) => id === checkpoint);
  const options = declared?.options.map(({ id }) => id) ?? [];
  const isHumans = declared !== undefined && waitsForHuman(open, declared, { gates });
  const by = isHumans ? 'human' : declared?.approver === 'agent' ? 'agent' : 'any';
  const isIdle = !isHumans && declared !== undefined && !isAsked(state, place, declared);
  return { kind: 'answer', checkpoint, options, by, ...(isIdle && { isIdle }) };
}

function yields({ state, work }: EvaluatedMove): readonly NextCall[] {
  if (work === undefined) return [];
  const offered = [...work.openCheckpoints, ...optionalCheckpoints(state, work.place, work.account)];
  return offered.map(({ id }) => ({ kind: 'yield', checkpoint: id }));
}

function moves(prospect: EvaluatedMove): readonly NextCall[] {
  const { navigator, here, work, ahead, transitions } = prospect;
  const end = endKeyword(navigator, here);
  const steps = work?.account.required.map(({ id }) => id) ?? [];
  if (ahead.obstacle !== undefined || work?.account.missingLists[0] !== undefined)
    return [{ kind: 'move', steps }];
  const undecided = transitions.length > 0 ? [] : undecidedOf(ahead);
  if (undecided.length > 0) return [{ kind: 'move', steps, undecided }];
  if (describeEarlyEnd(prospect) !== undefined) return [{ kind: 'move', steps }];
  const mayEnd = whyNoEnd(prospect) === undefined;
  const legal = transitions.filter(({ target }) => target.kind === 'activity' || mayEnd);
  const words = legal.map(({ target }) => (target.kind === 'end' ? end : target.id));
  return [...new Set(words.length === 0 ? [end] : words)].map((activity) =>
    defined({ kind: 'move', activity, steps }),
  );
}

/** Characters of JSON a status may take: of 4,000 on the wire, the rest is for a token and longer names. */
const maxStatusChars = 2800;

/** The number of entries to keep of each list. The sizes are tried in order until the status is short enough. */
const sizes = [64, 32, 16, 8, 4, 2, 1, 0];

/** A variable is kept if it has at most this many characters for each entry that a list may keep. */
const charsPerEntry = 40;

/**
 * Shortens a status to at most 2,800 characters of JSON for a session of any length. It keeps the newest entries of
 * long lists, the first calls and the short variables, and counts what it leaves out.
 */
function shortenStatus(status: SessionStatus): SessionStatus {
  if (lengthOf(status) <= maxStatusChars) return status;
  const cuts = sizes.map((size) => cut(status, size));
  return cuts.find((short) => lengthOf(short) <= maxStatusChars) ?? cut(status, 0);
}

function cut(status: SessionStatus, size: number): SessionStatus {
  const { completed, skipped, children, next } = status;
  const variables = Object.entries(status.variables)
    .filter(([name, value]) => name.length + lengthOf(value) <= size * charsPerEntry)
    .slice(0, size);
  const calls = next.slice(0, Math.max(size, 1)).map((call) => cutCall(call, size));
  const short = {
    completed: newest(completed, size),
    skipped: skipped.slice(0, size),
    children: newest(children, size),
    variables: Object.fromEntries(variables),
    variablesSetBy: Object.fromEntries(
      variables.map(([name]) => [name, status.variablesSetBy?.[name] ?? 'unknown']),
    ),
    ...cutRecords(status, size),
    next: calls,
  };
  return { ...status, ...short, omitted: omittedFrom(status, short) };
}

/** Characters that a long status keeps of a person's note. `get_activity` shows the whole note. */
const shownNoteChars = 300;

/** Keeps the newest artifacts and records, and the beginning of what was said. */
function cutRecords(
  { lastAnswer, artifacts, taken, notDone, evidence }: SessionStatus,
  size: number,
): Pick<SessionStatus, 'lastAnswer' | 'artifacts' | 'taken' | 'notDone' | 'evidence'> {
  const chars = size * charsPerEntry;
  const { note, relayedNote, effect, ...answer } = lastAnswer ?? {};
  const shown = defined({
    ...answer,
    note: note && beginningOf(note, shownNoteChars),
    relayedNote: relayedNote && beginningOf(relayedNote, shownNoteChars),
    effect: effect !== undefined && lengthOf(effect) <= chars ? effect : undefined,
  });
  return defined({
    lastAnswer: lastAnswer && (shown as typeof lastAnswer),
    artifacts: artifacts && newest(artifacts, size),
    taken: taken && newest(taken, size),
    notDone:
      notDone && newest(notDone, size).map((one) => ({ ...one, reason: beginningOf(one.reason, chars) })),
    evidence: evidence?.slice(0, size),
  });
}

function newest<One>(list: readonly One[], size: number): readonly One[] {
  return list.slice(Math.max(0, list.length - size));
}

function beginningOf(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars)}…`;
}

function cutCall(call: NextCall, size: number): NextCall {
  if (call.kind === 'answer') return { ...call, options: call.options.slice(0, size) };
  if (call.kind !== 'move' || call.steps.length <= size) return call;
  return { ...call, steps: call.steps.slice(0, size), moreSteps: call.steps.length - size };
}

type Lists = Pick<SessionStatus, (typeof lists)[number]>;

function omittedFrom(whole: Lists, short: Lists): Omitted {
  const countIn = (of: Lists, field: keyof Lists): number => Object.keys(of[field] ?? []).length;
  const counts = lists.map((field) => [field, countIn(whole, field) - countIn(short, field)] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value).length;
}
