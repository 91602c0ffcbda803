import type {
  Effect,
  SessionCheckpoint,
  SessionCheckpointOption,
  Navigator,
  ActivityPlan,
} from '../navigation/navigator.ts';
import type { DecisionInputs, Decision, Refusal, SessionCommand } from './command.ts';
import { refuse } from './command.ts';
import type { SessionEventOf } from './evolve.ts';
import { aboutItem, aboutOthers, isAboutSame, isOfCheckpoint, targetNamedBy } from './evolve.ts';
import { heldLists, loopOver } from './loop-iterations.ts';
import {
  hasDriven,
  isAsked,
  isDecidedByPerson,
  isPersons,
  itemOfQuestion,
  namedByPerson,
  namesSetByAnswers,
  placeOfQuestion,
  questionDecided,
  waitsForHuman,
} from './open-checkpoints.ts';
import { changeOfShown, reservedFromAnswer } from './ownership.ts';
import type { Answer, AnsweredItem, SessionEvent } from './session-event.ts';
import type { DecidedCheckpoint, OpenCheckpoint, SessionState, Values } from './session-state.ts';
import {
  initialVariables,
  overlaps,
  pathsInto,
  rootOf,
  setByEach,
  withModeDefaults,
} from './session-state.ts';
import { decidedByPerson, messages } from '../messages/sessions.ts';

type AnswerCommand = Extract<SessionCommand, { kind: 'answer' }>;

/** An accepted answer with the option whose effect applies. */
type Settled = { readonly answer: Answer; readonly option?: SessionCheckpointOption };

export function answerCheckpoint(
  state: SessionState,
  command: AnswerCommand,
  at: DecisionInputs,
): Decision<SessionEvent> {
  const { gate: open } = state;
  if (open === undefined) return refuse('INVALID_STATE', notOpen(state));
  const { activity, checkpoint } = open;
  const written = at.navigator.place(activity, state);
  const declared = written.checkpoints.find(({ id }) => id === checkpoint);
  if (declared === undefined) {
    return refuse(
      'CHECKPOINT_NOT_FOUND',
      messages.checkpointNotFound(
        activity,
        checkpoint,
        written.checkpoints.map(({ id }) => id),
      ),
    );
  }
  const place = placeOfQuestion(state, written, declared);
  const isDriver = speaksForAgent(state, command);
  const by = isDriver ? 'agent' : command.by;
  if (by === 'agent' && waitsForHuman(open, declared, at))
    return { ok: false, refusal: needsPerson(declared, isDriver) };
  const settled = settleAs(state, declared, { written, open, command: { ...command, by }, at });
  if ('refusal' in settled) return { ok: false, refusal: settled.refusal };
  const { answer, option: { effect } = {} } = settled;
  const item = itemOfQuestion(state, place);
  const undone = answer.kind === 'dismissed' ? undefined : undoneBy(state, { open, item, at });
  const set = withPaths(state, effect?.setVariable);
  const own = { ...withPaths(state, undone), ...set };
  const before = { ...without(state, undone), guarded: notToFill({ by, open, at }) };
  const variables = { ...own, ...withPaths(state, withModeDefaults(at.navigator, before, set)) };
  const overruled = overrules(state, {
    by,
    values: variables,
    effect,
    checkpoint: declared,
    place: written,
    at,
  });
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
          ...dropsNext(state, { by, open, checkpoint: declared, effect, at }),
          ...ownedBeside(state, {
            by,
            open,
            checkpoint: declared,
            variables,
            own: { ...undone, ...effect?.setVariable },
            at,
          }),
          ...aboutItem(item),
          decided: questionDecided({ open, checkpoint: declared, place, workflow, evidence: state.evidence }),
        }),
  };
  return { ok: true, event, warnings: [] };
}

/**
 * Returns the values that replace the ones set by the previous answer to the same question: values set by answers about
 * other items of a loop, else the definition's defaults. Returns `undefined` if there is nothing to undo.
 */
