import { describeCondition, parseCondition } from '@workflowlookup/conditions';
import type { CandidateTransition, IllegalTransition } from '../navigation/navigator.ts';
import { targetNamedBy } from './evolve.ts';
import { namedByPerson } from './open-checkpoints.ts';
import type { EvaluatedMove, Target } from './evaluate-move.ts';
import { describeMoves, describeTransitions, reasonOf, sameTarget, undecidedOf } from './evaluate-move.ts';
import { messages } from '../messages/sessions.ts';

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
  /** The activity from which nothing leads on, so that the session would end. */
  readonly closedAt?: string;
  /** The answer to the checkpoint names another activity as the next. */
  readonly isAnswered?: true;
}

/** The checkpoint at which a person named the next activity, if a move goes elsewhere. */
export function personOverruled(prospect: EvaluatedMove, target: Target): Passed | undefined {
  const { state, navigator, here, transitions } = prospect;
  const asked = targetNamedBy(state);
  const named = namedByPerson(state, prospect);
  // A definition may name an activity that it does not have.
  if (asked === undefined || named === undefined || navigator.find(named, here) === undefined)
    return undefined;
  if (transitions.some((way) => sameTarget(way.target, target))) return undefined;
  return { activity: asked.activity, checkpoint: asked.checkpoint, isAnswered: true };
}

/** Returns the checkpoint that needs a person and that a move without a legal transition could bypass. */
export function personPassed(prospect: EvaluatedMove, target: Target): Passed | undefined {
  const { current, completed } = prospect.state;
  return passedWith(prospect, { current, completed, to: target.kind === 'end' ? undefined : target.id });
}

/**
 * Returns the checkpoint that needs a person and that a session could bypass by ending without a transition, because a
 * loop has no rounds left for its activity.
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
  const isPersons = (id: string): boolean => navigator.personsCheckpoint(id, gates) !== undefined;
  const required = stray.to === undefined ? unvisitedRequired(prospect).find(isPersons) : undefined;
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
export function describeLegal(
  prospect: EvaluatedMove,
  { needsEvidence }: { readonly needsEvidence: boolean },
): string | undefined {
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
    return [messages.roundsLeft(before.loop ?? '', before.activity, id)];
  }
  if (offered.length > 0) {
    return [messages.conditionFalse(id, offered.map(reasonOf))];
  }
  return [messages.noTransition(id, state.current, describeMoves(ahead.moves))];
}

/** A condition the caller names is held against those their author wrote; it is never more than a doubt. */
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
