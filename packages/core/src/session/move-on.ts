import { evaluate } from '@workflowlookup/conditions';
import { needsHuman } from './answer-checkpoint.ts';
import type { Target } from './choose-target.ts';
import { describeMoves, firstTarget, targetOf } from './choose-target.ts';
import type { Circumstances, SessionCommand } from './command.ts';
import { checkManifest } from './manifest.ts';
import type { Gate, Move, Place, Whereabouts } from './navigator.ts';
import type { Decision } from './refusal.ts';
import { refuse } from './refusal.ts';
import type { SessionEvent } from './session-event.ts';
import type { SessionState } from './session-state.ts';
import { checkVariables, skippedActivities, withModeDefaults } from './variables.ts';
import { whereabouts } from './whereabouts.ts';

type MoveCommand = Extract<SessionCommand, { kind: 'move' }>;

/** What is wrong with a move: about the way, about what was done, or about the values that came with it. */
interface Problem {
  readonly code: 'ILLEGAL_TRANSITION' | 'MANIFEST_INVALID' | 'GATE_ACTIVE' | 'INVALID_PARAMS';
  readonly message: string;
}

/** A move under consideration. */
interface Prospect {
  readonly state: SessionState;
  readonly command: MoveCommand;
  readonly at: Circumstances;
  /** Where the session stands, with the values of the command. */
  readonly here: Whereabouts;
  readonly values: SessionState['variables'];
  readonly skipped: ReadonlySet<string>;
  readonly moves: readonly Move[];
  /** The activity that is being left. */
  readonly place: Place | undefined;
}

/**
 * Moves a session on to an activity or to its end. What is wrong is a warning where the workflow is advisory and a
 * refusal where it is strict; a gate only a human may open holds in both.
 */
export function moveOn(state: SessionState, command: MoveCommand, at: Circumstances): Decision<SessionEvent> {
  const prospect = consider(state, command, at);
  const obstacle = at.navigator.obstacle(prospect.here);
  if (obstacle !== undefined) return refuse('STATE', obstacle);
  const target = chooseTarget(prospect);
  if (target.kind === 'activity' && !at.navigator.has(target.id)) {
    return refuse(
      'ACTIVITY_NOT_FOUND',
      `Activity '${target.id}' was not found; from here there are: ${describeMoves(prospect.moves)}.`,
      {
        activity_id: target.id,
      },
    );
  }
  const held = heldBack(prospect);
  if (held !== undefined) return refuse('GATE_ACTIVE', held);
  const problems = [...problemsOfWay(prospect, target), ...problemsOfWork(prospect)];
  const [first] = problems;
  if (first !== undefined && state.enforcement === 'strict') {
    const ways = `Ways on from here: ${describeMoves(prospect.moves.filter(({ holds }) => holds))}.`;
    return refuse(first.code, [...problems.map(({ message }) => message), ways].join(' '));
  }
  const warnings = [...problems.map(({ message }) => message), ...doubtfulClaims(prospect)];
  return { ok: true, event: eventOf(prospect, target, warnings), warnings };
}

function consider(state: SessionState, command: MoveCommand, at: Circumstances): Prospect {
  const { navigator } = at;
  const values = withModeDefaults(navigator, state, command.variables ?? {});
  const here = whereabouts(state, values);
  const variables = { ...state.variables, ...values };
  return {
    state,
    command,
    at,
    here,
    values,
    skipped: skippedActivities(navigator, state.skipped, variables),
    moves: navigator.moves(here),
    place: state.current === undefined ? undefined : navigator.place(state.current, here),
  };
}

function chooseTarget({ state, command, at: { navigator }, here, skipped }: Prospect): Target {
  if (command.activityId !== undefined) return targetOf(navigator, command.activityId);
  return state.expected === undefined
    ? firstTarget(navigator, here, skipped)
    : targetOf(navigator, state.expected);
}

function problemsOfWay(prospect: Prospect, target: Target): readonly Problem[] {
  const messages = target.kind === 'end' ? problemsOfEnd(prospect) : problemsOfTarget(prospect, target.id);
  return messages.map((message) => ({ code: 'ILLEGAL_TRANSITION', message }));
}

function problemsOfEnd({ state, moves, skipped, at: { navigator } }: Prospect): readonly string[] {
  const open = moves.filter(({ target, holds }) => holds && navigator.has(target) && !skipped.has(target));
  const visited = new Set([...state.completed, state.current]);
  const unvisited = navigator.required.filter((id) => !visited.has(id) && !skipped.has(id));
  return [
    ...(open.length === 0
      ? []
      : [
          `The workflow is not at its end: from '${state.current ?? 'the start'}' it goes on to ${describeMoves(open)}.`,
        ]),
    ...(open.length === 0 || unvisited.length === 0
      ? []
      : [`Required activities were not visited: ${unvisited.join(', ')}.`]),
  ];
}