function undoneBy(
  state: SessionState,
  { open, item, at }: Pick<Question, 'open' | 'at'> & { readonly item: AnsweredItem | undefined },
): Values | undefined {
  const { owners, origins, skippedBy = [], expected } = state;
  const expectedBy = targetNamedBy(state);
  const isReplaced = (one: DecidedCheckpoint): boolean =>
    isOfCheckpoint(one, open) && isAboutSame(one.item, item);
  const isByIt = (name: string): boolean => {
    const origin = Object.hasOwn(origins, name) ? origins[name] : undefined;
    return origin?.by === 'mode' || (origin?.by === 'checkpoint' && origin.checkpoint === open.checkpoint);
  };
  const names = Object.entries(owners).flatMap(([name, owner]) =>
    isOfCheckpoint(owner, open) &&
    owner.left !== true &&
    isByIt(name) &&
    isAboutSame(owner.byItem?.at(-1)?.item, item)
      ? [[name, aboutOthers(owner, item).at(-1)?.value] as const]
      : [],
  );
  const isExpectedReplaced = expected !== undefined && expectedBy !== undefined && isReplaced(expectedBy);
  if (names.length === 0 && !isExpectedReplaced && !skippedBy.some(isReplaced)) return undefined;
  const first = initialVariables(at.navigator);
  return Object.fromEntries(
    names.map(([name, before]) => [
      name,
      before === undefined ? (Object.hasOwn(first, name) ? (first[name] ?? null) : null) : before,
    ]),
  );
}

/** Returns the variables as they were before the answer that is undone, so that its modes can be activated again. */
function without(
  { variables, assigned }: SessionState,
  undone: Values = {},
): Pick<SessionState, 'variables' | 'assigned'> {
  return {
    variables: { ...variables, ...undone },
    assigned: assigned.filter((name) => !Object.hasOwn(undone, name)),
  };
}

/** Adds the variables whose own name would hide a part of what an answer sets. */
function withPaths({ variables }: Pick<SessionState, 'variables'>, values: Values = {}): Values {
  return { ...values, ...pathsInto(values, variables) };
}

/** Names that a mode must not fill when an answer turns it on. */
function notToFill({
  by,
  open,
  at,
}: Pick<ConsideredAnswer, 'by' | 'at'> & Pick<Question, 'open'>): ReadonlySet<string> {
  return by === 'agent' ? reservedFromAnswer(at.navigator, open) : new Set();
}

/** A person's answer that names no next activity drops the one that an agent's answer named. */
function dropsNext(
  state: SessionState,
  {
    by,
    effect,
    open,
    checkpoint,
    at,
  }: Pick<ConsideredAnswer, 'by' | 'effect' | 'checkpoint' | 'at'> & Pick<Question, 'open'>,
): Pick<SessionEventOf<'checkpoint-answered'>, 'dropsNext'> {
  const isAgents = state.expected !== undefined && namedByPerson(state, at) === undefined;
  const isDropped =
    by === 'human' && isAgents && effect?.transitionTo === undefined && waitsForHuman(open, checkpoint, at);
  return isDropped ? { dropsNext: true } : {};
}

/**
 * Returns the variables that belong to a checkpoint in addition to those its chosen option sets: those named like a path
 * into them, defaults of modes that the answer activated and, if a person answered, the variables of the other options,
 * because the person decided against them. Variables that another person decided stay with that person.
 */
function ownedBeside(
  state: SessionState,
  {
    by,
    open,
    checkpoint,
    variables,
    own,
    at,
  }: Pick<Question, 'open' | 'at'> & {
    readonly by: AnswerCommand['by'];
    readonly checkpoint: SessionCheckpoint;
    readonly variables: Values;
    readonly own: Values;
  },
): Pick<SessionEventOf<'checkpoint-answered'>, 'owns'> {
  const isFree = (name: string): boolean => {
    const owner = Object.hasOwn(state.owners, name) ? state.owners[name] : undefined;
    if (owner === undefined) return true;
    if (isOfCheckpoint(owner, open)) return Object.hasOwn(variables, name);
    return waitsForHuman(open, checkpoint, at) && !isDecidedByPerson(state, owner, at);
  };
  const others = by === 'human' ? namesSetByAnswers(checkpoint) : [];
  const names = [...new Set([...others, ...Object.keys(variables)])];
  const owns = names.filter((name) => !Object.hasOwn(own, name) && isFree(name));
  return owns.length === 0 ? {} : { owns };
}

