import { evaluate, lookUp } from '@workflowlookup/conditions';
import type { Effect, Enforcement, Json } from '@workflowlookup/schema';
import type { SessionStatusWord } from '@workflowlookup/storage';
import { messages } from '../messages/sessions.ts';
import type { Navigator, Assignment, Mode } from '../navigation/navigator.ts';
import type { Refusal } from './command.ts';
import { refuse } from './command.ts';
import type {
  Answer,
  AnsweredItem,
  CollectionResult,
  ParentLink,
  ParkedBy,
  RunningLoop,
  SealedPolicy,
  SetBy,
  VariableOwner,
} from './session-event.ts';

/** A checkpoint, and the activity that asks it. */
export interface AskedCheckpoint {
  readonly checkpoint: string;
  readonly activity: string;
}

/** A checkpoint that waits for its answer. */
export interface OpenCheckpoint extends AskedCheckpoint {
  /** ISO 8601. */
  readonly yieldedAt: string;
  /** The iteration of a loop that the question is about; empty for a step outside of loops. */
  readonly iteration?: string;
  /** Set if only a person could answer when the checkpoint was yielded, whatever the definition says now. */
  readonly approver?: 'human';
  /** The revision that asked; absent in snapshots of older versions. */
  readonly revision?: number;
}

/** Who set a variable, and when. */
export interface VariableOrigin {
  /** `unknown`: the journal was written by a version that did not record it. */
  readonly by: SetBy | 'unknown';
  readonly revision: number;
  /** The checkpoint whose answer set it, and who answered. */
  readonly checkpoint?: string;
  readonly answeredBy?: 'agent' | 'human';
  readonly person?: string;
}

/**
 * Variables that a question showed. No agent may change them until the session has left the activity that the answer
 * opened.
 */
export interface FrozenQuestion extends AskedCheckpoint {
  readonly variables: readonly string[];
  /** In a loop, the items of the answers that still count. */
  readonly items?: readonly AnsweredItem[];
  /**
   * The activity that the answer names as the next one. If the session came back to the question without being asked,
   * the one that the answer opened before.
   */
  readonly leadsTo?: string;
  /**
   * The activity that the answer opened, once it is entered; later the activity to which the session carried the
   * freeze.
   */
  readonly opened?: string;
  /** The activity that the answer opened, if `opened` is a later one. Absent in journals of older versions. */
  readonly openedFirst?: string;
  /** An agent moved without a transition after the session had entered the activity that the answer opened. */
  readonly strayed?: true;
}

/**
 * A checkpoint that was answered, and the item that the answer was about. Without an item outside of loops, and in
 * older versions.
 */
export interface DecidedCheckpoint extends AskedCheckpoint {
  readonly item?: AnsweredItem;
}

/** Activities that one answer skipped. */
export interface CheckpointSkip extends DecidedCheckpoint {
  readonly activities: readonly string[];
}

/** The owner of a variable and, in a loop, the values that the answers about its items set, the latest last. */
export interface OwnedVariable extends VariableOwner {
  readonly byItem?: readonly { readonly item: AnsweredItem; readonly value: Json }[];
}

/** A checkpoint that was answered. */
export interface AnsweredCheckpoint extends AskedCheckpoint {
  readonly answer: Answer;
  /** The iteration of a loop that the question was about. */
  readonly iteration?: string;
  /** The person's own words. Absent if an agent answered, because its words would not be a person's. */
  readonly note?: string;
  /** ISO 8601. */
  readonly at: string;
}

/** Why a session is parked. It keeps everything, and any call that continues the work resumes it. */
export interface ParkedSession extends Omit<ParkedBy, 'credential'> {
  readonly reason: string;
  /** When it is listed as unfinished again; ISO 8601 in UTC. */
  readonly until?: string;
  /** When it was parked; ISO 8601. */
  readonly at: string;
}

/** Evidence that was collected last for a demand of an activity, without the end of its output. */
export interface RecordedEvidence extends Pick<
  CollectionResult,
  'activity' | 'demand' | 'folder' | 'result'
> {
  readonly id: string;
  readonly revision: number;
  /** ISO 8601. */
  readonly at: string;
}

