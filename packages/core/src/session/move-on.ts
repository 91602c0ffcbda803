import { defined } from '@workflowlookup/schema';
import type {
  CandidateTransition,
  ActivityPlan,
  SessionCheckpoint,
  SessionPosition,
} from '../navigation/navigator.ts';
import type { DecisionInputs, Decision, Refusal } from './command.ts';
import { needsHuman, refuse } from './command.ts';
import { evidenceOf, describeOpenEvidence, describeEvidence } from '../evidence/evidence-state.ts';
import type { StepAccount } from './outputs/step-account.ts';
import { checkManifest, refuseNotDone } from './outputs/manifest.ts';
import { isAsked, isAskedInLoop, isSentBack, iterationToAsk } from './open-checkpoints.ts';
import type { AgentWrite, MadeMove } from './ownership.ts';
import { questionsAfter, refuseItem, refuseWrite, withoutEchoes } from './ownership.ts';
import type { ActivityTarget, MoveCommand, EvaluatedMove, Target, Passed } from './evaluate-move.ts';
import {
  evaluateMove,
  planActivityWith,
  describeMoves,
  sameTarget,
  targetOf,
  sessionPosition,
  problemsOfTarget,
  personOverruled,
  personPassed,
  passedAtClosedEnd,
  describePassed,
  describeLegal,
  isUndecidedEnd,
  doubtedCondition,
} from './evaluate-move.ts';
import type { SessionEvent } from './session-event.ts';
import type { SessionState, Values } from './session-state.ts';
import type { NextCall } from './status.ts';
import {
  assign,
  authorsOf,
  checkVariables,
  ownValue,
  pathsInto,
  refuseTooMuch,
  rootOf,
  withModeDefaults,
} from './session-state.ts';
import { loopMessages, messages, transitionTexts } from '../messages/sessions.ts';

/** A problem of a move: with its target, with the work that was done, or with the values sent along. */
interface Problem {
  readonly code:
    | 'INVALID_STATE'
    | 'ILLEGAL_TRANSITION'
    | 'MANIFEST_INVALID'
    | 'CHECKPOINT_OPEN'
    | 'EVIDENCE_REQUIRED'
    | 'INVALID_INPUT';
  readonly message: string;
  /** The checkpoint to ask first. */
  readonly checkpoint?: SessionCheckpoint;
}

/**
 * Moves a session to an activity or to its end. Problems are warnings in an advisory session and a refusal in a strict
 * one. A checkpoint that only a person may answer, or one whose answer sent the work back, stops both.
 */
export function moveOn(state: SessionState, asked: MoveCommand, at: DecisionInputs): Decision<SessionEvent> {
  const command = { ...asked, variables: withoutEchoes(state, at.navigator, asked.variables ?? {}) };
  const prospect = evaluateMove(state, command, at.navigator, at.gates);
  const target = chooseTarget(prospect);
  const unknown = cannotGo(prospect, target);
  if (unknown !== undefined) return unknown;
  const targetProblems = problemsOfTarget(prospect, target);
  const { obstacle } = prospect.ahead;
  const isStrayed = targetProblems.length > 0 || obstacle !== undefined;
  const entry = entryTo(prospect, target, isStrayed);
  const { values, loops } = entry;
  const move = { target, after: { ...state.variables, ...values }, isStrayed, ...defined({ loops }) };
  const stop =
    refuseWritten(prospect, isStaying(prospect, target) ? {} : { move }) ??
    heldBack(prospect, at) ??
    heldFromItem(prospect, entry.given, move) ??
    refuseTooMuch(state, entry.paths);
  if (stop !== undefined) return stop;
  const mayPass = isStrayed || isUndecidedEnd(prospect, target);
  const passed =
    personOverruled(prospect, target) ??
    (mayPass ? personPassed(prospect, target) : passedAtClosedEnd(prospect, target));
  const isStrict = isStrictSession(state, at);
  const illegal = [
    ...(isStrict || !isFreeEntry(prospect, target) ? targetProblems : []),
    ...(passed === undefined ? [] : [describePassed(passed)]),
  ];
  const problems: readonly Problem[] = [
    ...(obstacle === undefined ? [] : [{ code: 'INVALID_STATE', message: obstacle } as const]),
    ...illegal.map((message) => ({ code: 'ILLEGAL_TRANSITION', message }) as const),
    ...problemsOfWork(prospect, at),
  ];
  if (passed !== undefined || (isStrict && problems.length > 0))
    return refuseMove(prospect, problems, passed);
  const warnings = [
    ...problems.map(({ message }) => message),
    ...doubtedCondition(prospect, target),
    ...doubtfulClaims(prospect),
    ...unprovenWork(prospect, at),
    ...newRemarks(prospect),
  ];
  return { ok: true, event: eventOf(prospect, move, entry, warnings), warnings };
}

