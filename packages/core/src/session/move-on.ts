import { rootOf } from '../root-of.ts';
import type { Account } from './account-for.ts';
import type { ActivityTarget, Target } from './choose-target.ts';
import { describeMoves, sameTarget, targetOf } from './choose-target.ts';
import type { Circumstances } from './command.ts';
import { checkManifest } from './manifest.ts';
import type { Assignment, Move, Place } from './navigator.ts';
import { isSentBack, openCheckpoints } from './open-checkpoints.ts';
import { needsHuman } from './policy.ts';
import { describeMissingList } from './loop-iterations.ts';
import type { MadeMove } from './ownership.ts';
import { keptQuestions, refuseWrite, withoutEchoes } from './ownership.ts';
import type { MoveCommand, Prospect } from './prospect.ts';
import { consider } from './prospect.ts';
import type { Decision, Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';
import type { SessionEvent } from './session-event.ts';
import type { SessionState } from './session-state.ts';
import type { Values } from './variables.ts';
import {
  assign,
  authorsOf,
  checkVariables,
  refuseTooMuch,
  withModeDefaults,
  pathsInto,
} from './variables.ts';
import type { Passed } from './way-problems.ts';
import {
  describeLegal,
  describePassed,
  doubtedCondition,
  isUndecidedEnd,
  passedAtClosedEnd,
  personOverruled,
  personPassed,
  problemsOfWay,
} from './way-problems.ts';
import { whereabouts } from './whereabouts.ts';

/** What is wrong with a move: about the way, about what was done, or about the values that came with it. */
interface Problem {
  readonly code: 'STATE' | 'ILLEGAL_TRANSITION' | 'MANIFEST_INVALID' | 'GATE_ACTIVE' | 'INVALID_PARAMS';
  readonly message: string;
}

/**
 * Moves a session on to an activity or to its end. What is wrong is a warning where the session is advisory and a
 * refusal where it is strict; a checkpoint only a human may answer, or one that sent the work back, holds in both.
 */
export function moveOn(state: SessionState, asked: MoveCommand, at: Circumstances): Decision<SessionEvent> {
  const values = withoutEchoes(state, at.navigator, asked.variables ?? {});
  const command = { ...asked, variables: values };
  const prospect = consider(state, command, at.navigator, at.gates);
  const target = chooseTarget(prospect);
  const entry = entryTo(prospect, target);
  const unknown = cannotGo(prospect, target);
  if (unknown !== undefined) return { ok: false, refusal: unknown };
  const wayProblems = problemsOfWay(prospect, target);
  const isStrayed = wayProblems.length > 0 || prospect.ahead.obstacle !== undefined;
  const loops = target.kind === 'end' ? {} : loopsOnEntry(prospect, target, isStrayed);
  const move = { target, after: { ...state.variables, ...entry.values }, ...loops };
  const stop =
    refuseWrite(state, at.navigator, { values, ...(isStaying(prospect, target) ? {} : { move }) }) ??
    heldBack(prospect, at) ??
    refuseTooMuch(state, pathsIntoItem(prospect, target));
  if (stop !== undefined) return { ok: false, refusal: stop };
  const mayPass = isStrayed || isUndecidedEnd(prospect, target);
  const passed =
    personOverruled(prospect, target) ??
    (mayPass ? personPassed(prospect, target) : passedAtClosedEnd(prospect, target));
  const problems = [
    ...obstacleOf(prospect),
    ...wayProblems.map((message): Problem => ({ code: 'ILLEGAL_TRANSITION', message })),
    ...(passed === undefined
      ? []
      : [{ code: 'ILLEGAL_TRANSITION', message: describePassed(passed) } satisfies Problem]),
    ...problemsOfWork(prospect, at),
  ];
  const isStrict = [state.enforcement, at.enforcement].includes('strict');
  if (passed !== undefined || (isStrict && problems.length > 0))
    return refuseMove(prospect, problems, passed);
  const warnings = [
    ...problems.map(({ message }) => message),
    ...doubtedCondition(prospect, target),
    ...doubtfulClaims(prospect),
    ...newRemarks(prospect),
  ];
  return { ok: true, event: eventOf(prospect, move, { entry, warnings, isStrayed }), warnings };
}

function chooseTarget({ command, navigator, here, ways }: Prospect): Target {
  if (command.activityId !== undefined) return targetOf(navigator, command.activityId, here);
  return ways[0]?.target ?? { kind: 'end' };
}

/** Whether an agent enters the activity that it is at, though no legal way leads there: it has not left it. */
function isStaying({ state, ways }: Prospect, target: Target): boolean {
  const isHere = target.kind === 'activity' && target.id === state.current;
  return isHere && !ways.some((way) => sameTarget(way.target, target));
}

/** What keeps every session from going there. */
function cannotGo({ command, navigator, here, ahead }: Prospect, target: Target): Refusal | undefined {
  if (command.activityId === undefined && ahead.obstacle !== undefined) {
    return refuse('STATE', ahead.obstacle).refusal;
  }
  if (target.kind === 'end' || navigator.find(target.id, here) !== undefined) return undefined;
  const why = navigator.absence(target.id) ?? `'${target.id}' was not found`;
  const message = `Activity ${why}. From here there are: ${describeMoves(ahead.moves)}.`;
  return refuse('ACTIVITY_NOT_FOUND', message, { activity_id: target.id }).refusal;
}

/**
 * The checkpoints no enforcement lets anybody walk past. A plain `blocking: true` that nobody yielded is not one of them:
 * an advisory session warns of it, though a strict one refuses.
 */
function heldBack({ state, work }: Prospect, at: Circumstances): Refusal | undefined {
  if (work === undefined) return undefined;
  const { place, account } = work;
  const open = openCheckpoints(state, place, account);
  const back = open.find((gate) => isSentBack(gate, state.answered));
  const gate = back ?? open.find((candidate) => needsHuman(candidate, at));
  if (gate === undefined) return uncounted(place, account, at);
  const why = gate === back ? 'sent the work back' : 'is answered by a human before the activity is left';
  const message = `Checkpoint '${gate.id}' of '${place.id}' ${why}: yield it.`;
  return refuse('GATE_ACTIVE', message, { checkpoint_id: gate.id }).refusal;
}

/** A loop that asks a person in each iteration is not left before its iterations can be counted. */
function uncounted({ loops, gates }: Place, account: Account, at: Circumstances): Refusal | undefined {
  for (const missing of account.missingLists) {
    const steps = loops.find(({ id }) => id === missing.loop)?.steps ?? [];
    const gate = gates.find(
      (one) => needsHuman(one, at) && steps.some(({ checkpoint }) => checkpoint === one.id),
    );
    if (gate === undefined) continue;
    return refuse('STATE', describeMissingList(missing), { checkpoint_id: gate.id, reason: 'needs-person' })
      .refusal;
  }
  return undefined;
}

function obstacleOf({ ahead: { obstacle } }: Prospect): readonly Problem[] {
  return obstacle === undefined ? [] : [{ code: 'STATE', message: obstacle }];
}

function problemsOfWork(
  { state, command, navigator, work }: Prospect,
  at: Circumstances,
): readonly Problem[] {
  const found: Problem[] = [];
  if (work !== undefined) {
    const { place, account } = work;
    for (const message of checkManifest(place, command.manifest, { account, judge: at.judge })) {
      found.push({ code: 'MANIFEST_INVALID', message });
    }
    for (const list of account.missingLists)
      found.push({ code: 'STATE', message: describeMissingList(list) });
    for (const { id } of openCheckpoints(state, place, account)) {
      found.push({ code: 'GATE_ACTIVE', message: `Checkpoint '${id}' of '${place.id}' was not yielded.` });
    }
  }
  for (const message of checkVariables(navigator, command.variables ?? {})) {
    found.push({ code: 'INVALID_PARAMS', message });
  }
  return found;
}

/** Remarks on what came before were made when the current activity was entered. */
function newRemarks({ state, navigator, ahead: { remarks } }: Prospect): readonly string[] {
  if (remarks.length === 0) return [];
  const before = navigator.ahead({ ...whereabouts(state, navigator), current: undefined }).remarks;
  return remarks.filter((remark) => !before.includes(remark));
}

function refuseMove(
  prospect: Prospect,
  problems: readonly Problem[],
  passed: Passed | undefined,
): ReturnType<typeof refuse> {
  const messages = problems.map(({ message }) => message);
  const legal = describeLegal(prospect);
  return refuse(
    problems[0]?.code ?? 'STATE',
    [...messages, ...(legal === undefined ? [] : [legal])].join(' '),
    {
      problems: messages,
      next: prospect.ways.flatMap(({ target }) => (target.kind === 'end' ? [] : [target.id])),
      ...(passed === undefined
        ? {}
        : { checkpoint_id: passed.checkpoint, activity_id: passed.activity, reason: 'needs-person' }),
    },
  );
}

function doubtfulClaims({
  command: { activityManifest = [] },
  navigator,
  here,
}: Prospect): readonly string[] {
  return activityManifest.flatMap(({ activity_id: id, outcome }) => [
    ...(navigator.find(id, here) === undefined
      ? [`The activity manifest names an unknown activity '${id}'.`]
      : []),
    ...(outcome.trim() === '' ? [`The outcome of '${id}' in the activity manifest is empty.`] : []),
  ]);
}

function eventOf(
  prospect: Prospect,
  move: MadeMove,
  {
    entry: { values, acted, given },
    warnings,
    isStrayed,
  }: {
    readonly entry: ReturnType<typeof entryTo>;
    readonly warnings: readonly string[];
    readonly isStrayed: boolean;
  },
): SessionEvent {
  const { target, loops } = move;
  const { state, command } = prospect;
  const common = {
    ...(state.current === undefined ? {} : { from: state.current }),
    condition: command.condition ?? '',
    manifest: command.manifest ?? [],
    variables: values,
    ...authorsOf(values, { acted, written: { ...command.variables, ...given } }),
    ...(command.credential === undefined ? {} : { credential: command.credential }),
    warnings,
  };
  if (target.kind === 'end') return { type: 'session-completed', ...common };
  const strayed = isStrayed ? { strayed: true as const } : {};
  const kept = keptQuestions(state, prospect.navigator, move);
  return {
    type: 'activity-entered',
    activity: target.id,
    ...common,
    ...strayed,
    ...(loops === undefined ? {} : { loops }),
    ...(kept.length === 0 ? {} : { kept }),
  };
}

/** The values of the move, with what the way there and the actions of entering set. */
function entryTo(
  prospect: Prospect,
  target: Target,
): Pick<Prospect, 'values' | 'acted'> & { readonly given: Values } {
  if (target.kind === 'end') return { ...prospect, given: {} };
  const { state, navigator, values, acted, before } = prospect;
  const item = assign(itemsFor(prospect, target), { ...state.variables, ...values });
  const entering = assign(navigator.sets(target.id, 'entry'), { ...state.variables, ...values, ...item });
  const isAgents = Object.keys(item).length > 0 && isAgentsItem(prospect, target);
  const given = isAgents ? item : {};
  const others = [...acted].filter((name) => !Object.hasOwn(given, name));
  const set = isAgents ? entering : { ...item, ...entering };
  return {
    values: withModeDefaults(navigator, before, { ...values, ...item, ...entering }),
    acted: new Set([...others, ...Object.keys(set)]),
    given,
  };
}

/** Whether the list of the loop on the way to a target was set by an agent, also by its answer, and not by the workflow or a person. */
function isAgentsItem(prospect: Prospect, target: ActivityTarget): boolean {
  const { state, navigator, here, values, acted } = prospect;
  const loops = navigator.loopsAfter(here, target.id, takenBy(prospect, target)) ?? [];
  const { over = '' } = navigator.openLoops({ ...here, loops }).at(-1) ?? {};
  const list = Object.hasOwn(here.variables, over) ? over : rootOf(over);
  if (acted.has(list)) return false;
  const { by, answeredBy } = (Object.hasOwn(state.origins, list) ? state.origins[list] : undefined) ?? {};
  if (Object.hasOwn(values, list) || by === undefined || answeredBy === 'agent') return true;
  return !['default', 'action', 'checkpoint'].includes(by);
}

/** The item that the loop on the way to a target sets. */
function itemsFor(prospect: Prospect, target: Target): readonly Assignment[] {
  const taken = target.kind === 'end' ? undefined : takenBy(prospect, target);
  return taken !== undefined && target.kind === 'activity' && taken.target === target.id ? taken.sets : [];
}

/** What variables get whose own name reads like a path into the item of the loop on the way to a target. */
function pathsIntoItem(prospect: Prospect, target: Target): Values {
  const { state, values } = prospect;
  const items = assign(itemsFor(prospect, target), {});
  return pathsInto(items, { ...state.variables, ...values });
}

/** An agent that goes where the workflow has no transition takes the loops with it. */
function loopsOnEntry(
  prospect: Prospect,
  target: ActivityTarget,
  isStrayed: boolean,
): Pick<Extract<SessionEvent, { type: 'activity-entered' }>, 'loops'> {
  const { navigator, here } = prospect;
  const loops = isStrayed
    ? navigator.loopsAt(here)
    : navigator.loopsAfter(here, target.id, takenBy(prospect, target));
  return loops === undefined ? {} : { loops };
}

/** The move that leads to an activity. An answer at the host of a loop may name the activity with which the next round begins. */
function takenBy({ state, ways, ahead: { moves } }: Prospect, target: ActivityTarget): Move | undefined {
  if (state.expected === undefined) return ways.find((way) => sameTarget(way.target, target))?.move;
  return moves.find(
    ({ holds, target: id, from }) =>
      holds && id === target.id && from?.isRound === true && from.activity === state.current,
  );
}
