import { describeCondition, parseCondition } from '@workflowlookup/conditions';
import { defined, reservedTargets, unlessEmpty } from '@workflowlookup/schema';
import { transitionTexts, messages } from '../messages/sessions.ts';
import type {
  Frontier,
  CheckpointPolicy,
  Mode,
  CandidateTransition,
  Navigator,
  ActivityPlan,
  SessionCheckpoint,
  SessionPosition,
  IllegalTransition,
} from '../navigation/navigator.ts';
import type { SessionCommand } from './command.ts';
import { listsBefore } from './outputs/loop-iterations.ts';
import type { StepAccount } from './outputs/step-account.ts';
import { accountForSteps, allSteps, stepNamed, valuesOfFields } from './outputs/step-account.ts';
import type { Judging } from './open-checkpoints.ts';
import { isDecidedByPerson, isPersons, namedByPerson, openCheckpoints } from './open-checkpoints.ts';
import { guardedNames, withoutEchoes } from './ownership.ts';
import type { SessionState, StateBefore, Values } from './session-state.ts';
import { activeModes, assign, ownValue, rootOf, withModeDefaults } from './session-state.ts';

/** Asks a session to move on. */
export type MoveCommand = Extract<SessionCommand, { kind: 'move' }>;

/** A move under consideration. */
export interface EvaluatedMove {
  readonly state: SessionState;
  readonly command: MoveCommand;
  readonly navigator: Navigator;
  /** Which checkpoints need a person. */
  readonly gates: CheckpointPolicy;
  readonly work: EvaluatedWork | undefined;
  /**
   * The values set before the next activity is entered: by the caller, by steps, by exit actions and by activated
   * modes.
   */
  readonly values: Values;
  /** The names among them that actions of the definition set. */
  readonly acted: ReadonlySet<string>;
  /** The session, with the names that no mode may fill in this call. */
  readonly before: StateBefore;
  /** The position of the session with these values. */
  readonly here: SessionPosition;
  readonly ahead: Frontier;
  readonly transitions: readonly LegalTransition[];
}

/** The activity that a move leaves, the steps that its manifest accounts for, and the checkpoints that are open then. */
export interface EvaluatedWork {
  readonly place: ActivityPlan;
  readonly account: StepAccount;
  readonly openCheckpoints: readonly SessionCheckpoint[];
}

/** Evaluates a move: applies the caller's values, accounts for the steps done, then computes the transitions. */
export function evaluateMove(
  state: SessionState,
  command: MoveCommand,
  navigator: Navigator,
  gates: CheckpointPolicy = 'declared',
): EvaluatedMove {
  const before = { ...state, guarded: navigator.modes.length === 0 ? [] : guardedNames(state, navigator) };
  const given = withModeDefaults(navigator, before, command.variables ?? {});
  const work = workOf(state, command, navigator, given, gates);
  const done = withModeDefaults(navigator, before, { ...given, ...work?.account.values });
  const left = state.current === undefined ? [] : navigator.sets(state.current, 'exit');
  const leaving = assign(left, { ...state.variables, ...done });
  const values = withModeDefaults(navigator, before, { ...done, ...leaving });
  const acted = new Set([...(work?.account.acted ?? []), ...Object.keys(leaving)]);
  const here = sessionPosition(state, navigator, values, { acted, gates });
  const ahead = navigator.ahead(here);
  const transitions = legalTransitions(navigator, here, ahead, state.expected);
  return { state, command, navigator, gates, work, values, acted, before, here, ahead, transitions };
}

function workOf(
  state: SessionState,
  { manifest, asksAll }: MoveCommand,
  navigator: Navigator,
  given: Values,
  gates: CheckpointPolicy,
): EvaluatedWork | undefined {
  if (state.current === undefined) return undefined;
  const planned = navigator.place(state.current, sessionPosition(state, navigator, given));
  const written = writtenIn(state, navigator, planned, manifest);
  const place = withListsOf(planned, state, navigator, Object.assign({}, given, ...written) as Values);
  const account = accountForSteps(place, manifest, asksAll === true ? 'human' : gates, written);
  return { place, account, openCheckpoints: openCheckpoints(state, place, account) };
}

/** Returns the values that the fields of each output of a manifest set. An agent may repeat protected values. */
function writtenIn(
  state: SessionState,
  navigator: Navigator,
  planned: ActivityPlan,
  manifest: MoveCommand['manifest'] = [],
): readonly Values[] {
  if (manifest.length === 0 || allSteps(planned).every(({ fills }) => fills === undefined)) return [];
  return manifest.map(({ step_id: id, output }) => {
    const { step } = stepNamed(planned, id) ?? {};
    return step === undefined ? {} : withoutEchoes(state, navigator, valuesOfFields(step, output));
  });
}