/**
 * Returns whether the credential of an answer also started, moved or stopped this session. Such a credential may belong
 * to the agent, so its answer does not count as a person's. A client that the policy trusts counts as a person with any
 * credential.
 */
function speaksForAgent(state: SessionState, { origin }: AnswerCommand): boolean {
  return origin?.assurance !== 'client' && hasDriven(state, origin?.credential);
}

function needsPerson({ id }: SessionCheckpoint, isDriver: boolean): Refusal {
  const message = isDriver ? messages.sameCredential(id) : messages.needsPerson(id);
  const reason = isDriver ? 'same-credential' : 'agent';
  return refuse('HUMAN_REQUIRED', message, { checkpoint_id: id, reason }).refusal;
}

interface Question {
  /** The activity, with the variables as they are before the answer. */
  readonly written: ActivityPlan;
  readonly open: OpenCheckpoint;
  readonly command: AnswerCommand;
  readonly at: DecisionInputs;
}

/** Checks an answer. An agent can choose an option only while the condition of the checkpoint is true. */
function settleAs(
  state: SessionState,
  checkpoint: SessionCheckpoint,
  question: Question,
): Settled | { readonly refusal: Refusal } {
  const settled = settle(state, checkpoint, question);
  if ('refusal' in settled || question.command.by !== 'agent' || settled.option === undefined) return settled;
  return isAsked(state, question.written, checkpoint) ? settled : { refusal: notAsked(checkpoint) };
}

/** A checkpoint whose condition is false decides nothing, so an agent can't use the effects of its options. */
function notAsked({ id }: SessionCheckpoint): Refusal {
  const data = { checkpoint_id: id, reason: 'condition-not-met' };
  return refuse('INVALID_STATE', messages.conditionNotMet(id), data).refusal;
}

function settle(
  state: SessionState,
  checkpoint: SessionCheckpoint,
  question: Question,
): Settled | { readonly refusal: Refusal } {
  const { mode } = question.command;
  switch (mode.kind) {
    case 'option':
      return chooseOption(checkpoint, mode.option, question);
    case 'auto-advance':
      return autoAdvance(checkpoint, question);
    case 'condition-not-met':
      return dismiss(state, checkpoint, question);
    case 'by-policy':
      return takeDefault(checkpoint, question);
  }
}

function chooseOption(
  checkpoint: SessionCheckpoint,
  chosen: string,
  question: Question,
): Settled | { readonly refusal: Refusal } {
  const option = checkpoint.options.find(({ id }) => id === chosen);
  if (option === undefined) {
    const message = messages.optionNotFound(checkpoint.id, chosen, optionsOf(checkpoint));
    return refuse('INVALID_STATE', message, { option_id: chosen });
  }
  if (isNoteMissing(option, question)) return { refusal: noteRequired(checkpoint, option) };
  const left = question.at.minResponseMs - openForMs(question);
  if (left > 0 && question.command.by === 'agent' && checkpoint.approver !== 'agent') {
    return refuse('INVALID_STATE', messages.answerTooSoon(Math.ceil(left / 1000)));
  }
  return { answer: { kind: 'option', option: chosen }, option };
}

function isNoteMissing({ note }: SessionCheckpointOption, { command }: Question): boolean {
  return note === 'required' && (command.note ?? '').trim() === '';
}

function noteRequired(checkpoint: SessionCheckpoint, option: SessionCheckpointOption): Refusal {
  const { id } = checkpoint;
  const data = { checkpoint_id: id, option_id: option.id };
  const { approver } = checkpoint;
  return refuse('NOTE_REQUIRED', messages.noteRequired(id, option.id), data, {
    kind: 'answer',
    checkpoint: id,
    options: [option.id],
    by: approver === 'agent' ? 'agent' : 'any',
    needsNote: true,
  }).refusal;
}

