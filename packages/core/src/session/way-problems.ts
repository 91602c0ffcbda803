import { describeCondition, parseCondition } from '@workflowlookup/conditions';
import type { Target } from './choose-target.ts';
import { describeMoves, describeWays, reasonOf, sameTarget } from './choose-target.ts';
import type { Move } from './navigator.ts';
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
export function unvisitedRequired({ here, navigator }: Prospect): readonly string[] {
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
  const [unvisited] = describeUnvisited(prospect);
  return unvisited && `${unvisited} From here there are: ${describeMoves(ahead.moves)}.`;
}

/** A session can't be taken back from its end: one that comes only because nobody set a variable has to be asked for. */
function undecidedEnd({ command, ways, ahead }: Prospect): readonly string[] {
  const names = undecidedOf(ahead);
  if (command.activityId !== undefined || ways.length > 0 || names.length === 0) return [];
  return [`No transition is open, and nobody set ${names.join(', ')}, which could open one.`];
}

/**
 * Says which moves are legal after a refusal, and otherwise what would open one. The end is legal where `mayEnd` says so
 * and no required activity is left.
 */
export function describeLegal(prospect: Prospect, mayEnd: boolean): string | undefined {
  const { ways, ahead } = prospect;
  const undecided = ways.length > 0 ? [] : undecidedOf(ahead);
  const isEndLegal = mayEnd && ahead.obstacle === undefined && unvisitedRequired(prospect).length === 0;
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