/** Returns an activity of a session as the given values make it. */
export function planActivityWith(
  state: SessionState,
  navigator: Navigator,
  activity: string,
  given: Values,
): ActivityPlan {
  const place = navigator.place(activity, sessionPosition(state, navigator, given));
  return withListsOf(place, state, navigator, given);
}

/** Adds the lists of its loops to an activity. `given` has the values of the call, those of fields step after step. */
function withListsOf(
  place: ActivityPlan,
  state: SessionState,
  navigator: Navigator,
  given: Values,
): ActivityPlan {
  if (place.loops.length === 0) return place;
  const lists = listsBefore(place, { before: state.variables, given });
  // Setting the list of a loop means that there is work to do.
  const set = new Set([...state.assigned, ...Object.keys(given)]);
  const unset = place.loops.flatMap(({ over }) =>
    over === undefined || set.has(rootOf(over)) ? [] : [over],
  );
  return {
    ...place,
    ...(Object.keys(lists).length > 0 && { lists }),
    ...(navigator.enforcement !== 'strict' && defined({ examples: unlessEmpty(unset) })),
  };
}

/** Returns the unset variables that could still open a transition. */
export function undecidedOf({ moves }: Frontier): readonly string[] {
  return [...new Set(moves.flatMap(({ undecided }) => undecided))];
}

/** The target of a move: an activity, or the end. */
export type Target = ActivityTarget | { readonly kind: 'end' };

/** An activity a session is to move to. */
export interface ActivityTarget {
  readonly kind: 'activity';
  readonly id: string;
}

/** A legal transition: its target after skipped activities were passed over, and the move it begins with. */
export interface LegalTransition {
  readonly target: Target;
  /** Absent if the answer to a checkpoint leads there. */
  readonly move?: CandidateTransition;
  /** The last move of a loop by which skipped activities were passed over. */
  readonly through?: CandidateTransition;
}

/** Returns the target that a word names. An unknown activity keeps the word as its id. */
export function targetOf(navigator: Navigator, word: string, at: SessionPosition): Target {
  const id = navigator.find(word, at);
  if (id === undefined && reservedTargets.includes(word)) return { kind: 'end' };
  return { kind: 'activity', id: id ?? word };
}

/** Returns a word that means the end in this workflow, or `undefined` if it has activities with all of these names. */
export function endKeyword(navigator: Navigator, at: SessionPosition): string | undefined {
  return reservedTargets.find((word) => targetOf(navigator, word, at).kind === 'end');
}

/**
 * Returns the legal transitions in the order in which they are tried. If the answer to a checkpoint expects an
 * activity, that is the only one.
 */
export function legalTransitions(
  navigator: Navigator,
  at: SessionPosition,
  { moves }: Frontier,
  expected?: string,
): readonly LegalTransition[] {
  if (expected !== undefined) return [passOver(navigator, { target: targetOf(navigator, expected, at) }, at)];
  return moves
    .filter(({ holds }) => holds)
    .map((move) => ({
      ...passOver(navigator, { target: targetOf(navigator, move.target, at), move }, at),
      move,
    }));
}

export function sameTarget(one: Target, other: Target): boolean {
  return one.kind === 'activity' ? other.kind === 'activity' && one.id === other.id : other.kind === 'end';
}

/**
 * Follows the transitions of a skipped activity. If none is left, or they lead in a circle, the target is the end. An
 * activity that must be entered all the same is the target itself.
 */
function passOver(
  navigator: Navigator,
  { target, move: first }: Pick<LegalTransition, 'target' | 'move'>,
  at: SessionPosition,
): Pick<LegalTransition, 'target' | 'through'> {
  const passed = new Set<string>();
  let here = target;
  let taken = first;
  let from = at;
  let through: Pick<LegalTransition, 'through'> = {};
  while (here.kind === 'activity' && at.skipped.has(here.id)) {
    const { id } = here;
    const loops = navigator.loopsAfter(from, id, taken);
    from = { ...from, current: id, ...defined({ loops }) };
    const move = passed.has(id) ? undefined : navigator.past(id, from).find(({ holds }) => holds);
    if (move === undefined)
      return { target: at.needed?.has(id) === true ? here : { kind: 'end' }, ...through };
    if (move.from !== undefined) through = { through: move };
    passed.add(id);
    taken = move;
    here = targetOf(navigator, move.target, at);
  }
  return { target: here, ...through };
}