/** What the journal has of an answer besides the option. */
export interface GivenAnswer {
  /** `user`: the agent passed on the answer of its user. `server`: nobody was asked. */
  readonly answeredBy: 'person' | 'user' | 'agent' | 'server';
  readonly person?: string;
  /** What the user of an agent said, in the words of the agent. */
  readonly relayedNote?: string;
  /** What the answer set and opened. */
  readonly effect?: Effect;
}

/** A step that an agent reported as not done. */
export interface NotDoneStep {
  /** As the manifest named it. */
  readonly step: string;
  readonly activity: string;
  readonly reason: string;
  /** Set if the report came with an output: the agent did the step, and nothing proves it. */
  readonly hasOutput?: true;
  /** The revision whose manifest reported it. */
  readonly revision: number;
}

/** A checkpoint that was not asked, because its decision can be undone: the server took its default option. */
export interface TakenCheckpoint extends AskedCheckpoint {
  readonly option: string;
  /** The revision of the answer. */
  readonly revision: number;
}

/** A session: the fold of its journal. */
export interface SessionState {
  readonly sid: string;
  /** Number of events. */
  readonly revision: number;
  readonly workflowId: string;
  readonly version: string;
  readonly digest: string;
  /** Name of the source that served the definition when the session started. */
  readonly source?: string;
  readonly enforcement: Enforcement;
  readonly parent?: ParentLink;
  readonly status: 'active' | 'completed';
  readonly outcome?: 'abandoned';
  readonly current?: string;
  /** The revision that entered the current activity; 1 before the first. */
  readonly since: number;
  /** Activities that were left, each once, in order. */
  readonly completed: readonly string[];
  /** How often each activity was entered. */
  readonly visits: Readonly<Record<string, number>>;
  /** The loops over activities that the session is in; absent before an event recorded them. */
  readonly loops?: readonly RunningLoop[];
  /** The revision that entered a loop when the session was in none. Since then it was always in at least one. */
  readonly loopsSince?: number;
  /** Activities that answers skipped. */
  readonly skipped: readonly string[];
  /** The answers that skipped them. Absent before the first one, and in snapshots of older versions. */
  readonly skippedBy?: readonly CheckpointSkip[];
  readonly variables: Readonly<Record<string, Json>>;
  /** Variables that somebody set. The defaults of modes can fill only the others. */
  readonly assigned: readonly string[];
  /** Who set each variable, and at which revision. */
  readonly origins: Readonly<Record<string, VariableOrigin>>;
  /** Variables that belong to the checkpoint whose answer decided them. */
  readonly owners: Readonly<Record<string, OwnedVariable>>;
  readonly frozen: readonly FrozenQuestion[];
  /** Absent in journals of older versions: then only the policy of the current server applies. */
  readonly policy?: SealedPolicy;
  /**
   * Credentials that started, moved or stopped this session, or its parent before. Their calls count as calls of
   * agents.
   */
  readonly drivers: readonly string[];
  /** The checkpoint that is open. Stored states have it under this name. */
  readonly gate?: OpenCheckpoint;
  /** Answers given since the current activity was entered, in order. */
  readonly answered: readonly AnsweredCheckpoint[];
  /**
   * Answers given at the current activity before an agent entered it again without a transition, in order. Absent if
   * there are none.
   */
  readonly answeredBefore?: readonly AnsweredCheckpoint[];
  readonly lastAnswer?: AnsweredCheckpoint;
  /** Present while the session is parked. */
  readonly parked?: ParkedSession;
  /** Checkpoints that were not asked, for review, in order. Absent until there is one. */
  readonly taken?: readonly TakenCheckpoint[];
  /** Steps that were reported as not done and were not done since, in order. Absent until there is one. */
  readonly notDone?: readonly NotDoneStep[];
  /** The next activity that an answer named. */
  readonly expected?: string;
  /** The checkpoint of that answer. */
  readonly expectedBy?: DecidedCheckpoint;
  readonly lastCondition: string;
  /** The last result for each evidence, the newest last. Absent before the first. */
  readonly evidence?: readonly RecordedEvidence[];
}

