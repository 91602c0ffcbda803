import type { Context } from '@workflowlookup/conditions';
import { evaluate, lookUp, variablesOf } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import { canonicalJson } from '@workflowlookup/schema';
import { parseInstanceId } from '../steps/progress.ts';
import { countIn } from '../steps/loop-rounds.ts';
import { rootOf, overlaps } from './variables.ts';
import { accountForSteps, allSteps } from './manifest.ts';
import { isOfCheckpoint } from './evolve.ts';
import { isKept } from './loop-iterations.ts';
import type { Target } from './evaluate-move.ts';
import type {
  DeclaredVariable,
  Navigator,
  OpenLoop,
  ActivityPlan,
  SessionPosition,
} from '../navigation/navigator.ts';
import { namesSetByAnswers, openCheckpoints } from './open-checkpoints.ts';
import type { Refusal } from './command.ts';
import { refuse } from './command.ts';
import type { RunningLoop } from './session-event.ts';
import type { AskedCheckpoint, FrozenQuestion, SessionState } from './session-state.ts';
import type { Values } from './variables.ts';

/** Why an agent may not write a variable. */
interface Guard {
  readonly name: string;
  /**
   * `owned`: an answer decided it. `reserved`: its declaration restricts who sets it. `frozen`: a question showed it.
   * `loop`: it is the list, the number of iterations or the item of a loop that the session is in.
   */
  readonly rule: 'owned' | 'reserved' | 'frozen' | 'loop';
  readonly loop?: string;
  /** The kind of variable the loop takes its iterations from, which may grow. */
  readonly grows?: OpenLoop['kind'];
  readonly checkpoint?: string;
  readonly activity?: string;
  /** Only an option of the checkpoint that was not chosen sets it. */
  readonly left?: true;
  /** The session that the checkpoint belongs to, if that is the parent. */
  readonly sid?: string;
  readonly setBy?: readonly string[];
}

/** A write of an agent under consideration. */
export interface AgentWrite {
  readonly values: Values;
  /** For a move: its target, and everything it sets. */
  readonly move?: MadeMove;
  /** For a yield: the checkpoint whose question shows the new values. */
  readonly asking?: { readonly checkpoint: string; readonly activity: string };
}

/** An agent's move: its target, and the values and loops over activities of the session after it. */
export interface MadeMove {
  readonly target: Target;
  readonly after: Values;
  readonly loops?: readonly RunningLoop[];
}

/**
 * Returns a refusal if an agent may not write these values: one of them belongs to a checkpoint, is declared to be set
 * by others, or was shown by a question whose answer still counts. Repeating the same value is not a write.
 *
 * @see docs/sessions.md#whose-variable
 */
export function refuseWrite(
  state: SessionState,
  navigator: Navigator,
  { values, ...write }: AgentWrite,
): Refusal | undefined {
  if (Object.keys(values).length === 0) return undefined;
  const after = { ...state.variables, ...values };
  const broken = guardsOf(state, navigator, write).filter(({ name, grows }) =>
    grows === undefined
      ? isChanged(name, values, { before: state.variables, after })
      : !hasGrown[grows](lookUp(state.variables, name), lookUp(after, name)),
  );
  const [first] = broken;
  return first === undefined ? refusePath(navigator, values) : refusalOf(first, broken, { state, navigator });
}

/**
 * Returns a refusal if the name of a value reads like a path into another variable and the workflow does not declare
 * it. Conditions and texts find a name before a path, so such a value could hide what a person chose or saw.
 */
function refusePath({ variables: declared }: Navigator, values: Values): Refusal | undefined {
  const path = Object.keys(values).find(
    (name) => name.includes('.') && declared.every((variable) => variable.name !== name),
  );
  if (path === undefined) return undefined;
  return refuse(
    'INVALID_INPUT',
    `The name of variable '${path}' reads like a path into '${rootOf(path)}', and the workflow doesn't declare it. Leave it out, or give '${rootOf(path)}' as an object with this field.`,
    { variable: path },
  ).refusal;
}

const hasGrown: Readonly<Record<OpenLoop['kind'], (before: unknown, after: unknown) => boolean>> = {
  list: isKept,
  count: (before, after) => (countIn(after) ?? -1) >= (countIn(before) ?? 0),
};

/** The values of a write without protected values that are unchanged, because an agent may repeat them. */
export function withoutEchoes(state: SessionState, navigator: Navigator, values: Values): Values {
  const names = Object.keys(values);
  if (names.length === 0) return values;
  const guarded = new Set(guardsOf(state, navigator, {}).map(({ name }) => name));
  if (!names.some((name) => guarded.has(name))) return values;
  return Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => !guarded.has(name) || !isSame(value, lookUp(state.variables, name)),
    ),
  );
}

