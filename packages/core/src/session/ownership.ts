import type { Context } from '@workflowlookup/conditions';
import { evaluate, lookUp, variablesOf } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import { canonicalJson, defined, unlessEmpty } from '@workflowlookup/schema';
import { stepIdOf, countIn } from '../navigation/next-step.ts';
import { rootOf, overlaps } from './session-state.ts';
import { accountForSteps, allSteps } from './outputs/step-account.ts';
import type { SessionEventOf } from './evolve.ts';
import { isOfCheckpoint, isSameCheckpoint } from './evolve.ts';
import { isKept as isListKept } from './outputs/loop-iterations.ts';
import type { Target } from './evaluate-move.ts';
import type {
  DeclaredVariable,
  Navigator,
  OpenLoop,
  ActivityPlan,
  SessionPosition,
} from '../navigation/navigator.ts';
import type { Judging } from './open-checkpoints.ts';
import { namesSetByAnswers, openCheckpoints } from './open-checkpoints.ts';
import type { Refusal } from './command.ts';
import { refuse } from './command.ts';
import type { RunningLoop, VariableOwner } from './session-event.ts';
import type { AskedCheckpoint, FrozenQuestion, SessionState, Values } from './session-state.ts';
import { protectedVariables, remedies } from '../messages/sessions.ts';

/** Why an agent may not write a variable; `left` and `sid` are those of its owner. */
interface Guard extends Partial<Omit<VariableOwner, 'approver'>>, Pick<DeclaredVariable, 'setBy'> {
  readonly name: string;
  /**
   * `owned`: an answer decided it. `reserved`: its declaration restricts who sets it. `frozen`: a question showed it.
   * `loop`: it is the list, the number of iterations or the item of a loop that the session is in.
   */
  readonly rule: 'owned' | 'reserved' | 'frozen' | 'loop';
  readonly loop?: string;
  /** The kind of variable the loop takes its iterations from, which may grow. */
  readonly grows?: OpenLoop['kind'];
}

/** A write of an agent under consideration. */
export interface AgentWrite {
  readonly values: Values;
  /** For a move: its target, and everything it sets. */
  readonly move?: MadeMove;
  /** For a yield: the checkpoint whose question shows the new values. */
  readonly asking?: AskedCheckpoint;
}