function autoAdvance(
  checkpoint: SessionCheckpoint,
  question: Question,
): Settled | { readonly refusal: Refusal } {
  const { blocking, defaultOption, autoAdvanceMs } = checkpoint;
  if (blocking === true)
    return refuse('INVALID_STATE', messages.blocking(checkpoint.id, optionsOf(checkpoint)));
  const option = checkpoint.options.find(({ id }) => id === defaultOption);
  if (option === undefined || autoAdvanceMs === undefined) {
    return refuse('INVALID_STATE', messages.noTimer(checkpoint.id, optionsOf(checkpoint)));
  }
  if (isNoteMissing(option, question)) return { refusal: noteRequired(checkpoint, option) };
  const left = autoAdvanceMs - openForMs(question);
  if (left > 0) return refuse('INVALID_STATE', messages.timerRunning(checkpoint.id, left));
  return { answer: { kind: 'auto-advance', option: option.id }, option };
}

/** The server takes the default option of a checkpoint that can be undone, if the session allows that. */
function takeDefault(
  checkpoint: SessionCheckpoint,
  { open, at }: Question,
): Settled | { readonly refusal: Refusal } {
  const option = defaultTaken(checkpoint, open, at);
  if (option !== undefined) return { answer: { kind: 'option', option: option.id }, option };
  return refuse('INVALID_STATE', messages.notReversible(checkpoint.id, optionsOf(checkpoint)));
}

/**
 * Returns the option that the server takes without asking, or `undefined` if the checkpoint is asked. A checkpoint that
 * needs a person is always asked.
 */
export function defaultTaken(
  checkpoint: SessionCheckpoint,
  open: OpenCheckpoint,
  at: Pick<DecisionInputs, 'gates' | 'autonomy'>,
): SessionCheckpointOption | undefined {
  if (at.autonomy !== 'reversible' || checkpoint.reversible !== true || waitsForHuman(open, checkpoint, at))
    return undefined;
  return checkpoint.options.find(
    ({ id, note, irreversible }) =>
      id === checkpoint.defaultOption && note !== 'required' && irreversible !== true,
  );
}

function dismiss(
  state: SessionState,
  checkpoint: SessionCheckpoint,
  { written }: Question,
): Settled | { readonly refusal: Refusal } {
  if (checkpoint.condition === undefined)
    return refuse('INVALID_STATE', messages.noCondition(checkpoint.id, optionsOf(checkpoint)));
  if (isAsked(state, written, checkpoint)) {
    return refuse('INVALID_STATE', messages.conditionMet(checkpoint.id, optionsOf(checkpoint)));
  }
  return { answer: { kind: 'dismissed' } };
}

function notOpen({ lastAnswer }: SessionState): string {
  return messages.noCheckpointOpen(lastAnswer?.checkpoint);
}

function optionsOf({ options }: SessionCheckpoint): readonly string[] {
  return options.map(({ id }) => id);
}

function openForMs({ open, at }: Question): number {
  return at.nowMs - Date.parse(open.yieldedAt);
}

/** An answer under consideration. */
interface ConsideredAnswer {
  readonly by: 'agent' | 'human';
  /** All values that the answer sets: from its option, as replacements for the previous answer, and from modes. */
  readonly values: Values;
  readonly effect: Effect | undefined;
  readonly checkpoint: SessionCheckpoint;
  readonly place: ActivityPlan;
  readonly at: DecisionInputs;
}

/**
 * Returns a refusal if an agent's answer would undo a person's decision at another checkpoint, or would take items from
 * a list that a loop of the activity runs over.
 */
function overrules(state: SessionState, answer: ConsideredAnswer): Refusal | undefined {
  if (answer.by !== 'agent') return undefined;
  return (
    setsDecided(state, answer) ??
    changesShown(state, answer) ??
    takesItems(state, answer) ??
    changesNext(state, answer)
  );
}

