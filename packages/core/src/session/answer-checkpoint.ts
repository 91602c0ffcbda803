import type { CheckpointOption, Effect } from '@workflowlookup/schema';
import { defined, maxNoteChars, unlessEmpty } from '@workflowlookup/schema';
import type { SessionCheckpoint, ActivityPlan } from '../navigation/navigator.ts';
import type { DecisionInputs, Decision, Refusal, SessionCommand } from './command.ts';
import { refuse } from './command.ts';
import { aboutOthers, isAboutSame, isOfCheckpoint } from './evolve.ts';
import { heldLists, loopOver } from './outputs/loop-iterations.ts';
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
  ownValue,
  pathsInto,
  rootOf,
  setByEach,
  withModeDefaults,
} from './session-state.ts';
import { decidedByPerson, messages } from '../messages/sessions.ts';

type AnswerCommand = Extract<SessionCommand, { kind: 'answer' }>;

/** An answer under consideration. */
interface ConsideredAnswer {
  readonly state: SessionState;
  /** With whom the answer counts as. */
  readonly command: AnswerCommand;
  readonly at: DecisionInputs;
  readonly open: OpenCheckpoint;
  readonly checkpoint: SessionCheckpoint;
  /** The activity, with the variables as they are before the answer. */
  readonly place: ActivityPlan;
  /** Whether only a person may answer. */
  readonly isForPerson: boolean;
}

/** An accepted answer with the option whose effect applies. */
interface Settled {
  readonly answer: Answer;
  readonly option?: CheckpointOption;
}

export function answerCheckpoint(
  state: SessionState,
  command: AnswerCommand,
  at: DecisionInputs,
): Decision<SessionEvent> {
  const { gate: open, lastAnswer } = state;
  if (open === undefined) return refuse('INVALID_STATE', messages.noCheckpointOpen(lastAnswer?.checkpoint));
  const { note = '' } = command;
  if (note.length > maxNoteChars)
    return refuse('INVALID_INPUT', messages.noteTooLong(note.length, maxNoteChars), { field: 'note' });
  const { activity } = open;
  const place = at.navigator.place(activity, state);
  const checkpoint = place.checkpoints.find(({ id }) => id === open.checkpoint);
  if (checkpoint === undefined) {
    const known = place.checkpoints.map(({ id }) => id);
    return refuse('CHECKPOINT_NOT_FOUND', messages.checkpointNotFound(activity, open.checkpoint, known));
  }
  const isDriver = speaksForAgent(state, command);
  const given = isDriver ? ofAgent(command) : command;
  const isForPerson = waitsForHuman(open, checkpoint, at);
  if (given.by === 'agent' && isForPerson) return needsPerson(checkpoint, isDriver);
  const considered = { state, command: given, at, open, checkpoint, place, isForPerson };
  const settled = settle(considered);
  return 'code' in settled ? settled : apply(considered, settled);
}

function apply(considered: ConsideredAnswer, { answer, option }: Settled): Decision<SessionEvent> {
  const { state, command, at, open, checkpoint, place } = considered;
  const { by, person, note, origin } = command;
  const { effect } = option ?? {};
  const seen = placeOfQuestion(state, place, checkpoint);
  const item = itemOfQuestion(state, seen);
  const undone = answer.kind === 'dismissed' ? undefined : undoneBy(considered, item);
  const set = withPaths(state, effect?.setVariable);
  const decided = { ...withPaths(state, undone), ...set };
  const guarded = by === 'agent' ? reservedFromAnswer(at.navigator, open) : new Set<string>();
  const before = { ...without(state, undone), guarded };
  const variables = { ...decided, ...withPaths(state, withModeDefaults(at.navigator, before, set)) };
  const overruled = by === 'agent' ? overrules(considered, variables, effect) : undefined;
  if (overruled !== undefined) return overruled;
  const { workflow } = at.navigator;
  const event: SessionEvent = {
    type: 'checkpoint-answered',
    activity: open.activity,
    checkpoint: checkpoint.id,
    answer,
    by,
    variables,
    ...setByEach(variables, (name) => (Object.hasOwn(decided, name) ? 'checkpoint' : 'mode')),
    ...defined({ person, note, effect, replaces: undone && true, origin }),
    ...(answer.kind !== 'dismissed' && {
      ...(dropsNext(considered, effect) && { dropsNext: true }),
      ...defined({
        owns: unlessEmpty(ownedBeside(considered, variables, { ...undone, ...effect?.setVariable })),
        item,
      }),
      decided: questionDecided({ open, checkpoint, place: seen, workflow, evidence: state.evidence }),
    }),
  };
  return { ok: true, event, warnings: [] };
}