/** Names that the defaults of a mode must not fill in a call of an agent: it could turn the mode on for that. */
export function guardedNames(state: SessionState, navigator: Navigator): ReadonlySet<string> {
  return new Set(guardsOf(state, navigator, {}).map(({ name }) => name));
}

/** Names that only an answer, or the definition, may fill when a session starts. */
export function reservedNames({ variables }: Pick<Navigator, 'variables'>): ReadonlySet<string> {
  return new Set(variables.filter((declared) => !mayWrite(declared, undefined)).map(({ name }) => name));
}

/** Returns who may set a declared variable, as a list. A checkpoint id never counts as an activity of the same name. */
export function setters(
  setBy: string | readonly string[] | undefined,
  checkpoints: ReadonlySet<string> = new Set(),
): Pick<DeclaredVariable, 'setBy' | 'setIn'> {
  if (setBy === undefined) return {};
  const all = typeof setBy === 'string' ? [setBy] : setBy;
  return { setBy: all, setIn: all.filter((id) => id !== 'checkpoint' && !checkpoints.has(id)) };
}

function guardsOf(
  state: SessionState,
  navigator: Navigator,
  write: Omit<AgentWrite, 'values'>,
): readonly Guard[] {
  const declared = new Map(navigator.variables.map((one) => [one.name, one]));
  const isAllowed = (name: string): boolean => {
    const one = declared.get(name);
    return one?.setBy !== undefined && mayWrite(one, state.current);
  };
  return [
    ...Object.entries(state.owners)
      .filter(([name]) => !isAllowed(name))
      .map(([name, owner]): Guard => ({ name, rule: 'owned', ...owner })),
    ...navigator.variables
      .filter((one) => !mayWrite(one, state.current))
      .map(({ name, setBy = [] }): Guard => ({ name, rule: 'reserved', setBy })),
    ...frozenGuards(state, navigator, write, isAllowed),
    ...loopGuards(state, navigator),
  ];
}

/** Returns the list or count variable and the item of each loop that the session is in, whoever else may write them. */
function loopGuards(state: SessionState, navigator: Navigator): readonly Guard[] {
  return navigator.openLoops(placeIn(state)).flatMap(({ over, variable, kind, ...where }) => {
    const guard = { rule: 'loop', ...where } as const;
    return [
      { ...guard, name: over, grows: kind },
      ...(variable === undefined ? [] : [{ ...guard, name: variable }]),
    ];
  });
}

/** Returns the position of a session, ignoring what modes skip. */
function placeIn(state: SessionState): SessionPosition {
  const { current, skipped } = state;
  return { ...state, current, skipped: new Set(skipped) };
}

/** Returns whether the declaration of a variable lets an agent write it in an activity. */
function mayWrite({ setBy, setIn = [] }: DeclaredVariable, current: string | undefined): boolean {
  if (setBy === undefined || setBy.includes('agent')) return true;
  return current !== undefined && (setIn.includes(current) || setIn.includes(stepOf(current)));
}

function stepOf(activity: string): string {
  return parseInstanceId(activity)?.stepId ?? activity;
}

/**
 * Returns the frozen questions that the session may return to without asking them again although it leaves the activity
 * that their answer opened, and those whose loop it is still in.
 */
export function keptQuestions(
  state: SessionState,
  navigator: Navigator,
  move: MadeMove,
): readonly KeptQuestion[] {
  const { frozen, current } = state;
  return frozen.flatMap((one) => {
    const { checkpoint, activity, opened } = one;
    if (opened === undefined || opened !== current) return [];
    if (!staysIn(one, state, { navigator, move }) && returnTo(one, state, { navigator, move }) !== 'unasked')
      return [];
    return [{ checkpoint, activity, opened: openedBy(one, navigator, move) ?? opened }];
  });
}

/**
 * Returns the activity that an answer opened. If another answer sent the session elsewhere first, it is the one that the
 * answer names, as long as the move leads there.
 */
function openedBy(
  { leadsTo, opened, openedFirst = opened }: FrozenQuestion,
  navigator: Navigator,
  { target }: MadeMove,
): string | undefined {
  const isAhead = leadsTo !== undefined && target.kind !== 'end' && navigator.leadsTo(target.id, leadsTo);
  return isAhead ? leadsTo : openedFirst;
}