function isStrictSession({ enforcement }: SessionState, at: DecisionInputs): boolean {
  return [enforcement, at.enforcement].includes('strict');
}

/** The values that the agent sets in a move: those of the call, then those of the fields of each output. */
function writtenBy({ command, work }: EvaluatedMove): {
  readonly all: Values;
  readonly each: readonly Values[];
} {
  const { variables: values = {} } = command;
  const { writes = [] } = work?.account ?? {};
  if (writes.length === 0) return { all: values, each: [values] };
  const all = Object.assign({}, values, ...writes) as Values;
  // A later output must not hide what an earlier one wrote: the steps between them saw it.
  return { all, each: [values, ...writes, all] };
}

function refuseWritten(prospect: EvaluatedMove, write: Pick<AgentWrite, 'move'>): Refusal | undefined {
  const { state, navigator } = prospect;
  const { all, each } = writtenBy(prospect);
  for (const values of each) {
    const refusal = refuseWrite(state, navigator, { values, ...write });
    if (refusal !== undefined) return refusal;
  }
  return refuseTooMuch(state, all);
}

function chooseTarget({ command, navigator, here, transitions }: EvaluatedMove): Target {
  if (command.activityId !== undefined) return targetOf(navigator, command.activityId, here);
  return transitions[0]?.target ?? { kind: 'end' };
}

/**
 * Returns whether an agent enters the activity it is already in without a transition that leads there, which means it
 * has not left it.
 */
function isStaying({ state, transitions }: EvaluatedMove, target: Target): boolean {
  const isHere = target.kind === 'activity' && target.id === state.current;
  return isHere && !transitions.some((transition) => sameTarget(transition.target, target));
}

/** Returns whether a session begins, and its workflow does not say with which activity. */
function isFreeEntry({ state, navigator, here }: EvaluatedMove, target: Target): boolean {
  const isBegun = state.current !== undefined || navigator.entries === undefined;
  return !isBegun && target.kind === 'activity' && !here.skipped.has(target.id);
}

function cannotGo({ command, navigator, here, ahead }: EvaluatedMove, target: Target): Refusal | undefined {
  if (command.activityId === undefined && ahead.obstacle !== undefined) {
    return refuse('INVALID_STATE', ahead.obstacle);
  }
  if (target.kind === 'end' || navigator.find(target.id, here) !== undefined) return undefined;
  const why = navigator.absence(target.id) ?? transitionTexts.notFound(target.id);
  const message = messages.activityNotFound(why, describeMoves(ahead.moves));
  return refuse('ACTIVITY_NOT_FOUND', message, { activity_id: target.id });
}

/** Returns a refusal for checkpoints that stop a session under any enforcement. Others only stop a strict session. */
function heldBack(prospect: EvaluatedMove, at: DecisionInputs): Refusal | undefined {
  const { state, command, work } = prospect;
  if (work === undefined) return undefined;
  const { place, account, openCheckpoints: open } = work;
  const missing = refuseNotDone(place, command.manifest ?? [], { ...account, kept: state.notDone ?? [] });
  if (missing !== undefined) return missing;
  const back = open.find((checkpoint) => isSentBack(checkpoint, state.answered));
  const persons = open.find((candidate) => needsHuman(candidate, at));
  if (back === undefined && persons === undefined) return uncounted(place, account, at);
  // A caller that asks all of them asks them in their order.
  const checkpoint = back ?? (command.asksAll === true ? open[0] : persons);
  if (checkpoint === undefined) return undefined;
  const mayChangeWork = open.some(({ options }) =>
    options.some(({ effect }) => effect?.setVariable !== undefined),
  );
  if (command.asksAll === true && !mayChangeWork && isStrictSession(state, at)) {
    // This caller submits the same outputs with the answer. Nobody should have to answer if they can't be accepted.
    const others = problemsOfWork(prospect, at).filter(({ code }) => code !== 'CHECKPOINT_OPEN');
    if (others.length > 0) return refuseMove(prospect, others, undefined);
  }
  const describe =
    checkpoint === back
      ? messages.sentBack
      : messages[checkpoint === persons ? 'personBeforeMove' : 'notYielded'];
  const data = { checkpoint_id: checkpoint.id, ...(checkpoint === back && { reason: 'sent-back' }) };
  const message = describe(checkpoint.id, place.id);
  return refuse('CHECKPOINT_OPEN', message, data, yieldOf(prospect, checkpoint));
}

/**
 * Returns the call that asks a checkpoint before a move. If the checkpoint is asked only with values of the move,
 * because its condition or the list of its loop depends on them, the call includes these values.
 */