/** Describes moves for people, each description once. */
export function describeMoves(moves: readonly CandidateTransition[]): string {
  if (moves.length === 0) return transitionTexts.nothing();
  const byTarget = new Map<string, CandidateTransition>();
  for (const move of moves) {
    const key = `${move.target} ${move.when}`;
    if (!byTarget.has(key)) byTarget.set(key, move);
  }
  return [...byTarget.values()].map((move) => transitionTexts.to(move.target, reasonOf(move))).join(', ');
}

function describeTransitions(transitions: readonly LegalTransition[]): string {
  if (transitions.length === 0) return transitionTexts.end();
  return transitions
    .map((transition) => transitionTexts.to(nameOf(transition.target), whyOf(transition)))
    .join(', ');
}

/** Describes why a move is possible, with the decision or loop it comes from. */
function reasonOf({ when, by }: CandidateTransition): string {
  return transitionTexts.by(by, when);
}

function nameOf(target: Target): string {
  return target.kind === 'end' ? transitionTexts.end() : target.id;
}

function whyOf({ target, move }: LegalTransition): string {
  if (move === undefined) return transitionTexts.answered();
  const isDirect = target.kind === 'end' || target.id === move.target;
  return isDirect ? reasonOf(move) : transitionTexts.past(reasonOf(move), move.target);
}

/** The inputs of `sessionPosition` besides the session. */
export interface SessionPositionOptions {
  /** Names among the values that actions of the definition set. */
  readonly acted?: ReadonlySet<string>;
  /** Which checkpoints need a person. The policy that the session was started with counts as well. */
  readonly gates?: CheckpointPolicy;
}

/** Returns the position of a session with its variables as they would be after these values. */
export function sessionPosition(
  state: SessionState,
  navigator: Navigator,
  values: SessionState['variables'] = {},
  { acted, gates = 'declared' }: SessionPositionOptions = {},
): SessionPosition {
  const { current, completed, visits, loops } = state;
  const variables = { ...state.variables, ...values };
  const policy = state.policy?.gates === 'human' ? 'human' : gates;
  const at = { navigator, gates: policy };
  const named = namedByPerson(state, at);
  const modes = activeModes(navigator, variables);
  const turnedOn = modes.map((mode) => ({ ...mode, by: turnedOnBy(mode, state, values, acted, at) }));
  const skippedBy = (...by: readonly TurnedOnBy[]): readonly string[] =>
    turnedOn.filter((mode) => by.includes(mode.by)).flatMap(({ skipActivities }) => skipActivities);
  const chosen = new Set([
    ...keptSkips(state, named, at),
    ...skippedBy('workflow', 'person'),
    // An agent's answer does not skip the activity that a person named as the next.
    ...skippedBy('answer').filter((id) => id !== named),
  ]);
  // A mode that an agent activated does not remove a checkpoint that needs a person, nor anything that decides whether
  // it is asked.
  const waived = skippedBy('agent').filter(
    (id) =>
      !chosen.has(id) &&
      id !== named &&
      navigator.personsCheckpoint(id, policy) === undefined &&
      !navigator.sendsToPerson(id, policy),
  );
  const skipped = new Set([...chosen, ...waived]);
  // Only a person can choose to end the session before such a checkpoint.
  const personsSkips = new Set([...skippedBy('person'), ...skipsOfPersons(state, at)]);
  const isNeeded = (id: string): boolean =>
    !personsSkips.has(id) &&
    navigator.passedBy({ current: id, completed, to: undefined, skipped }, policy) !== undefined;
  const needed = new Set([...skipped].filter(isNeeded));
  return {
    current,
    completed,
    visits,
    variables,
    gates: policy,
    skipped,
    ...defined({ loops }),
    ...(needed.size > 0 && { needed }),
  };
}

/** The activities that answers skipped, without the one that a person named as the next if only agents skipped it. */
function keptSkips(state: SessionState, named: string | undefined, at: Judging): readonly string[] {
  const { skipped } = state;
  if (named === undefined || skipsOfPersons(state, at).includes(named)) return skipped;
  return skipped.filter((id) => id !== named);
}

/** The activities that persons' answers skipped. An older version did not record whose answer skipped one. */
function skipsOfPersons(state: SessionState, at: Judging): readonly string[] {
  const { skipped, skippedBy } = state;
  if (skippedBy === undefined) return skipped;
  return skippedBy.flatMap((one) => (isPersons(state, one, at) ? one.activities : []));
}

/** `answer`: one to a checkpoint that does not need a person. `agent`: an agent's write. */
type TurnedOnBy = 'workflow' | 'person' | 'answer' | 'agent';