/** What a person wrote with an answer, in their own words. */
export interface PersonNote {
  readonly checkpoint: string;
  /** The chosen option. Absent if the checkpoint was dismissed. */
  readonly answer?: string;
  readonly words: string;
}

/**
 * Returns what persons wrote with their answers in this visit of the activity, oldest first, and with the last answer of
 * the session. The last answer may belong to an earlier activity: "Change the plan" leads back to the planning, and its
 * note says what to change.
 */
export function personNotes({
  answered,
  answeredBefore = [],
  lastAnswer,
}: Pick<SessionState, 'answered' | 'answeredBefore' | 'lastAnswer'>): readonly PersonNote[] {
  const here = [...answeredBefore, ...answered];
  const isHere = lastAnswer === undefined || here.some((one) => isSame(one, lastAnswer));
  return (isHere ? here : [lastAnswer, ...here]).flatMap(noteOf);
}

function isSame(one: AnsweredCheckpoint, other: AnsweredCheckpoint): boolean {
  return one.at === other.at && one.checkpoint === other.checkpoint && one.activity === other.activity;
}

function noteOf({ checkpoint, answer, note }: AnsweredCheckpoint): readonly PersonNote[] {
  if (note === undefined) return [];
  return [{ checkpoint, ...(answer.kind !== 'dismissed' && { answer: answer.option }), words: note }];
}

/** Variables and their values. */
export type Values = Readonly<Record<string, Json>>;

/** The values of a workflow's variables before anybody set one. */
export function initialVariables({ variables }: Navigator): Values {
  return Object.fromEntries(
    variables.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
  );
}

/**
 * Lists the problems of values that a caller sets: names that the workflow does not declare (if it declares any) and
 * wrong types. `null` unsets a variable of any type.
 */
export function checkVariables({ variables }: Navigator, values: Values): readonly string[] {
  if (variables.length === 0) return [];
  const problems = Object.entries(values).flatMap(([name, value]) => {
    const declared = variables.find((variable) => variable.name === name);
    if (declared === undefined) return [messages.notDeclared(name)];
    const found = Array.isArray(value) ? 'array' : typeof value;
    return found === declared.type || value === null ? [] : [messages.wrongType(name, declared.type, found)];
  });
  if (problems.length <= mostProblems) return problems;
  const more = problems.length - mostProblems;
  return [...problems.slice(0, mostProblems), messages.moreProblems(more)];
}

/** How many problems of one call a message lists. */
const mostProblems = 10;

/** The limits: variables that one call sets, characters of JSON in one variable, and in all variables of a session. */
const limits = { names: 1_000, value: 65_536, session: 1_048_576 } as const;

/**
 * Returns a refusal if the values exceed what a session can store. Everything that shows a session reads all variables,
 * so long texts belong in outputs and files.
 */
export function refuseTooMuch(state: Pick<SessionState, 'variables'>, values: Values): Refusal | undefined {
  const names = Object.keys(values);
  if (names.length === 0) return undefined;
  if (names.length > limits.names)
    return tooMuch(messages.tooManyVariables(names.length, limits.names), limits.names);
  for (const name of names) {
    const found = sizeOf(values[name]);
    if (found > limits.value)
      return tooMuch(messages.variableTooLong(name.slice(0, 100), found, limits.value), limits.value);
  }
  const size = sizeOf({ ...state.variables, ...values });
  if (size <= limits.session) return undefined;
  return tooMuch(messages.sessionTooLong(size, limits.session), limits.session);
}

function sizeOf(value: Json | Values | undefined): number {
  return JSON.stringify(value ?? null).length;
}

function tooMuch(what: string, limit: number): Refusal {
  return refuse('INVALID_INPUT', `${what} ${messages.putTextsElsewhere()}`, { limit });
}

/** Returns the active modes: those whose variable is true. */
export function activeModes({ modes }: Navigator, variables: Values): readonly Mode[] {
  return modes.filter(({ activation }) => evaluate(activation, variables));
}