/** An agent's move: its target, and the values and loops over activities of the session after it. */
export interface MadeMove {
  readonly target: Target;
  readonly after: Values;
  readonly loops?: readonly RunningLoop[];
  /** An agent named the target, and no transition leads there. */
  readonly isStrayed: boolean;
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
 * Returns a refusal if the item of a loop would change what an answer decided, what only an answer may set, or what a
 * question outside of the loop showed. The list comes from an agent, so the item counts as its write. `values` has the
 * variable with the item, and those named like a path into it.
 */
export function refuseItem(
  state: SessionState,
  navigator: Navigator,
  values: Values,
  loop: OpenLoop,
  move: MadeMove,
): Refusal | undefined {
  const at = { before: state.variables, after: { ...state.variables, ...values } };
  const broken = guardsOf(state, navigator, { move })
    .filter((guard) => isChanged(guard.name, values, at))
    .filter((guard) => isHeldFromItem(guard, loop, { state, navigator, move }));
  const [first] = broken;
  if (first === undefined) return undefined;
  const remedy = remedies.renameItem(first.name, loop.loop, loop.activity);
  return refusalOf({ ...first, loop: loop.loop }, broken, { state, navigator, remedy });
}

/**
 * Returns whether a guard also holds for the item of a loop. The loop itself may change what it shows in each
 * iteration.
 */
function isHeldFromItem(
  { rule, name, activity = '' }: Guard,
  loop: OpenLoop,
  { state, navigator, move }: AfterMove,
): boolean {
  const isIt = (one: RunningLoop): boolean => one.activity === loop.activity && one.loop === loop.loop;
  switch (rule) {
    case 'loop':
      return false;
    case 'owned':
      return true;
    case 'reserved':
      return navigator.variables.some((one) => one.name === name && one.setIn?.length === 0);
    case 'frozen': {
      if (activity === loop.activity) return state.loops?.some(isIt) !== true;
      const there = { ...placeIn(state), current: activity, loops: move.loops ?? [] };
      // A move from an activity of the loop to the one that defines it stays in the loop.
      const isInside = navigator.loopsAfter(there, loop.activity ?? '', undefined)?.some(isIt) === true;
      const { around = [] } = navigator.place(activity, state);
      return !isInside && !around.some(({ variable }) => variable === rootOf(name));
    }
  }
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
  return refuse('INVALID_INPUT', protectedVariables.pathName(path, rootOf(path)), { variable: path });
}

const hasGrown: Readonly<Record<OpenLoop['kind'], (before: unknown, after: unknown) => boolean>> = {
  list: isListKept,
  count: (before, after) => (countIn(after) ?? -1) >= (countIn(before) ?? 0),
};

/** The values of a write without protected values that are unchanged, because an agent may repeat them. */
export function withoutEchoes(state: SessionState, navigator: Navigator, values: Values): Values {
  if (Object.keys(values).length === 0) return values;
  const guarded = guardedNames(state, navigator);
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

/** Names that a mode must not fill if an agent's answer to a checkpoint turns it on. */
export function reservedFromAnswer(
  { variables }: Pick<Navigator, 'variables'>,
  { checkpoint, activity }: AskedCheckpoint,
): ReadonlySet<string> {
  const isReserved = (one: DeclaredVariable): boolean =>
    ![checkpoint, 'checkpoint'].some((id) => one.setBy?.includes(id)) && !mayWrite(one, activity);
  return new Set(variables.filter(isReserved).map(({ name }) => name));
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
  return { ...state, current: state.current, skipped: new Set(state.skipped) };
}

/** Returns whether the declaration of a variable lets an agent write it in an activity. */
function mayWrite({ setBy, setIn = [] }: DeclaredVariable, current: string | undefined): boolean {
  if (setBy === undefined || setBy.includes('agent')) return true;
  return current !== undefined && (setIn.includes(current) || setIn.includes(stepIdOf(current)));
}

/**
 * Returns the questions that stay frozen after a move although the session leaves the activity that their answer opened:
 * those that it may return to without being asked again, and those whose loop it is still in.
 */
export function questionsAfter(
  state: SessionState,
  move: MadeMove,
  { navigator }: Pick<Judging, 'navigator'>,
): Pick<SessionEventOf<'activity-entered'>, 'kept'> {
  const after = { state, navigator, move };
  const kept = state.frozen.flatMap((one) => {
    const { checkpoint, activity, opened } = one;
    if (opened === undefined || opened !== state.current || !isKept(one, after)) return [];
    return [{ checkpoint, activity, opened: openedBy(one, after) ?? opened }];
  });
  return defined({ kept: unlessEmpty(kept) });
}

interface AfterMove {
  readonly state: SessionState;
  readonly navigator: Navigator;
  readonly move: MadeMove;
}

/**
 * Returns the activity that an answer opened. If another answer sent the session elsewhere first, it is the one that the
 * answer names, as long as the move leads there.
 */
function openedBy(
  { leadsTo, opened, openedFirst = opened }: FrozenQuestion,
  { navigator, move: { target } }: Pick<AfterMove, 'navigator' | 'move'>,
): string | undefined {
  const isAhead = leadsTo !== undefined && target.kind !== 'end' && navigator.leadsTo(target.id, leadsTo);
  return isAhead ? leadsTo : openedFirst;
}

/** Returns whether a question stays frozen after a move that leaves the activity that its answer opened. */
function isKept(question: FrozenQuestion, after: AfterMove): boolean {
  if (staysIn(question, after)) return true;
  const back = returnTo(question, after);
  return back === 'unasked' || isAwaited(question, after, back);
}

/** Returns whether the step after a question is still to be done once the session has left its current step. */
function isAwaited(
  question: FrozenQuestion,
  { state: { completed, current }, navigator }: Pick<AfterMove, 'state' | 'navigator'>,
  back: ReturnType<typeof returnTo>,
): boolean {
  const done = current === undefined ? completed : [...completed, current];
  const awaited = navigator.awaits(question, done);
  return awaited === 'same' || (awaited === 'outer' && back !== 'asked');
}

/**
 * Returns whether the work that an answer opened is unfinished after a move: the session stays in a loop of the
 * question's activity or of the opened one, or can return to the opened one without the question.
 */
function staysIn(question: FrozenQuestion, after: AfterMove): boolean {
  const { state, navigator, move } = after;
  const { activity: back } = question;
  const { target, loops = [] } = move;
  const first = openedBy(question, after);
  if (target.kind === 'end' || target.id === back || first === undefined) return false;
  if (loops.some(({ activity }) => activity === first)) return true;
  const isAway = target.id !== state.current && !navigator.leadsTo(target.id, back);
  // The iterations that its loops have left don't matter, because an agent may add to their lists.
  if (isAway && navigator.leadsTo(target.id, first)) return true;
  const running = navigator.loopsAt(placeIn(state)) ?? [];
  return running.some(
    ({ activity, loop }) =>
      activity === back && loops.some((one) => one.activity === back && one.loop === loop),
  );
}

/**
 * Returns how a session may come back to a question after a move: `asked` if the question is certainly asked again,
 * otherwise `unasked`. Returns `undefined` if the session can't come back.
 */
function returnTo(question: FrozenQuestion, made: AfterMove): 'asked' | 'unasked' | undefined {
  const { state, navigator, move } = made;
  const { activity: back } = question;
  const { target, after } = move;
  const first = openedBy(question, made) ?? back;
  if (target.kind === 'end') return undefined;
  // A session that enters its current activity again has not left it.
  if (target.id === state.current && target.id !== back) return 'unasked';
  if (!navigator.leadsTo(target.id, back)) return undefined;
  if (target.id === back && isDueAt(navigator.place(back, { variables: after }), question, state, navigator))
    return 'asked';
  const decided = decidedBy(state, question);
  const isDecided = (read: string): boolean => decided.some((name) => overlaps(read, name));
  const readBefore = navigator.readBeforeReturn(state.current, target.id, back);
  if (!navigator.asksAgain(question, target.id, first) || readBefore.some(isDecided)) return 'unasked';
  // A loop without iterations left asks no question, but it may still get items.
  return navigator.leadsTo(target.id, back, placeIn(state)) ? 'asked' : undefined;
}

/** Returns whether a session that enters the activity of a question must stop at it, and no agent can change that. */
function isDueAt(
  place: ActivityPlan,
  question: AskedCheckpoint,
  state: SessionState,
  navigator: Navigator,
): boolean {
  const others = place.checkpoints.filter(({ id }) => id !== question.checkpoint);
  const changed = withDefaultsOfModes(navigator, [
    ...allSteps(place).flatMap(({ sets }) => sets.map(({ name }) => name)),
    ...others.flatMap(namesSetByAnswers),
  ]);
  const isFixed = fixedAt(place.id, state, navigator);
  const stays = (read: string): boolean => isFixed(read) && !changed.some((name) => overlaps(name, read));
  return readByQuestion(place, question).every(stays) && isAskedAt(place, question);
}

/** Adds the variables that get a value when one of these turns a mode on. A default may turn on another mode. */
function withDefaultsOfModes({ modes }: Navigator, names: readonly string[]): readonly string[] {
  const all = new Set(names);
  for (const name of all) {
    for (const { variable, defaults } of modes) {
      if (overlaps(variable, name)) for (const filled of Object.keys(defaults)) all.add(filled);
    }
  }
  return [...all];
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
  { checkpoints, steps, loops }: ActivityPlan,
  { checkpoint }: AskedCheckpoint,
): readonly string[] {
  const stops = (one: { readonly checkpoint?: string }): boolean => one.checkpoint === checkpoint;
  const around = loops.filter((loop) => loop.steps.some(stops));
  return [
    ...checkpoints.filter(({ id }) => id === checkpoint),
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
    .filter((one) => asking === undefined || !isSameCheckpoint(one, asking))
    .flatMap((one) => {
      const { checkpoint, activity, variables, opened } = one;
      const isLeaving = opened !== undefined && opened === current && move !== undefined;
      const isStaying = isLeaving && staysIn(one, { state, navigator, move });
      // A loop of the asking activity always leads back to it, but does not ask again before it ends.
      const isInItsLoop = isStaying && move.loops?.some((loop) => loop.activity === activity) === true;
      const back = isLeaving && !isInItsLoop ? returnTo(one, { state, navigator, move }) : undefined;
      const isPending = isLeaving && isAwaited(one, { state, navigator }, back);
      // The question comes again, and shows the new values, before what it approved is done again.
      if (back === 'asked' && !isStaying && !isPending) return [];
      const isLast = isLeaving && back === undefined && !isPending && !move.isStrayed;
      // The activity that the answer opened often sets variables that were unset before, and the next one needs them.
      const isUnset = (name: string): boolean => isSame(lookUp(state.variables, name), null);
      return variables
        .filter((name) => !(isLeaving && isFreedBySetBy(one) && isAllowed(name)))
        .filter((name) => !(isLast && isUnset(name)))
        .map((name): Guard => ({ name, rule: 'frozen', checkpoint, activity }));
    });
}

/**
 * Returns whether `set_by` can free the frozen variables of a question when an agent leaves the activity in `opened`.
 * If the agent moved without a transition, this must be the activity that the answer opened first.
 */
function isFreedBySetBy({ opened, openedFirst = opened, strayed }: FrozenQuestion): boolean {
  return strayed !== true || openedFirst === opened;
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
  at: Pick<AfterMove, 'state' | 'navigator'> & { readonly remedy?: string },
): Refusal {
  const { name, rule, checkpoint, activity, sid, setBy, loop } = guard;
  const { remedy = howToChange(guard, at) } = at;
  return refuse('VARIABLE_PROTECTED', `${whyProtected(guard)} ${remedy}`, {
    variable: name,
    variables: [...new Set(all.map((one) => one.name))],
    rule,
    ...(isNotAskedAgain(guard, at) && { reason: 'not-asked-again' }),
    ...defined({ checkpoint_id: checkpoint, activity_id: activity, loop, session_id: sid, set_by: setBy }),
  });
}

function whyProtected(guard: Guard): string {
  const { name, rule, checkpoint = '', activity = '', left, sid, setBy = [], loop = '', grows } = guard;
  switch (rule) {
    case 'loop':
      if (grows === 'list') return protectedVariables.loopList(name, loop, guard.activity);
      if (grows === 'count') return protectedVariables.loopCount(name, loop, guard.activity);
      return protectedVariables.loopItem(name, loop, guard.activity);
    case 'owned':
      return left === true
        ? protectedVariables.otherOption(name, checkpoint, activity, sid)
        : protectedVariables.answerSet(name, checkpoint, activity, sid);
    case 'frozen':
      return protectedVariables.shown(name, checkpoint, activity);
    case 'reserved':
      return protectedVariables.reserved(name, setBy);
  }
}

function howToChange(guard: Guard, at: Pick<AfterMove, 'state' | 'navigator'>): string {
  const { rule, checkpoint = '', activity = '', sid, grows } = guard;
  if (grows === 'list') return remedies.addToEnd();
  if (grows === 'count') return remedies.giveMore();
  if (rule === 'loop' || rule === 'reserved') return remedies.leaveOut();
  if (sid !== undefined) return remedies.askInParent();
  const isHere = activity === at.state.current;
  if (!isHere && !mayEnter(activity, at))
    return remedies.notReached(activity, rule === 'frozen') + authorsRemedy(guard, at.state);
  if (isNotAskedAgain(guard, at)) return remedies.notAsked(checkpoint) + authorsRemedy(guard, at.state);
  return remedies.askAgain(checkpoint, isHere ? undefined : activity, rule === 'frozen');
}

/**
 * Returns whether something that agents can't change may keep a question from being asked again: its condition or, in a
 * strict session, a condition on the transitions to it.
 */
function isNotAskedAgain(
  { checkpoint, activity, sid }: Guard,
  { state, navigator }: Pick<AfterMove, 'state' | 'navigator'>,
): boolean {
  if (checkpoint === undefined || activity === undefined || sid !== undefined) return false;
  const { enforcement, current, skipped } = state;
  const isFixed = fixedAt(activity, state, navigator);
  const { checkpoints, context } = navigator.place(activity, state);
  const { condition } = checkpoints.find(({ id }) => id === checkpoint) ?? {};
  if (condition !== undefined && !evaluate(condition, context) && [...variablesOf(condition)].some(isFixed))
    return true;
  if (enforcement === 'advisory' || current === undefined || current === activity) return false;
  return skipped.includes(activity) || navigator.readBeforeReturn(current, current, activity).some(isFixed);
}

/** Describes how the author of the workflow can allow agents to set a variable that a question showed. */
function authorsRemedy(
  { name, rule, checkpoint, activity }: Guard,
  { frozen, current }: SessionState,
): string {
  const question = frozen.find(
    (one) => one.checkpoint === checkpoint && one.activity === activity && one.opened === current,
  );
  const { opened, openedFirst = opened } = question ?? {};
  if (rule !== 'frozen' || question === undefined || name.includes('.')) return '';
  const named = isFreedBySetBy(question) ? opened : openedFirst;
  return named === undefined ? '' : ` ${remedies.nameInSetBy(name, stepIdOf(named))}`;
}

/**
 * Returns whether an agent can return to an activity: along transitions, which repeat no iteration of a step, or
 * without one in an advisory session that bypasses nobody.
 */
function mayEnter(activity: string, { state, navigator }: Pick<AfterMove, 'state' | 'navigator'>): boolean {
  const { enforcement, current, completed } = state;
  if (current === undefined) return true;
  if (stepIdOf(activity) === activity && navigator.leadsTo(current, activity)) return true;
  const stray = { current, completed, to: activity };
  return (
    enforcement === 'advisory' && navigator.passedBy(stray, state.policy?.gates ?? 'declared') === undefined
  );
}