/**
 * Returns the values that replace the ones set by the previous answer to the same question: values set by answers about
 * other items of a loop, else the definition's defaults. Returns `undefined` if there is nothing to undo.
 */
function undoneBy({ state, open, at }: ConsideredAnswer, item: AnsweredItem | undefined): Values | undefined {
  const { owners, origins, skippedBy = [], expected, expectedBy } = state;
  const isReplaced = (one: DecidedCheckpoint): boolean =>
    isOfCheckpoint(one, open) && isAboutSame(one.item, item);
  const isByIt = (name: string): boolean => {
    const origin = ownValue(origins, name);
    return origin?.by === 'mode' || (origin?.by === 'checkpoint' && origin.checkpoint === open.checkpoint);
  };
  const replaced = Object.entries(owners).filter(
    ([name, owner]) =>
      isOfCheckpoint(owner, open) &&
      owner.left !== true &&
      isByIt(name) &&
      isAboutSame(owner.byItem?.at(-1)?.item, item),
  );
  const isExpectedReplaced = expected !== undefined && expectedBy !== undefined && isReplaced(expectedBy);
  if (replaced.length === 0 && !isExpectedReplaced && !skippedBy.some(isReplaced)) return undefined;
  const first = initialVariables(at.navigator);
  return Object.fromEntries(
    replaced.map(([name, owner]) => {
      const other = aboutOthers(owner, item).at(-1);
      return [name, other === undefined ? (ownValue(first, name) ?? null) : other.value];
    }),
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

/** A person's answer that names no next activity drops the one that an agent's answer named. */
function dropsNext(
  { state, command, isForPerson, at }: ConsideredAnswer,
  effect: Effect | undefined,
): boolean {
  const isAgents = state.expected !== undefined && namedByPerson(state, at) === undefined;
  return command.by === 'human' && isAgents && effect?.transitionTo === undefined && isForPerson;
}

/**
 * Returns the variables that belong to a checkpoint in addition to those its chosen option sets: those named like a path
 * into them, defaults of modes that the answer activated and, if a person answered, the variables of the other options,
 * because the person decided against them. Variables that another person decided stay with that person.
 */
function ownedBeside(
  { state, command, open, checkpoint, isForPerson, at }: ConsideredAnswer,
  variables: Values,
  set: Values,
): readonly string[] {
  const isFree = (name: string): boolean => {
    const owner = ownValue(state.owners, name);
    if (owner === undefined) return true;
    if (isOfCheckpoint(owner, open)) return Object.hasOwn(variables, name);
    return isForPerson && !isDecidedByPerson(state, owner, at);
  };
  const others = command.by === 'human' ? namesSetByAnswers(checkpoint) : [];
  const names = [...new Set([...others, ...Object.keys(variables)])];
  return names.filter((name) => !Object.hasOwn(set, name) && isFree(name));
}

/**
 * Returns whether the credential of an answer also started, moved or stopped this session. Such a credential may belong
 * to the agent, so its answer does not count as a person's. A client that the policy trusts counts as a person with any
 * credential.
 */
function speaksForAgent(state: SessionState, { origin }: AnswerCommand): boolean {
  return origin?.assurance !== 'client' && hasDriven(state, origin?.credential);
}

/** Returns an answer as one of the agent, whoever it says that it is from. */
function ofAgent({ person: _person, origin, ...command }: AnswerCommand): AnswerCommand {
  const ours = origin && { ...origin, assurance: 'agent' as const };
  return { ...command, by: 'agent', ...defined({ origin: ours }) };
}

function needsPerson({ id }: SessionCheckpoint, isDriver: boolean): Refusal {
  const message = isDriver ? messages.sameCredential(id) : messages.needsPerson(id);
  const reason = isDriver ? 'same-credential' : 'agent';
  return refuse('HUMAN_REQUIRED', message, { checkpoint_id: id, reason });
}

/** Checks an answer. An agent can choose an option only while the condition of the checkpoint is true. */
function settle(considered: ConsideredAnswer): Settled | Refusal {
  const { state, command, checkpoint, place } = considered;
  const settled = settleBy(considered);
  if (command.by !== 'agent' || 'code' in settled || settled.option === undefined) return settled;
  if (isAsked(state, place, checkpoint)) return settled;
  const { id } = checkpoint;
  const data = { checkpoint_id: id, reason: 'condition-not-met' };
  return refuse('INVALID_STATE', messages.conditionNotMet(id), data);
}

function settleBy(considered: ConsideredAnswer): Settled | Refusal {
  const { command, checkpoint, open, at } = considered;
  const { id, options } = checkpoint;
  const optionIds = options.map((option) => option.id);
  switch (command.mode.kind) {
    case 'option':
      return chooseOption(considered, command.mode.option, optionIds);
    case 'auto-advance':
      return autoAdvance(considered, optionIds);
    case 'condition-not-met':
      return dismiss(considered, optionIds);
    case 'by-policy': {
      const option = defaultTaken(checkpoint, at, open);
      if (option === undefined) return refuse('INVALID_STATE', messages.notReversible(id, optionIds));
      return { answer: { kind: 'option', option: option.id }, option };
    }
  }
}

function chooseOption(
  considered: ConsideredAnswer,
  chosen: string,
  optionIds: readonly string[],
): Settled | Refusal {
  const { checkpoint, command, at } = considered;
  const option = checkpoint.options.find(({ id }) => id === chosen);
  if (option === undefined) {
    const message = messages.optionNotFound(checkpoint.id, chosen, optionIds);
    return refuse('INVALID_STATE', message, { option_id: chosen });
  }
  if (isNoteMissing(option, considered)) return noteRequired(checkpoint, option);
  const left = at.minResponseMs - openForMs(considered);
  if (left > 0 && command.by === 'agent' && checkpoint.approver !== 'agent') {
    return refuse('INVALID_STATE', messages.answerTooSoon(Math.ceil(left / 1000)));
  }
  return { answer: { kind: 'option', option: chosen }, option };
}

function isNoteMissing({ note }: CheckpointOption, { command }: ConsideredAnswer): boolean {
  return note === 'required' && (command.note ?? '').trim() === '';
}

function noteRequired({ id, approver }: SessionCheckpoint, option: CheckpointOption): Refusal {
  const data = { checkpoint_id: id, option_id: option.id };
  return refuse('NOTE_REQUIRED', messages.noteRequired(id, option.id), data, {
    kind: 'answer',
    checkpoint: id,
    options: [option.id],
    by: approver === 'agent' ? 'agent' : 'any',
    needsNote: true,
  });
}

function autoAdvance(considered: ConsideredAnswer, optionIds: readonly string[]): Settled | Refusal {
  const { checkpoint } = considered;
  const { id, blocking, defaultOption, autoAdvanceMs, options } = checkpoint;
  if (blocking === true) return refuse('INVALID_STATE', messages.blocking(id, optionIds));
  const option = options.find((one) => one.id === defaultOption);
  if (option === undefined || autoAdvanceMs === undefined)
    return refuse('INVALID_STATE', messages.noTimer(id, optionIds));
  if (isNoteMissing(option, considered)) return noteRequired(checkpoint, option);
  const left = autoAdvanceMs - openForMs(considered);
  if (left > 0) return refuse('INVALID_STATE', messages.timerRunning(id, left));
  return { answer: { kind: 'auto-advance', option: option.id }, option };
}

/**
 * Returns the option that the server takes without asking, or `undefined` if the checkpoint is asked. A checkpoint that
 * needs a person is always asked. `open` is what was fixed when it was yielded.
 */
export function defaultTaken(
  checkpoint: SessionCheckpoint,
  at: Pick<DecisionInputs, 'gates' | 'autonomy'>,
  open: Pick<OpenCheckpoint, 'approver'> = {},
): CheckpointOption | undefined {
  if (at.autonomy !== 'reversible' || checkpoint.reversible !== true || waitsForHuman(open, checkpoint, at))
    return undefined;
  return checkpoint.options.find(
    ({ id, note, irreversible }) =>
      id === checkpoint.defaultOption && note !== 'required' && irreversible !== true,
  );
}

function dismiss(
  { state, checkpoint, place }: ConsideredAnswer,
  optionIds: readonly string[],
): Settled | Refusal {
  const { id, condition } = checkpoint;
  if (condition === undefined) return refuse('INVALID_STATE', messages.noCondition(id, optionIds));
  if (isAsked(state, place, checkpoint)) return refuse('INVALID_STATE', messages.conditionMet(id, optionIds));
  return { answer: { kind: 'dismissed' } };
}

function openForMs({ open, at }: ConsideredAnswer): number {
  return at.nowMs - Date.parse(open.yieldedAt);
}

/**
 * Returns a refusal if an agent's answer would undo a person's decision at another checkpoint, or would take items from
 * a list that a loop of the activity runs over. `values` are all that the answer sets: from its option, as replacements
 * for the previous answer, and from modes.
 */
function overrules(
  considered: ConsideredAnswer,
  values: Values,
  effect: Effect | undefined,
): Refusal | undefined {
  return (
    setsDecided(considered, values) ??
    changesShown(considered, values) ??
    takesItems(considered, values) ??
    changesNext(considered, effect)
  );
}

/** Refuses an agent's answer that sets a variable which a person decided, unless `set_by` names this checkpoint. */
function setsDecided(
  { state, checkpoint: declared, at }: ConsideredAnswer,
  values: Values,
): Refusal | undefined {
  for (const name of Object.keys(values)) {
    const setBy = at.navigator.variables.find((one) => one.name === name)?.setBy ?? [];
    if (setBy.includes(declared.id) || setBy.includes('agent')) continue;
    const owned = Object.entries(state.owners).find(
      ([other, owner]) => overlaps(other, name) && isDecidedByPerson(state, owner, at),
    );
    if (owned === undefined) continue;
    const [variable, { checkpoint, activity, sid }] = owned;
    return refuseProtected(declared, decidedByPerson.variable(variable, checkpoint, activity, sid), {
      variable,
      rule: 'owned',
      ...defined({ checkpoint_id: checkpoint, activity_id: activity, session_id: sid }),
    });
  }
  return undefined;
}

/** Refuses an agent's answer that changes a variable which a question to a person showed. */
function changesShown(
  { state, checkpoint: declared, at }: ConsideredAnswer,
  values: Values,
): Refusal | undefined {
  const shown = changeOfShown(state, values, (asked) => isPersons(state, asked, at));
  if (shown === undefined) return undefined;
  const { name: variable, checkpoint, activity } = shown;
  return refuseProtected(declared, decidedByPerson.shown(variable, checkpoint, activity), {
    variable,
    rule: 'frozen',
    checkpoint_id: checkpoint,
    activity_id: activity,
  });
}

/** Returns whether the list of a loop would lose or replace items. A list that was never set is only an example. */
function takesItems(
  { state: { variables, assigned }, checkpoint, place }: ConsideredAnswer,
  values: Values,
): Refusal | undefined {
  const context = { ...variables, ...values };
  const held = heldLists({ loops: place.loops, context }, { before: variables, given: values });
  const list = Object.keys(held).find((over) => assigned.includes(rootOf(over)));
  if (list === undefined) return undefined;
  return refuseProtected(checkpoint, decidedByPerson.listOfLoop(list, place.id), {
    variable: list,
    rule: 'loop',
    ...loopOver(place, list),
    activity_id: place.id,
  });
}

function refuseProtected(
  { id }: SessionCheckpoint,
  why: string,
  data: { readonly variable: string; readonly [field: string]: unknown },
): Refusal {
  const message = `${why} ${decidedByPerson.letPersonAnswer(id)}`;
  return refuse('VARIABLE_PROTECTED', message, { ...data, variables: [data.variable] });
}

/**
 * Refuses an option that names the next activity in a visit in which a person answered, or that skips the activity that
 * a person named.
 */
function changesNext({ state, checkpoint, at }: ConsideredAnswer, effect: Effect = {}): Refusal | undefined {
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
  return refuse('HUMAN_REQUIRED', `${why} ${decidedByPerson.letPersonAnswer(checkpoint.id)}`, {
    checkpoint_id: checkpoint.id,
    reason: 'decided',
  });
}