/** A question that stays frozen, with the activity that its answer opened. */
type KeptQuestion = AskedCheckpoint & Pick<FrozenQuestion, 'opened'>;

/**
 * Returns whether the work that an answer opened is unfinished after a move: the session stays in a loop of the
 * question's activity or of the opened one, or can return to the opened one without the question.
 */
function staysIn(
  question: FrozenQuestion,
  state: SessionState,
  { navigator, move }: { readonly navigator: Navigator; readonly move: MadeMove },
): boolean {
  const { activity: back } = question;
  const { target, loops = [] } = move;
  const first = openedBy(question, navigator, move);
  if (target.kind === 'end' || target.id === back || first === undefined) return false;
  if (loops.some(({ activity }) => activity === first)) return true;
  const isAway = target.id !== state.current && !navigator.leadsTo(target.id, back);
  // The rounds that its loops have left don't matter, because an agent may add to their lists.
  if (isAway && navigator.leadsTo(target.id, first)) return true;
  const running = navigator.loopsAt(placeIn(state)) ?? [];
  return running.some(
    ({ activity, loop }) =>
      activity === back && loops.some((one) => one.activity === back && one.loop === loop),
  );
}

/**
 * How a session may come back to a question after a move: `asked` if the question then surely comes again, or else
 * `unasked`. `undefined` if nothing leads back.
 */
function returnTo(
  question: FrozenQuestion,
  state: SessionState,
  { navigator, move }: { readonly navigator: Navigator; readonly move: MadeMove },
): 'asked' | 'unasked' | undefined {
  const { activity: back } = question;
  const { target, after } = move;
  const first = openedBy(question, navigator, move) ?? back;
  if (target.kind === 'end') return undefined;
  // An entry to the same activity does not leave it.
  if (target.id === state.current && target.id !== back) return 'unasked';
  if (!navigator.leadsTo(target.id, back)) return undefined;
  if (target.id === back && isDueAt(navigator.place(back, { variables: after }), question, state, navigator))
    return 'asked';
  const decided = decidedBy(state, question);
  const isDecided = (read: string): boolean => decided.some((name) => overlaps(read, name));
  const readBefore = navigator.readOnWayBack(state.current, target.id, back);
  if (!navigator.asksAgain(question, target.id, first) || readBefore.some(isDecided)) return 'unasked';
  // A loop without rounds left asks no question, but it may still get items.
  return navigator.leadsTo(target.id, back, placeIn(state)) ? 'asked' : undefined;
}

/** Returns whether a session that enters the activity of a question must stop at it, and no agent can change that. */
function isDueAt(
  place: ActivityPlan,
  question: AskedCheckpoint,
  state: SessionState,
  navigator: Navigator,
): boolean {
  const others = place.gates.filter(({ id }) => id !== question.checkpoint);
  const changed = [
    ...allSteps(place).flatMap(({ sets }) => sets.map(({ name }) => name)),
    ...others.flatMap(namesSetByAnswers),
  ];
  const isFixed = fixedAt(place.id, state, navigator);
  const stays = (read: string): boolean => isFixed(read) && !changed.some((name) => overlaps(name, read));
  return readByQuestion(place, question).every(stays) && isAskedAt(place, question);
}

/** Returns whether a session that enters an activity must stop at a checkpoint of it. */
function isAskedAt(place: ActivityPlan, { checkpoint }: AskedCheckpoint): boolean {
  return openCheckpoints({ answered: [] }, place, accountForSteps(place)).some(({ id }) => id === checkpoint);
}

/**
 * Returns whether no agent may set a variable in an activity, because an answer decided it or its declaration says so.
 */
function fixedAt(activity: string, state: SessionState, navigator: Navigator): (variable: string) => boolean {
  const there = { ...state, current: activity, frozen: [] };
  const held = guardsOf(there, navigator, {}).filter(({ rule }) => rule !== 'loop');
  return (variable) => held.some(({ name }) => name === variable || variable.startsWith(`${name}.`));
}

/** The variables that an answer decided. */
function decidedBy({ owners }: SessionState, question: AskedCheckpoint): readonly string[] {
  return Object.entries(owners).flatMap(([name, owner]) => (isOfCheckpoint(owner, question) ? [name] : []));
}

/**
 * Returns the variables that decide in an activity whether a question is asked: those that its checkpoint, its steps
 * and their loops read.
 */
