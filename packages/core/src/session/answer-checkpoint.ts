import { evaluate } from '@workflowlookup/conditions';
import type { Circumstances, SessionCommand } from './command.ts';
import type { Gate, GateOption, Place } from './navigator.ts';
import type { SessionEventOf } from './evolve.ts';
import { aboutItem, aboutOthers, isAboutSame, isOfGate, wayGivenBy } from './evolve.ts';
import {
  hasDriven,
  isAsked,
  isDecidedByPerson,
  itemOfQuestion,
  namedByPerson,
  namesSetByAnswers,
  placeOfQuestion,
  waitsForHuman,
} from './open-checkpoints.ts';
import type { GivenAnswer } from './overrules.ts';
import { overrules } from './overrules.ts';
import { questionDecided } from './question.ts';
import type { Decision, Refusal } from './refusal.ts';
import { refuse } from './refusal.ts';
import type { Answer, AnsweredItem, SessionEvent } from './session-event.ts';
import type { DecidedGate, OpenGate, SessionState } from './session-state.ts';
import type { Values } from './variables.ts';
import { initialVariables, setByEach, withModeDefaults } from './variables.ts';

type AnswerCommand = Extract<SessionCommand, { kind: 'answer' }>;

/** An accepted answer, and the option whose effect it has. */
type Settled = { readonly answer: Answer; readonly option?: GateOption };

/** Answers the checkpoint the session waits at. */
export function answerCheckpoint(
  state: SessionState,
  command: AnswerCommand,
  at: Circumstances,
): Decision<SessionEvent> {
  const { gate: open } = state;
  if (open === undefined) return refuse('STATE', notWaiting(state));
  const { activity, checkpoint } = open;
  const written = at.navigator.place(activity, state);
  const gate = written.gates.find(({ id }) => id === checkpoint);
  if (gate === undefined) {
    return refuse('CHECKPOINT_NOT_FOUND', `Activity '${activity}' has no checkpoint '${checkpoint}'.`);
  }
  const place = placeOfQuestion(state, written, gate);
  const isDriver = speaksForAgent(state, command);
  const by = isDriver ? 'agent' : command.by;
  if (by === 'agent' && waitsForHuman(open, gate, at))
    return { ok: false, refusal: needsPerson(gate, isDriver) };
  const settled = settleAs(state, gate, { written, place, open, command: { ...command, by }, at });
  if ('refusal' in settled) return { ok: false, refusal: settled.refusal };
  const { answer, option: { effect } = {} } = settled;
  const set = effect?.setVariable ?? {};
  const item = itemOfQuestion(state, place);
  const undone = answer.kind === 'dismissed' ? undefined : undoneBy(state, { open, item, at });
  const own = { ...undone, ...set };
  const variables = { ...own, ...withModeDefaults(at.navigator, without(state, undone), set) };
  const overruled = overrules(state, { by, values: variables, effect, gate, place: written, at });
  if (overruled !== undefined) return { ok: false, refusal: overruled };
  const { person, note, origin } = command;
  const { workflow } = at.navigator;
  const event: SessionEvent = {
    type: 'checkpoint-answered',
    activity,
    checkpoint,
    answer,
    by,
    ...(person === undefined || isDriver ? {} : { person }),
    ...(note === undefined ? {} : { note }),
    variables,
    ...setByEach(variables, (name) => (Object.hasOwn(own, name) ? 'checkpoint' : 'mode')),
    ...(effect === undefined ? {} : { effect }),
    ...(undone === undefined ? {} : { replaces: true }),
    ...(origin === undefined ? {} : { origin: isDriver ? { ...origin, assurance: 'agent' } : origin }),
    ...(answer.kind === 'dismissed'
      ? {}
      : {
          ...dropsNext(state, { by, open, gate, effect, at }),
          ...ownedBeside(state, { by, open, gate, variables, own, at }),
          ...aboutItem(item),
          decided: questionDecided({ open, gate, place, workflow }),
        }),
  };
  return { ok: true, event, warnings: [] };
}

/**
 * What an answer puts in place of the values that the one before to the same question set: those that answers about
 * other items of a loop set, or those the definition begins with, or none. `undefined` if there is nothing to undo.
 */