/** Refuses an agent's answer that sets a variable which a person decided, unless `set_by` names this checkpoint. */
function setsDecided(
  state: SessionState,
  { values, checkpoint: declared, at }: ConsideredAnswer,
): Refusal | undefined {
  for (const name of Object.keys(values)) {
    if (mayAnswerSet(at.navigator, name, declared)) continue;
    const owned = Object.entries(state.owners).find(
      ([other, owner]) => overlaps(other, name) && isDecidedByPerson(state, owner, at),
    );
    if (owned === undefined) continue;
    const [variable, { checkpoint, activity, sid }] = owned;
    return refuse(
      'VARIABLE_PROTECTED',
      `${decidedByPerson.variable(variable, checkpoint, activity, sid)} ${instead(declared)}`,
      {
        variable,
        variables: [variable],
        rule: 'owned',
        checkpoint_id: checkpoint,
        activity_id: activity,
        ...(sid === undefined ? {} : { session_id: sid }),
      },
    ).refusal;
  }
  return undefined;
}

function mayAnswerSet({ variables }: Navigator, name: string, checkpoint: SessionCheckpoint): boolean {
  const setBy = variables.find((one) => one.name === name)?.setBy ?? [];
  return setBy.includes(checkpoint.id) || setBy.includes('agent');
}

/** Refuses an agent's answer that changes a variable which a question to a person showed. */
function changesShown(
  state: SessionState,
  { values, checkpoint: declared, at }: ConsideredAnswer,
): Refusal | undefined {
  const shown = changeOfShown(state, values, (asked) => isPersons(state, asked, at));
  if (shown === undefined) return undefined;
  const { name: variable, checkpoint, activity } = shown;
  return refuse(
    'VARIABLE_PROTECTED',
    `${decidedByPerson.shown(variable, checkpoint, activity)} ${instead(declared)}`,
    { variable, variables: [variable], rule: 'frozen', checkpoint_id: checkpoint, activity_id: activity },
  ).refusal;
}

/** Returns whether the list of a loop would lose or replace items. A list that was never set is only an example. */
function takesItems(
  state: SessionState,
  { values, checkpoint, place }: ConsideredAnswer,
): Refusal | undefined {
  const { variables, assigned } = state;
  const context = { ...variables, ...values };
  const held = heldLists({ loops: place.loops, context }, { before: variables, given: values });
  const list = Object.keys(held ?? {}).find((over) => assigned.includes(rootOf(over)));
  if (list === undefined) return undefined;
  return refuse(
    'VARIABLE_PROTECTED',
    `${decidedByPerson.listOfLoop(list, place.id)} ${instead(checkpoint)}`,
    {
      variable: list,
      variables: [list],
      rule: 'loop',
      ...loopOver(place, list),
      activity_id: place.id,
    },
  ).refusal;
}

/**
 * Refuses an option that names the next activity in a visit in which a person answered, or that skips the activity that
 * a person named.
 */
function changesNext(
  state: SessionState,
  { effect = {}, checkpoint, at }: ConsideredAnswer,
): Refusal | undefined {
  const { transitionTo, skipActivities = [] } = effect;
  const { answered, answeredBefore = [] } = state;
  const decided = [...answeredBefore, ...answered].findLast(
    (one) => one.answer.kind !== 'dismissed' && isPersons(state, one, at),
  );
  const named = namedByPerson(state, at);
  const isNaming = transitionTo !== undefined && decided !== undefined;
  if (!isNaming && (named === undefined || !skipActivities.includes(named))) return undefined;
  const why =
    named === undefined
      ? decidedByPerson.answered(decided?.checkpoint ?? '')
      : decidedByPerson.next(named, isNaming ? 'names another' : 'skips it');
  return refuse('HUMAN_REQUIRED', `${why} ${instead(checkpoint)}`, {
    checkpoint_id: checkpoint.id,
    reason: 'decided',
  }).refusal;
}

function instead({ id }: SessionCheckpoint): string {
  return decidedByPerson.letPersonAnswer(id);
}