function readByQuestion(
  { gates, steps, loops }: ActivityPlan,
  { checkpoint }: AskedCheckpoint,
): readonly string[] {
  const stops = (one: { readonly checkpoint?: string }): boolean => one.checkpoint === checkpoint;
  const around = loops.filter((loop) => loop.steps.some(stops));
  return [
    ...gates.filter(({ id }) => id === checkpoint),
    ...around,
    ...around.map(({ breakCondition: condition }) => ({ condition })),
    ...[...steps, ...around.flatMap((loop) => loop.steps)]
      .filter(stops)
      .flatMap((step) => step.conditions.map((condition) => ({ condition }))),
  ]
    .flatMap(({ condition }) => (condition === undefined ? [] : [...variablesOf(condition)]))
    .concat(around.flatMap(({ over = [] }) => over));
}

function frozenGuards(
  state: SessionState,
  navigator: Navigator,
  { move, asking }: Omit<AgentWrite, 'values'>,
  isAllowed: (name: string) => boolean,
): readonly Guard[] {
  const { frozen, current } = state;
  return frozen
    .filter(({ checkpoint, activity }) => checkpoint !== asking?.checkpoint || activity !== asking.activity)
    .flatMap((one) => {
      const { checkpoint, activity, variables, opened } = one;
      const isLeaving = opened !== undefined && opened === current && move !== undefined;
      const isStaying = isLeaving && staysIn(one, state, { navigator, move });
      // A loop of the asking activity always leads back to it, but does not ask again before it ends.
      const isInItsLoop = isStaying && move.loops?.some((loop) => loop.activity === activity) === true;
      const back = isLeaving && !isInItsLoop ? returnTo(one, state, { navigator, move }) : undefined;
      // The question comes again, and shows the new values, before what it approved is done again.
      if (back === 'asked' && !isStaying) return [];
      // The activity that the answer opened often sets variables that were unset before, and the next one needs them.
      const isUnset = (name: string): boolean => isSame(lookUp(state.variables, name), null);
      return variables
        .filter((name) => !(isLeaving && (isAllowed(name) || (back === undefined && isUnset(name)))))
        .map((name): Guard => ({ name, rule: 'frozen', checkpoint, activity }));
    });
}

/** A frozen variable that values would change, and the question that showed it. */
export function changeOfShown(
  { frozen, variables: before }: Pick<SessionState, 'frozen' | 'variables'>,
  values: Values,
  counts: (question: AskedCheckpoint) => boolean,
): (AskedCheckpoint & { readonly name: string }) | undefined {
  const after = { ...before, ...values };
  for (const { variables, ...question } of frozen) {
    const name = variables.find((one) => isChanged(one, values, { before, after }));
    if (name !== undefined && counts(question)) return { ...question, name };
  }
  return undefined;
}

/** Returns whether a name, or a variable named like a path into it, has a different value after a write. */
function isChanged(
  name: string,
  values: Values,
  { before, after }: { readonly before: Context; readonly after: Context },
): boolean {
  const paths = [name, ...Object.keys(values).filter((key) => key.startsWith(`${name}.`))];
  return paths.some((path) => !isSame(lookUp(before, path), lookUp(after, path)));
}

/** `null` unsets a variable. */
function isSame(one: unknown, other: unknown): boolean {
  const [left, right] = [one ?? null, other ?? null] as readonly Json[];
  return left === right || canonicalJson(left) === canonicalJson(right);
}

function refusalOf(
  guard: Guard,
  all: readonly Guard[],
  at: { readonly state: SessionState; readonly navigator: Navigator },
): Refusal {
  const { name, rule, checkpoint, activity, sid, setBy, loop } = guard;
  return refuse('VARIABLE_PROTECTED', `${whyProtected(guard)} ${howToChange(guard, at)}`, {
    variable: name,
    variables: [...new Set(all.map((one) => one.name))],
    rule,
    ...(isNotAskedAgain(guard, at) ? { reason: 'not-asked-again' } : {}),
    ...(checkpoint === undefined ? {} : { checkpoint_id: checkpoint }),
    ...(activity === undefined ? {} : { activity_id: activity }),
    ...(loop === undefined ? {} : { loop }),
    ...(sid === undefined ? {} : { session_id: sid }),
    ...(setBy === undefined ? {} : { set_by: setBy }),
  }).refusal;
}

function whyProtected(guard: Guard): string {
  const { name, rule, checkpoint = '', activity = '', left, sid, setBy = [] } = guard;
  switch (rule) {
    case 'loop':
      return whyHeld(guard);
    case 'owned': {
      const where = sid === undefined ? `in '${activity}'` : `of the parent session ${sid}`;
      return left === true
        ? `Variable '${name}' is set by an option of checkpoint '${checkpoint}' ${where}, and another option was chosen, so an agent can't change it.`
        : `The answer to checkpoint '${checkpoint}' ${where} set variable '${name}', so an agent can't change it.`;
    }
    case 'frozen':
      return `Checkpoint '${checkpoint}' in '${activity}' showed variable '${name}' when it was answered, so an agent can't change it yet.`;
    case 'reserved':
      return `The workflow says that variable '${name}' is set by ${setBy.join(', ')}, so an agent can't set it here.`;
  }
}