function turnedOnBy(
  { variable }: Mode,
  state: SessionState,
  values: Values,
  acted: ReadonlySet<string> | undefined,
  at: Judging,
): TurnedOnBy {
  const { origins, owners } = state;
  for (const name of [variable, rootOf(variable)]) {
    if (acted?.has(name) === true) return 'workflow';
    // An agent that `set_by` allows may have overwritten the value that an answer set.
    if (Object.hasOwn(values, name)) return 'agent';
    const by = ownValue(origins, name)?.by;
    if (by === 'agent') return 'agent';
    if (by === 'default' || by === 'action') return 'workflow';
    const owner = ownValue(owners, name);
    if (owner !== undefined && owner.left !== true)
      return isDecidedByPerson(state, owner, at) ? 'person' : 'answer';
    if (by !== undefined) return by === 'checkpoint' ? 'answer' : 'agent';
  }
  return 'agent';
}

export function problemsOfTarget(prospect: EvaluatedMove, target: Target): readonly string[] {
  return target.kind === 'end' ? problemsOfEnd(prospect) : problemsOfActivity(prospect, target.id);
}

function problemsOfEnd(prospect: EvaluatedMove): readonly string[] {
  const { state, transitions } = prospect;
  const isLegal = transitions.length === 0 || transitions.some(({ target }) => target.kind === 'end');
  return [
    ...(isLegal ? [] : [messages.continuesInstead(state.current, describeTransitions(transitions))]),
    ...undecidedEnd(prospect),
    ...describeUnvisited(prospect),
  ];
}

/** Required activities that were neither visited nor skipped. */
function unvisitedRequired({ here, navigator }: EvaluatedMove): readonly string[] {
  const visited = new Set([...here.completed, here.current, ...here.skipped]);
  return navigator.required.filter((id) => !visited.has(id));
}

function describeUnvisited(prospect: EvaluatedMove): readonly string[] {
  const unvisited = unvisitedRequired(prospect);
  return unvisited.length === 0 ? [] : [messages.notVisited(unvisited)];
}

/** Describes why the end is not legal yet although nothing else is left, and which calls help. */
export function describeEarlyEnd(prospect: EvaluatedMove): string | undefined {
  const { transitions, ahead } = prospect;
  if (transitions.some(({ target }) => target.kind === 'activity')) return undefined;
  const why = whyNoEnd(prospect);
  return why && `${why} ${messages.possible(describeMoves(ahead.moves))}`;
}

/** Why the end is not legal: required activities, or a checkpoint that needs a person. */
export function whyNoEnd(prospect: EvaluatedMove): string | undefined {
  const [unvisited] = describeUnvisited(prospect);
  const passed = passedAtClosedEnd(prospect, { kind: 'end' });
  return unvisited ?? (passed && describePassed(passed));
}

/** A checkpoint that needs a person and that a move could pass by, with its activity. */
export interface Passed {
  readonly activity: string;
  readonly checkpoint: string;
  /** The activity without a possible transition, at which the session would end. */
  readonly closedAt?: string;
  /** The answer to the checkpoint names another activity as the next. */
  readonly isAnswered?: true;
}

/** The checkpoint at which a person named the next activity, if a move goes elsewhere. */
export function personOverruled(prospect: EvaluatedMove, target: Target): Passed | undefined {
  const { state, navigator, here, transitions } = prospect;
  const asked = state.expectedBy;
  const named = namedByPerson(state, prospect);
  // A definition may name an activity that it does not have.
  if (asked === undefined || named === undefined || navigator.find(named, here) === undefined)
    return undefined;
  if (transitions.some((transition) => sameTarget(transition.target, target))) return undefined;
  return { activity: asked.activity, checkpoint: asked.checkpoint, isAnswered: true };
}

/** Returns the checkpoint that needs a person and that a move without a legal transition could bypass. */
export function personPassed(prospect: EvaluatedMove, target: Target): Passed | undefined {
  const { current, completed } = prospect.state;
  return passedWith(prospect, { current, completed, to: target.kind === 'end' ? undefined : target.id });
}

/**
 * Returns the checkpoint that needs a person and that a session could bypass by ending without a transition, because a
 * loop has no iterations left for its activity.
 */
export function passedAtClosedEnd(prospect: EvaluatedMove, target: Target): Passed | undefined {
  const { state, transitions, ahead, here } = prospect;
  const { closedAt } = ahead;
  if (target.kind !== 'end' || transitions.length > 0 || closedAt === undefined) return undefined;
  const { completed } = state;
  const passed = passedWith(prospect, { current: closedAt, completed, to: undefined, skipped: here.skipped });
  return passed && { ...passed, closedAt };
}

