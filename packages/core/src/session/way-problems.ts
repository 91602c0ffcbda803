import { describeCondition, parseCondition } from '@workflowlookup/conditions';
import type { Target } from './choose-target.ts';
import { describeMoves, describeWays, reasonOf, sameTarget } from './choose-target.ts';
import { wayGivenBy } from './evolve.ts';
import type { Move, Stray } from './navigator.ts';
import { namedByPerson } from './open-checkpoints.ts';
import type { Prospect } from './prospect.ts';
import { undecidedOf } from './prospect.ts';

/** What is wrong with the way a move takes. */
export function problemsOfWay(prospect: Prospect, target: Target): readonly string[] {
  return target.kind === 'end' ? problemsOfEnd(prospect) : problemsOfTarget(prospect, target.id);
}

function problemsOfEnd(prospect: Prospect): readonly string[] {
  const { state, ways } = prospect;
  const isLegal = ways.length === 0 || ways.some(({ target }) => target.kind === 'end');
  return [
    ...(isLegal
      ? []
      : [
          `The workflow does not end here: from ${state.current === undefined ? 'the start' : `'${state.current}'`} it continues with ${describeWays(ways)}.`,
        ]),
    ...undecidedEnd(prospect),
    ...describeUnvisited(prospect),
  ];
}

/** Required activities that were neither visited nor skipped. */
function unvisitedRequired({ here, navigator }: Prospect): readonly string[] {
  const visited = new Set([...here.completed, here.current, ...here.skipped]);
  return navigator.required.filter((id) => !visited.has(id));
}

function describeUnvisited(prospect: Prospect): readonly string[] {
  const unvisited = unvisitedRequired(prospect);
  return unvisited.length === 0 ? [] : [`Required activities were not visited: ${unvisited.join(', ')}.`];
}

/** Why the end, where it is all that is left, is not legal yet, and what leads elsewhere. */
export function describeEarlyEnd(prospect: Prospect): string | undefined {
  const { ways, ahead } = prospect;
  if (ways.some(({ target }) => target.kind === 'activity')) return undefined;
  const why = whyNoEnd(prospect);
  return why && `${why} From here there are: ${describeMoves(ahead.moves)}.`;
}