/** The state before values are set. */
export interface StateBefore extends Pick<SessionState, 'variables' | 'assigned'> {
  /** Modes that are active already; by default those that the variables activate. */
  readonly modes?: readonly Mode[];
  /** Names that the defaults of a mode may not fill, including paths into them. */
  readonly guarded?: ReadonlySet<string> | readonly string[];
}

/** Returns whether two names can refer to the same value: they are equal, or one is a path into the other. */
export function overlaps(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}

/**
 * Returns values for variables whose own name reads like a path into a written one. Conditions find them before the
 * written value, so they get the value it has at that path.
 */
export function pathsInto(values: Values, variables: Readonly<Record<string, unknown>>): Values {
  const inside = Object.keys(variables).filter((name) => {
    const root = rootOf(name);
    return root !== name && Object.hasOwn(values, root) && !Object.hasOwn(values, name);
  });
  return Object.fromEntries(inside.map((name) => [name, (lookUp(values, name) ?? null) as Json]));
}

/**
 * Adds the defaults of the modes that the values activate, for variables that are not set. A default may activate
 * another mode.
 */
export function withModeDefaults(navigator: Navigator, before: StateBefore, values: Values): Values {
  const { variables, assigned, modes = activeModes(navigator, variables), guarded = [] } = before;
  const known = new Set(modes);
  const fresh = activeModes(navigator, { ...variables, ...values }).filter((mode) => !known.has(mode));
  const taken = new Set([...assigned, ...Object.keys(values)]);
  const filled = new Map<string, Json>();
  for (const [name, value] of fresh.flatMap(({ defaults }) => Object.entries(defaults))) {
    if (taken.has(name) || filled.has(name) || [...guarded].some((one) => overlaps(one, name))) continue;
    filled.set(name, value);
  }
  if (filled.size === 0) return values;
  return withModeDefaults(navigator, before, { ...Object.fromEntries(filled), ...values });
}

/** The values that actions give variables, one after the other, each seeing those before it. */
export function assign(
  assignments: readonly Assignment[],
  variables: Readonly<Record<string, unknown>>,
): Values {
  const values = new Map<string, Json>();
  for (const { name, value, condition } of assignments) {
    const seen = { ...variables, ...Object.fromEntries(values) };
    if (condition !== undefined && !evaluate(condition, seen)) continue;
    values.set(name, value);
    for (const [path, part] of Object.entries(pathsInto({ [name]: value }, seen))) values.set(path, part);
  }
  return Object.fromEntries(values);
}

/** The activities that are skipped now, by answers or by active modes. */
export function skippedActivities(
  navigator: Navigator,
  skipped: readonly string[],
  variables: Values,
): ReadonlySet<string> {
  const modes = activeModes(navigator, variables);
  return new Set([...skipped, ...modes.flatMap(({ skipActivities }) => skipActivities)]);
}

/** Returns who set each value of an agent's call: an action of the definition, else the agent, else a mode. */
export function authorsOf(
  values: Values,
  { acted, written }: { readonly acted: ReadonlySet<string>; readonly written: Values },
): { readonly setBy?: Readonly<Record<string, SetBy>> } {
  return setByEach(values, (name) => {
    if (acted.has(name)) return 'action';
    return Object.hasOwn(written, name) ? 'agent' : 'mode';
  });
}

/** Returns the event field that records who set each value, or nothing if the event has no values. */
export function setByEach(
  values: Values,
  by: (name: string) => SetBy,
): { readonly setBy?: Readonly<Record<string, SetBy>> } {
  const names = Object.keys(values);
  return names.length === 0 ? {} : { setBy: Object.fromEntries(names.map((name) => [name, by(name)])) };
}

/** Returns a value of a record by name. The name can be one that every object has, such as `constructor`. */
export function ownValue<Value>(record: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

/** The first part of a dotted name: the variable that a path leads into. */
export function rootOf(name: string): string {
  return name.split('.', 1)[0] ?? name;
}

/** `active`, `completed`, `blocked` while a checkpoint waits, or `parked` until the work continues. */
export function statusWord({ status, gate: openCheckpoint, parked }: SessionState): SessionStatusWord {
  if (openCheckpoint !== undefined) return 'blocked';
  return parked === undefined ? status : 'parked';
}