function whyHeld({ name, loop = '', activity, grows }: Guard): string {
  const which = activity === undefined ? `'${loop}'` : `'${loop}' of '${activity}'`;
  switch (grows) {
    case 'list':
      return `Loop ${which} runs over '${name}', so an agent can't take items out of it or replace them until the loop is left.`;
    case 'count':
      return `Loop ${which} runs as often as '${name}' says, so an agent can't lower it until the loop is left.`;
    default:
      return `Variable '${name}' holds the item of loop ${which}, so an agent can't change it until the loop is left.`;
  }
}

function howToChange(
  guard: Guard,
  at: { readonly state: SessionState; readonly navigator: Navigator },
): string {
  const { rule, checkpoint = '', activity = '', sid, grows } = guard;
  if (grows === 'list') return 'Leave it out of this call, or add to the end of it.';
  if (grows === 'count') return 'Leave it out of this call, or give a higher number.';
  if (rule === 'loop') return 'Leave it out of this call.';
  if (rule === 'reserved') return 'Leave it out of this call.';
  if (sid !== undefined) return 'Leave it out of this call, and ask the checkpoint again in that session.';
  const isHere = activity === at.state.current;
  if (!isHere && !mayEnter(activity, at)) {
    const until =
      rule === 'frozen'
        ? 'An agent can set it once the session has left the activity that the answer opened and can no longer come back to it.'
        : 'It keeps its value in this session.';
    return `Leave it out of this call. The session can't return to '${activity}', so the checkpoint can't be asked again. ${until}${authorsRemedy(guard, at.state)}`;
  }
  if (isNotAskedAgain(guard, at)) {
    const reason = `Leave it out of this call. A variable that no agent can set can keep checkpoint '${checkpoint}' from being asked again.`;
    return `${reason}${authorsRemedy(guard, at.state)}`;
  }
  const ask = isHere
    ? `yield checkpoint '${checkpoint}' again`
    : `enter '${activity}' and ask checkpoint '${checkpoint}' again`;
  const how = rule === 'frozen' ? `${ask} with the new value in 'variables'` : ask;
  return `Leave it out of this call. To have another value approved, ${how}: the new answer counts from then on.`;
}

/**
 * Returns whether something that no agent controls can keep a question from being asked again: its condition or, in a
 * strict session, a condition on the transitions to it.
 */
function isNotAskedAgain(
  { checkpoint, activity, sid }: Guard,
  { state, navigator }: { readonly state: SessionState; readonly navigator: Navigator },
): boolean {
  if (checkpoint === undefined || activity === undefined || sid !== undefined) return false;
  const { enforcement, current, skipped } = state;
  const isFixed = fixedAt(activity, state, navigator);
  const { gates, context } = navigator.place(activity, state);
  const { condition } = gates.find(({ id }) => id === checkpoint) ?? {};
  if (condition !== undefined && !evaluate(condition, context) && [...variablesOf(condition)].some(isFixed))
    return true;
  if (enforcement === 'advisory' || current === undefined || current === activity) return false;
  return skipped.includes(activity) || navigator.readOnWayBack(current, current, activity).some(isFixed);
}

/** Describes how the author of the workflow can allow agents to set a variable that a question showed. */
function authorsRemedy(
  { name, rule, checkpoint, activity }: Guard,
  { frozen, current }: SessionState,
): string {
  const isOpened = frozen.some(
    (one) => one.checkpoint === checkpoint && one.activity === activity && one.opened === current,
  );
  if (rule !== 'frozen' || current === undefined || !isOpened || name.includes('.')) return '';
  const here = stepOf(current);
  return ` If agents should set '${name}' when they leave '${here}', the author of the workflow can name '${here}' in its set_by.`;
}

/**
 * Returns whether an agent can return to an activity. A strict session only follows transitions and repeats no round of
 * a step.
 */
function mayEnter(
  activity: string,
  {
    state: { enforcement, current },
    navigator,
  }: { readonly state: SessionState; readonly navigator: Navigator },
): boolean {
  if (enforcement === 'advisory' || current === undefined) return true;
  return stepOf(activity) === activity && navigator.leadsTo(current, activity);
}