/** Why the end is not legal: required activities, or a checkpoint that needs a person. */
export function whyNoEnd(prospect: Prospect): string | undefined {
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
export function personOverruled(prospect: Prospect, target: Target): Passed | undefined {
  const { state, navigator, here, ways } = prospect;
  const asked = wayGivenBy(state);
  const named = namedByPerson(state, prospect);
  // A definition may name an activity that it does not have.
  if (asked === undefined || named === undefined || navigator.find(named, here) === undefined)
    return undefined;
  if (ways.some((way) => sameTarget(way.target, target))) return undefined;
  return { activity: asked.activity, checkpoint: asked.checkpoint, isAnswered: true };
}

/** The checkpoint that needs a person and that a move which no legal way leads to could pass by. */
export function personPassed(prospect: Prospect, target: Target): Passed | undefined {
  const { current, completed } = prospect.state;
  return passedWith(prospect, { current, completed, to: target.kind === 'end' ? undefined : target.id });
}

/**
 * The checkpoint that needs a person and that a session could pass by where it would end although no transition says so:
 * a loop has no rounds left for its activity.
 */
export function passedAtClosedEnd(prospect: Prospect, target: Target): Passed | undefined {
  const { state, ways, ahead, here } = prospect;
  const { closedAt } = ahead;
  if (target.kind !== 'end' || ways.length > 0 || closedAt === undefined) return undefined;
  const { completed } = state;
  const passed = passedWith(prospect, { current: closedAt, completed, to: undefined, skipped: here.skipped });
  return passed && { ...passed, closedAt };
}

function passedWith(prospect: Prospect, stray: Stray): Passed | undefined {
  const { navigator, gates } = prospect;
  const isPersons = (id: string): boolean => navigator.personsCheckpoint(id, gates) !== undefined;
  const required = stray.to === undefined ? unvisitedRequired(prospect).find(isPersons) : undefined;
  const activity = navigator.passedBy(stray, gates) ?? required;
  return activity === undefined
    ? undefined
    : { activity, checkpoint: navigator.personsCheckpoint(activity, gates) ?? '' };
}

/** Says of a checkpoint that a move could pass by it or undo its answer, and what would help. */
export function describePassed({ activity, checkpoint, closedAt, isAnswered }: Passed): string {
  if (isAnswered === true)
    return `A person gave that answer, at checkpoint '${checkpoint}' of '${activity}'. Go where it leads, or yield the checkpoint again: the new answer counts.`;
  const passed = `The move could pass by checkpoint '${checkpoint}' of '${activity}', which needs a person.`;
  if (closedAt === undefined) return passed;
  return `No transition is left: '${closedAt}' was entered more often than its loop has rounds. ${passed} An advisory session can continue at '${activity}'; a strict one can only be ended, with workflowlookup sessions abandon.`;
}

/** A session can't be taken back from its end: one that comes only because nobody set a variable has to be asked for. */
function undecidedEnd({ command, ways, ahead }: Prospect): readonly string[] {
  const names = undecidedOf(ahead);
  if (command.activityId !== undefined || ways.length > 0 || names.length === 0) return [];
  return [`No transition is open, and nobody set ${names.join(', ')}, which could open one.`];
}

/** Says which moves are legal after a refusal, and otherwise what would open one. */
export function describeLegal(prospect: Prospect): string | undefined {
  const { ways, ahead } = prospect;
  const undecided = ways.length > 0 ? [] : undecidedOf(ahead);
  const end: Target = { kind: 'end' };
  const mayEnd = !isUndecidedEnd(prospect, end) || personPassed(prospect, end) === undefined;
  const isEndLegal = mayEnd && ahead.obstacle === undefined && whyNoEnd(prospect) === undefined;
  if (undecided.length > 0) {
    const orEnd = isEndLegal ? ', or name the end as the activity' : '';
    return `From here there are: ${describeMoves(ahead.moves)}. Set ${undecided.join(', ')} with the move${orEnd}.`;
  }
  const legal = ways.filter(({ target }) => target.kind === 'activity' || isEndLegal);
  if (legal.length > 0 || (ways.length === 0 && isEndLegal))
    return `Legal from here: ${describeWays(legal)}.`;
  return ahead.moves.length === 0 ? undefined : `From here there are: ${describeMoves(ahead.moves)}.`;
}

/** Whether the end is legal for no other reason than that nobody set what could open a way. */
export function isUndecidedEnd({ ways, ahead }: Prospect, target: Target): boolean {
  return target.kind === 'end' && ways.length === 0 && undecidedOf(ahead).length > 0;
}

function problemsOfTarget(prospect: Prospect, id: string): readonly string[] {
  const { state, here, ways, ahead } = prospect;
  if (ways.some(({ target }) => sameTarget(target, { kind: 'activity', id }))) return [];
  if (state.expected !== undefined) {
    return [`The answer to a checkpoint leads to ${describeWays(ways)}, not to '${id}'.`];
  }
  if (here.skipped.has(id)) return [`Activity '${id}' is skipped in this session.`];
  const offered = ahead.moves.filter(({ target }) => target === id);
  const before = offered.find((move) => move.before !== undefined)?.before;
  if (before !== undefined) {
    return [
      `Loop '${before.loop ?? ''}' of '${before.activity}' has a round left in which a person may be asked. The transition to '${id}' is open only after the last round.`,
    ];
  }
  if (offered.length > 0) {
    return [`The condition of the transition to '${id}' is false: ${offered.map(reasonOf).join(' or ')}.`];
  }
  const from =
    state.current === undefined ? 'The workflow starts' : `From '${state.current}' the workflow continues`;
  return [`No transition leads to '${id}'. ${from} with: ${describeMoves(ahead.moves)}.`];
}

/** A condition the caller names is held against those their author wrote; it is never more than a doubt. */
export function doubtedCondition(
  { command: { condition = '' }, ahead: { moves } }: Prospect,
  target: Target,
): readonly string[] {
  if (condition.trim() === '' || target.kind === 'end') return [];
  const offered = moves.filter((move) => move.target === target.id);
  const legal = offered.filter(({ holds }) => holds);
  const written = legal.length > 0 ? legal : offered;
  if (written.length === 0 || written.some((move) => isSaidBy(condition, move))) return [];
  return [
    `The transition to '${target.id}' is by '${written.map(reasonOf).join("' or '")}', not by '${condition}'.`,
  ];
}

function isSaidBy(claimed: string, { when }: Move): boolean {
  const parsed = parseCondition(claimed);
  if (parsed.ok && describeCondition(parsed.condition) === when) return true;
  return claimed.replaceAll(/\s/g, '').toLowerCase() === when.replaceAll(/\s/g, '').toLowerCase();
}