function passedWith(prospect: EvaluatedMove, stray: IllegalTransition): Passed | undefined {
  const { navigator, gates } = prospect;
  const isPersonsCheckpoint = (id: string): boolean => navigator.personsCheckpoint(id, gates) !== undefined;
  const required = stray.to === undefined ? unvisitedRequired(prospect).find(isPersonsCheckpoint) : undefined;
  const activity = navigator.passedBy(stray, gates) ?? required;
  return activity === undefined
    ? undefined
    : { activity, checkpoint: navigator.personsCheckpoint(activity, gates) ?? '' };
}

/** Describes that a move could bypass a checkpoint or undo its answer, and what helps. */
export function describePassed({ activity, checkpoint, closedAt, isAnswered }: Passed): string {
  if (isAnswered === true) return messages.personChoseNext(checkpoint, activity);
  if (closedAt === undefined) return messages.bypass(checkpoint, activity);
  return messages.bypassAtClosedEnd(checkpoint, activity, closedAt);
}

/**
 * The end of a session can't be undone, so an end that is reached only because a variable is unset must be requested by
 * name.
 */
function undecidedEnd({ command, transitions, ahead }: EvaluatedMove): readonly string[] {
  const names = undecidedOf(ahead);
  if (command.activityId !== undefined || transitions.length > 0 || names.length === 0) return [];
  return [messages.transitionUndecided(names)];
}

/** Describes which moves are legal after a refusal, or what would make one legal. */
export function describeLegal(prospect: EvaluatedMove, needsEvidence: boolean): string | undefined {
  const { transitions, ahead } = prospect;
  const undecided = transitions.length > 0 ? [] : undecidedOf(ahead);
  const end: Target = { kind: 'end' };
  const mayEnd = !isUndecidedEnd(prospect, end) || personPassed(prospect, end) === undefined;
  const isEndLegal = mayEnd && ahead.obstacle === undefined && whyNoEnd(prospect) === undefined;
  if (undecided.length > 0) {
    return messages.possibleWith(describeMoves(ahead.moves), undecided, isEndLegal);
  }
  const legal = transitions.filter(({ target }) => target.kind === 'activity' || isEndLegal);
  if (legal.length > 0 || (transitions.length === 0 && isEndLegal)) {
    const words = describeTransitions(legal);
    return needsEvidence ? messages.legalWithEvidence(words) : messages.legal(words);
  }
  return ahead.moves.length === 0 ? undefined : messages.possible(describeMoves(ahead.moves));
}

/** Returns whether the end is legal only because variables that could open a transition are unset. */
export function isUndecidedEnd({ transitions, ahead }: EvaluatedMove, target: Target): boolean {
  return target.kind === 'end' && transitions.length === 0 && undecidedOf(ahead).length > 0;
}

function problemsOfActivity(prospect: EvaluatedMove, id: string): readonly string[] {
  const { state, here, transitions, ahead } = prospect;
  if (transitions.some(({ target }) => sameTarget(target, { kind: 'activity', id }))) return [];
  if (state.expected !== undefined) {
    return [messages.answerLeadsElsewhere(describeTransitions(transitions), id)];
  }
  if (here.skipped.has(id)) return [messages.activitySkipped(id)];
  const offered = ahead.moves.filter(({ target }) => target === id);
  const before = offered.find((move) => move.before !== undefined)?.before;
  if (before !== undefined) {
    return [messages.iterationsLeft(before.loop ?? '', before.activity, id)];
  }
  if (offered.length > 0) {
    return [messages.conditionFalse(id, offered.map(reasonOf))];
  }
  return [messages.noTransition(id, state.current, describeMoves(ahead.moves))];
}

/**
 * Returns a warning if the condition that the caller names differs from those of the transitions to the target. It
 * never refuses the move.
 */
export function doubtedCondition(
  { command: { condition = '' }, ahead: { moves } }: EvaluatedMove,
  target: Target,
): readonly string[] {
  if (condition.trim() === '' || target.kind === 'end') return [];
  const offered = moves.filter((move) => move.target === target.id);
  const legal = offered.filter(({ holds }) => holds);
  const written = legal.length > 0 ? legal : offered;
  if (written.length === 0 || written.some((move) => isSaidBy(condition, move))) return [];
  return [messages.otherCondition(target.id, written.map(reasonOf), condition)];
}

function isSaidBy(claimed: string, { when }: CandidateTransition): boolean {
  const parsed = parseCondition(claimed);
  if (parsed.ok && describeCondition(parsed.condition) === when) return true;
  return claimed.replaceAll(/\s/g, '').toLowerCase() === when.replaceAll(/\s/g, '').toLowerCase();
}