function yieldOf(
  { state, command, navigator, work }: EvaluatedMove,
  checkpoint: SessionCheckpoint,
): NextCall {
  const call = { kind: 'yield', checkpoint: checkpoint.id } as const;
  const activity = work?.place.id ?? '';
  const isAskedWith = (given: Values): boolean => {
    const place = planActivityWith(state, navigator, activity, given);
    const isInLoop = isAskedInLoop(place, checkpoint);
    const iteration = isInLoop ? iterationToAsk(state, place, checkpoint) : undefined;
    if (isInLoop && iteration === undefined) return false;
    const gate = defined({ checkpoint: checkpoint.id, iteration });
    return isAsked({ answered: state.answered, gate }, place, checkpoint);
  };
  const all: Values = { ...command.variables, ...work?.account.values };
  if (isAskedWith({}) || !isAskedWith(all)) return call;
  let needed = Object.entries(all);
  for (const one of needed) {
    const others = needed.filter((other) => other !== one);
    if (isAskedWith(Object.fromEntries(others))) needed = others;
  }
  return { ...call, variables: Object.fromEntries(needed) };
}

/** Refuses to leave a loop that asks a person in each iteration before its iterations can be counted. */
function uncounted(
  { loops, checkpoints }: ActivityPlan,
  account: StepAccount,
  at: DecisionInputs,
): Refusal | undefined {
  for (const missing of account.missingLists) {
    const steps = loops.find(({ id }) => id === missing.loop)?.steps ?? [];
    const declared = checkpoints.find(
      (one) => needsHuman(one, at) && steps.some(({ checkpoint }) => checkpoint === one.id),
    );
    if (declared === undefined) continue;
    return refuse('INVALID_STATE', loopMessages.setList(missing), {
      checkpoint_id: declared.id,
      reason: 'needs-person',
    });
  }
  return undefined;
}

function problemsOfWork(prospect: EvaluatedMove, at: DecisionInputs): readonly Problem[] {
  const { command, navigator, work } = prospect;
  const found: Problem[] = [];
  if (work !== undefined) {
    const { place, account, openCheckpoints } = work;
    for (const message of checkManifest(place, command.manifest, account, at.judge)) {
      found.push({ code: 'MANIFEST_INVALID', message });
    }
    for (const list of account.missingLists)
      found.push({ code: 'INVALID_STATE', message: loopMessages.setList(list) });
    for (const checkpoint of openCheckpoints) {
      const message = messages.notYielded(checkpoint.id, place.id);
      found.push({ code: 'CHECKPOINT_OPEN', message, checkpoint });
    }
    const open = at.evidence === undefined ? [] : describeOpenEvidence(prospect, at.evidence);
    for (const message of open) found.push({ code: 'EVIDENCE_REQUIRED', message });
  }
  for (const message of checkVariables(navigator, writtenBy(prospect).all)) {
    found.push({ code: 'INVALID_INPUT', message });
  }
  return found;
}

/** Describes the evidence that proves nothing because the project has no such check. */
function unprovenWork(prospect: EvaluatedMove, { evidence: sight }: DecisionInputs): readonly string[] {
  if (sight === undefined) return [];
  return evidenceOf(prospect, sight)
    .filter(({ status }) => status === 'not-configured')
    .map((evidenceState) => describeEvidence(evidenceState));
}

/** Returns the remarks that are new. Earlier ones were already reported when the current activity was entered. */
function newRemarks({ state, navigator, ahead: { remarks } }: EvaluatedMove): readonly string[] {
  if (remarks.length === 0) return [];
  const before = navigator.ahead({ ...sessionPosition(state, navigator), current: undefined }).remarks;
  return remarks.filter((remark) => !before.includes(remark));
}

function refuseMove(
  prospect: EvaluatedMove,
  found: readonly Problem[],
  passed: Passed | undefined,
): ReturnType<typeof refuse> {
  const others = found.filter(({ code }) => code !== 'CHECKPOINT_OPEN');
  const problems = prospect.command.asksAll === true && others.length > 0 ? others : found;
  const [first] = problems;
  const texts = problems.map(({ message }) => message);
  const needsEvidence = problems.some(({ code }) => code === 'EVIDENCE_REQUIRED');
  const legal = describeLegal(prospect, needsEvidence);
  return refuse(
    first?.code ?? 'INVALID_STATE',
    [...texts, ...(legal === undefined ? [] : [legal])].join(' '),
    {
      problems: texts,
      activities: prospect.transitions.flatMap(({ target }) => (target.kind === 'end' ? [] : [target.id])),
      ...(passed && {
        checkpoint_id: passed.checkpoint,
        activity_id: passed.activity,
        reason: 'needs-person',
      }),
    },
    first?.checkpoint && yieldOf(prospect, first.checkpoint),
  );
}