function problemsOfTarget(prospect: Prospect, id: string): readonly string[] {
  const { state, skipped, command } = prospect;
  if (state.expected !== undefined) {
    return state.expected === id
      ? []
      : [`The answer of a checkpoint leads to '${state.expected}', not to '${id}'.`];
  }
  if (command.activityId === undefined) return claimedCondition(prospect, id);
  if (skipped.has(id)) return [`Activity '${id}' is skipped in this session.`];
  return [...transition(prospect, id), ...claimedCondition(prospect, id)];
}

function transition({ state, moves, at, here, skipped }: Prospect, id: string): readonly string[] {
  const ways = moves.filter(({ target }) => target === id);
  if (ways.some(({ holds }) => holds)) return [];
  const first = firstTarget(at.navigator, here, skipped);
  if (first.kind === 'activity' && first.id === id) return [];
  const from = state.current === undefined ? 'The workflow starts' : `From '${state.current}' it goes on`;
  if (ways.length === 0) return [`No transition leads to '${id}'. ${from} with: ${describeMoves(moves)}.`];
  return [
    `The condition of the transition to '${id}' is false: ${ways.map(({ when }) => when).join(' or ')}.`,
  ];
}

/** A condition the caller names is held against the one its author wrote. */
function claimedCondition({ command: { condition }, moves }: Prospect, id: string): readonly string[] {
  const way = moves.find(({ target }) => target === id);
  if (condition === undefined || condition === '' || way === undefined || sameCondition(condition, way.when))
    return [];
  return [`The transition to '${id}' is by '${way.when}', not by '${condition}'.`];
}

function sameCondition(claimed: string, written: string): boolean {
  const plain = (text: string): string => text.replaceAll(/[\s"'()]+/g, '').toLowerCase();
  return plain(claimed) === plain(written);
}

function problemsOfWork({ state, command, at, place, here }: Prospect): readonly Problem[] {
  const values = checkVariables(at.navigator, command.variables ?? {});
  const manifest =
    place === undefined
      ? []
      : checkManifest(place, command.manifest, { judge: at.judge, variables: here.variables });
  const unanswered =
    place === undefined
      ? []
      : unansweredGates(state, place).map(({ id }) => `Checkpoint '${id}' of '${place.id}' was not yielded.`);
  return [
    ...manifest.map((message): Problem => ({ code: 'MANIFEST_INVALID', message })),
    ...unanswered.map((message): Problem => ({ code: 'GATE_ACTIVE', message })),
    ...values.map((message): Problem => ({ code: 'INVALID_PARAMS', message })),
  ];
}

/** The checkpoint that no enforcement lets anybody walk past: one a human has to answer. */
function heldBack({ state, place, at }: Prospect): string | undefined {
  const gate = place && unansweredGates(state, place).find((candidate) => needsHuman(candidate, at));
  return (
    gate &&
    `Checkpoint '${gate.id}' of '${place.id}' is answered by a human before the activity is left: yield it.`
  );
}

/** Checkpoints that a step names, whose condition holds, and that nobody answered in this visit. */
function unansweredGates({ answered, variables }: SessionState, { steps, gates }: Place): readonly Gate[] {
  const named = new Set(steps.filter(({ required }) => required).map(({ checkpoint }) => checkpoint));
  const settled = new Set(
    answered.filter(({ answer }) => !isRevision(answer)).map(({ checkpoint }) => checkpoint),
  );
  return gates.filter(
    ({ id, condition }) =>
      named.has(id) && !settled.has(id) && (condition === undefined || evaluate(condition, variables)),
  );
}

/** The answer that keeps a confirmed step open. */
function isRevision(answer: SessionState['answered'][number]['answer']): boolean {
  return answer.kind === 'option' && answer.option === 'revise';
}

function doubtfulClaims({
  command: { activityManifest = [] },
  at: { navigator },
}: Prospect): readonly string[] {
  return activityManifest.flatMap(({ activity_id: id, outcome }) => [
    ...(navigator.has(id) ? [] : [`The activity manifest names an unknown activity '${id}'.`]),
    ...(outcome.trim() === '' ? [`The outcome of '${id}' in the activity manifest is empty.`] : []),
  ]);
}

function eventOf(
  { state, command, values }: Prospect,
  target: Target,
  warnings: readonly string[],
): SessionEvent {
  const common = {
    ...(state.current === undefined ? {} : { from: state.current }),
    manifest: command.manifest ?? [],
    variables: values,
    warnings,
  };
  if (target.kind === 'end') return { type: 'session-completed', ...common };
  return { type: 'activity-entered', activity: target.id, condition: command.condition ?? '', ...common };
}