function undoneBy(
  state: SessionState,
  { open, item, at }: Pick<Question, 'open' | 'at'> & { readonly item: AnsweredItem | undefined },
): Values | undefined {
  const { owners, origins, skippedBy = [], expected } = state;
  const expectedBy = wayGivenBy(state);
  const isReplaced = (one: DecidedGate): boolean => isOfGate(one, open) && isAboutSame(one.item, item);
  const isByIt = (name: string): boolean => {
    const origin = Object.hasOwn(origins, name) ? origins[name] : undefined;
    return origin?.by === 'mode' || (origin?.by === 'checkpoint' && origin.checkpoint === open.checkpoint);
  };
  const names = Object.entries(owners).flatMap(([name, owner]) =>
    isOfGate(owner, open) &&
    owner.left !== true &&
    isByIt(name) &&
    isAboutSame(owner.byItem?.at(-1)?.item, item)
      ? [[name, aboutOthers(owner, item).at(-1)?.value] as const]
      : [],
  );
  const isOfItsWay = expected !== undefined && expectedBy !== undefined && isReplaced(expectedBy);
  if (names.length === 0 && !isOfItsWay && !skippedBy.some(isReplaced)) return undefined;
  const first = initialVariables(at.navigator);
  return Object.fromEntries(
    names.map(([name, before]) => [
      name,
      before === undefined ? (Object.hasOwn(first, name) ? (first[name] ?? null) : null) : before,
    ]),
  );
}

/** The variables before an answer whose earlier one is undone, so that the modes that it turned on can come into force again. */
function without(
  { variables, assigned }: SessionState,
  undone: Values = {},
): Pick<SessionState, 'variables' | 'assigned'> {
  return {
    variables: { ...variables, ...undone },
    assigned: assigned.filter((name) => !Object.hasOwn(undone, name)),
  };
}

/** A person's answer that names no next activity drops the one that an agent's answer named. */
function dropsNext(
  state: SessionState,
  { by, effect, open, gate, at }: Pick<GivenAnswer, 'by' | 'effect' | 'gate' | 'at'> & Pick<Question, 'open'>,
): Pick<SessionEventOf<'checkpoint-answered'>, 'dropsNext'> {
  const isAgents = state.expected !== undefined && namedByPerson(state, at) === undefined;
  const isDropped =
    by === 'human' && isAgents && effect?.transitionTo === undefined && waitsForHuman(open, gate, at);
  return isDropped ? { dropsNext: true } : {};
}

/**
 * Variables that belong to a checkpoint beside those that the chosen option sets: the defaults of modes that the answer
 * turned on and, if a person answered, those of the other options, because the person decided against them. What another
 * person decided stays with them.
 */
function ownedBeside(
  state: SessionState,
  {
    by,
    open,
    gate,
    variables,
    own,
    at,
  }: Pick<Question, 'open' | 'at'> & {
    readonly by: AnswerCommand['by'];
    readonly gate: Gate;
    readonly variables: Values;
    readonly own: Values;
  },
): Pick<SessionEventOf<'checkpoint-answered'>, 'owns'> {
  const isFree = (name: string): boolean => {
    const owner = Object.hasOwn(state.owners, name) ? state.owners[name] : undefined;
    if (owner === undefined) return true;
    if (isOfGate(owner, open)) return Object.hasOwn(variables, name);
    return waitsForHuman(open, gate, at) && !isDecidedByPerson(state, owner, at);
  };
  const others = by === 'human' ? namesSetByAnswers(gate) : [];
  const names = [...new Set([...others, ...Object.keys(variables)])];
  const owns = names.filter((name) => !Object.hasOwn(own, name) && isFree(name));
  return owns.length === 0 ? {} : { owns };
}

/**
 * Whether the credential of an answer started, moved or stopped this session. Whoever holds it may be the agent, so its
 * answer is not a person's. The word of a client that the policy trusts counts whatever the credential.
 */
function speaksForAgent(state: SessionState, { origin }: AnswerCommand): boolean {
  return origin?.assurance !== 'client' && hasDriven(state, origin?.credential);
}