function doubtfulClaims({
  command: { activityManifest = [] },
  navigator,
  here,
}: EvaluatedMove): readonly string[] {
  return activityManifest.flatMap(({ activity_id: id, outcome }) => [
    ...(navigator.find(id, here) === undefined ? [messages.unknownInActivityManifest(id)] : []),
    ...(outcome.trim() === '' ? [messages.emptyOutcome(id)] : []),
  ]);
}

function eventOf(
  prospect: EvaluatedMove,
  move: MadeMove,
  { values, acted, given }: Entry,
  warnings: readonly string[],
): SessionEvent {
  const { target, loops, isStrayed } = move;
  const { state, command } = prospect;
  const { current: from } = state;
  const { condition = '', manifest = [], credential } = command;
  const common = {
    condition,
    manifest,
    variables: values,
    ...authorsOf(values, { acted, written: { ...writtenBy(prospect).all, ...given } }),
    warnings,
    ...defined({ from, credential }),
  };
  if (target.kind === 'end') return { type: 'session-completed', ...common };
  return {
    type: 'activity-entered',
    activity: target.id,
    ...common,
    ...(isStrayed && { strayed: true }),
    ...defined({ loops }),
    ...questionsAfter(state, move, prospect),
  };
}

/** What a move sets besides the values of the call. */
interface Entry extends Pick<EvaluatedMove, 'values' | 'acted'> {
  /** The item of a loop whose list an agent gave. */
  readonly given: Values;
  /** New values for variables whose own name reads like a path into the item of the loop. */
  readonly paths: Values;
  /** The loops over activities that the session is in afterwards. */
  readonly loops?: SessionPosition['loops'];
}

/** Returns what a move sets, including the item of its loop and the entry actions. */
function entryTo(prospect: EvaluatedMove, target: Target, isStrayed: boolean): Entry {
  if (target.kind === 'end') return { ...prospect, given: {}, paths: {} };
  const { state, navigator, here, values, acted, before } = prospect;
  const taken = takenBy(prospect, target);
  const loops = navigator.loopsAfter(here, target.id, taken);
  const sets = taken?.target === target.id ? taken.sets : [];
  const left = { ...state.variables, ...values };
  const item = assign(sets, left);
  const entering = assign(navigator.sets(target.id, 'entry'), { ...left, ...item });
  const isAgents = Object.keys(item).length > 0 && isAgentsItem(prospect, loops);
  const given = isAgents ? item : {};
  const others = [...acted].filter((name) => !Object.hasOwn(given, name));
  const set = isAgents ? entering : { ...item, ...entering };
  return {
    values: withModeDefaults(navigator, before, { ...values, ...item, ...entering }),
    acted: new Set([...others, ...Object.keys(set)]),
    given,
    paths: pathsInto(assign(sets, {}), left),
    // An agent that moves without a transition stays in the loops it was in.
    loops: isStrayed ? navigator.loopsAt(here) : loops,
  };
}

/**
 * Returns whether an agent, and not the workflow or a person, set the list of the loop that leads to the target. The
 * answer of an agent counts as the agent.
 */
function isAgentsItem(
  { state, navigator, here, values, acted }: EvaluatedMove,
  loops: SessionPosition['loops'] = [],
): boolean {
  const { over = '' } = navigator.openLoops({ ...here, loops }).at(-1) ?? {};
  const list = Object.hasOwn(here.variables, over) ? over : rootOf(over);
  if (acted.has(list)) return false;
  const { by, answeredBy } = ownValue(state.origins, list) ?? {};
  if (Object.hasOwn(values, list) || by === undefined || answeredBy === 'agent') return true;
  return !['default', 'action', 'checkpoint'].includes(by);
}

/** Returns a refusal if the item of an agent's list would change a variable that the agent may not write. */
function heldFromItem(
  { state, navigator, here }: EvaluatedMove,
  given: Values,
  move: MadeMove,
): Refusal | undefined {
  if (Object.keys(given).length === 0) return undefined;
  const { loops = [] } = move;
  const loop = navigator.openLoops({ ...here, loops }).at(-1);
  return loop && refuseItem(state, navigator, given, loop, move);
}

/**
 * The move that leads to an activity. An answer at the host of a loop may name the activity with which the next
 * iteration begins.
 */
function takenBy(
  { state, transitions, ahead: { moves } }: EvaluatedMove,
  target: ActivityTarget,
): CandidateTransition | undefined {
  const transition = transitions.find((one) => sameTarget(one.target, target));
  if (transition?.through !== undefined) return transition.through;
  if (state.expected === undefined) return transition?.move;
  return moves.find(
    ({ holds, before, target: id, from }) =>
      (holds || before !== undefined) &&
      id === target.id &&
      from?.beginsIteration === true &&
      from.activity === state.current,
  );
}