function needsPerson({ id }: Gate, isDriver: boolean): Refusal {
  const message = isDriver
    ? `Checkpoint '${id}' must be answered by a person. This credential worked on the session, so its answers count as the agent's.`
    : `Checkpoint '${id}' must be answered by a person, never by an agent.`;
  const reason = isDriver ? 'same-credential' : 'agent';
  return refuse('HUMAN_REQUIRED', message, { checkpoint_id: id, reason }).refusal;
}

function notWaiting({ lastAnswer }: SessionState): string {
  const nothing = 'No checkpoint waits for an answer.';
  return lastAnswer === undefined ? nothing : `${nothing} '${lastAnswer.checkpoint}' was already answered.`;
}

interface Question {
  /** The activity as the variables make it. */
  readonly written: Place;
  /** The activity as the question sees it. */
  readonly place: Place;
  readonly open: OpenGate;
  readonly command: AnswerCommand;
  readonly at: Circumstances;
}

/** Checks an answer. An agent's has to be to a question that is asked. */
function settleAs(
  state: SessionState,
  gate: Gate,
  question: Question,
): Settled | { readonly refusal: Refusal } {
  const settled = settle(gate, question);
  if ('refusal' in settled || question.command.by !== 'agent' || settled.option === undefined) return settled;
  return isAsked(state, question.written, gate) ? settled : { refusal: notAsked(gate) };
}

/** A checkpoint whose condition is false decides nothing, so an agent can't take what one of its options does. */
function notAsked({ id }: Gate): Refusal {
  return refuse(
    'STATE',
    `The condition of checkpoint '${id}' is false by the session's variables, so an agent can't answer it with an option. Answer with condition_not_met: true.`,
    { checkpoint_id: id, reason: 'condition-not-met' },
  ).refusal;
}

function settle(gate: Gate, question: Question): Settled | { readonly refusal: Refusal } {
  const { mode } = question.command;
  switch (mode.kind) {
    case 'option':
      return chooseOption(gate, mode.option, question);
    case 'auto-advance':
      return autoAdvance(gate, question);
    case 'condition-not-met':
      return dismiss(gate, question);
  }
}

function chooseOption(
  gate: Gate,
  chosen: string,
  question: Question,
): Settled | { readonly refusal: Refusal } {
  const option = gate.options.find(({ id }) => id === chosen);
  if (option === undefined) {
    const known = gate.options.map(({ id }) => id).join(', ');
    return refuse('STATE', `Checkpoint '${gate.id}' has no option '${chosen}'; there are: ${known}.`, {
      option_id: chosen,
    });
  }
  const left = question.at.minResponseMs - openForMs(question);
  if (left > 0 && question.command.by === 'agent') {
    const seconds = Math.ceil(left / 1000);
    return refuse(
      'STATE',
      `The answer came too fast to be a person's: put the checkpoint to the user, and answer in ${seconds} s or later.`,
    );
  }
  return { answer: { kind: 'option', option: chosen }, option };
}

function autoAdvance(gate: Gate, question: Question): Settled | { readonly refusal: Refusal } {
  const { blocking, defaultOption, autoAdvanceMs } = gate;
  if (blocking === true) return refuse('STATE', `Checkpoint '${gate.id}' is blocking: no timer answers it.`);
  const option = gate.options.find(({ id }) => id === defaultOption);
  if (option === undefined || autoAdvanceMs === undefined) {
    return refuse(
      'STATE',
      `Checkpoint '${gate.id}' can't advance by itself: that takes a defaultOption and autoAdvanceMs.`,
    );
  }
  const left = autoAdvanceMs - openForMs(question);
  if (left > 0) return refuse('STATE', `The timer of checkpoint '${gate.id}' has ${left} ms to run.`);
  return { answer: { kind: 'auto-advance', option: option.id }, option };
}

function dismiss(gate: Gate, { place }: Question): Settled | { readonly refusal: Refusal } {
  if (gate.condition === undefined)
    return refuse('STATE', `Checkpoint '${gate.id}' has no condition that could be unmet.`);
  if (evaluate(gate.condition, place.context)) {
    return refuse(
      'STATE',
      `The condition of checkpoint '${gate.id}' is true by the session's variables: it needs an answer.`,
    );
  }
  return { answer: { kind: 'dismissed' } };
}

function openForMs({ open, at }: Question): number {
  return at.nowMs - Date.parse(open.yieldedAt);
}
