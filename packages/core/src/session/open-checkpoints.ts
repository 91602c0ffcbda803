import type { Context } from '@workflowlookup/conditions';
import type { Json } from '@workflowlookup/schema';
import { evaluate, lookUp, variablesOf } from '@workflowlookup/conditions';
import { canonicalJson, defined, digestOf, unlessEmpty } from '@workflowlookup/schema';
import { fillVariables, namesInText } from '../library/texts.ts';
import type { SessionCheckpoint, Navigator, ActivityPlan } from '../navigation/navigator.ts';
import type { DecisionInputs } from './command.ts';
import { needsHuman } from './command.ts';
import type { SessionEventOf } from './evolve.ts';
import { withItem } from './outputs/loop-iterations.ts';
import type { StepAccount, CheckpointGroup } from './outputs/step-account.ts';
import { accountForSteps, unnamedCheckpoints } from './outputs/step-account.ts';
import type { AnsweredItem, DecidedQuestion, VariableOwner } from './session-event.ts';
import type {
  AnsweredCheckpoint,
  AskedCheckpoint,
  OpenCheckpoint,
  RecordedEvidence,
  SessionState,
} from './session-state.ts';
import { rootOf } from './session-state.ts';

/** The inputs that decide which checkpoints need a person. */
export type Judging = Pick<DecisionInputs, 'navigator' | 'gates'>;

/** Returns whether only a person may answer a checkpoint of an activity. */
export function isPersons(
  state: SessionState,
  { checkpoint, activity }: AskedCheckpoint,
  at: Judging,
): boolean {
  return at.navigator
    .place(activity, state)
    .checkpoints.some((one) => one.id === checkpoint && needsHuman(one, at));
}

/** Returns the next activity that an answer named, if it answered a checkpoint that needs a person. */
export function namedByPerson(state: SessionState, at: Judging): string | undefined {
  const { expected, expectedBy } = state;
  return expectedBy !== undefined && isPersons(state, expectedBy, at) ? expected : undefined;
}

export function namesSetByAnswers({ options }: SessionCheckpoint): readonly string[] {
  return options.flatMap(({ effect }) => Object.keys(effect?.setVariable ?? {}));
}

/** Returns whether every decision about a variable was made by a person. */
export function isDecidedByPerson(state: SessionState, owner: VariableOwner, at: Judging): boolean {
  return owner.sid === undefined ? isPersons(state, owner, at) : owner.approver !== 'any';
}

/** Returns whether only a person may answer the open checkpoint of a session. */
export function waitsForHuman(
  open: Pick<OpenCheckpoint, 'approver'>,
  checkpoint: SessionCheckpoint,
  at: Pick<DecisionInputs, 'gates'>,
): boolean {
  return open.approver === 'human' || needsHuman(checkpoint, at);
}

/** An open checkpoint of a session, and the activity that asks it. */
export interface AskedHere {
  readonly open: OpenCheckpoint;
  readonly checkpoint: SessionCheckpoint;
  readonly place: ActivityPlan;
}

/** Returns the open checkpoint of a session, or `undefined` if none is open or the definition has none of that name. */
export function askedHere(navigator: Navigator, state: SessionState): AskedHere | undefined {
  const { gate: open } = state;
  if (open === undefined) return undefined;
  const place = navigator.place(open.activity, state);
  const checkpoint = place.checkpoints.find(({ id }) => id === open.checkpoint);
  return checkpoint && { open, checkpoint, place };
}

/** Who decides at a checkpoint. */
export type Decider = 'person' | 'user' | 'agent';

/** Returns who decides at a checkpoint, without what was fixed when it was yielded. */
export function answeredBy(checkpoint: SessionCheckpoint, at: Pick<DecisionInputs, 'gates'>): Decider {
  if (needsHuman(checkpoint, at)) return 'person';
  return checkpoint.approver === 'agent' ? 'agent' : 'user';
}

/**
 * Returns whether a credential started, moved or stopped a session or its parent before. Such a credential counts as
 * the session's agents.
 */
export function hasDriven(
  { drivers }: Pick<SessionState, 'drivers'>,
  credential: string | undefined,
): boolean {
  return credential !== undefined && drivers.includes(credential);
}

/**
 * Returns the checkpoints that the steps of an activity stop at, whose condition is true, and that were not answered in
 * this visit: in a loop once for each iteration. One that sent the work back stays open, whatever its condition says
 * afterwards, until it is answered or dismissed.
 */
export function openCheckpoints(
  state: Pick<SessionState, 'answered'>,
  place: ActivityPlan,
  account: StepAccount,
): readonly SessionCheckpoint[] {
  return place.checkpoints
    .filter(({ id }) => account.checkpoints.has(id))
    .filter(isOpen(state, place, account));
}

/** Returns the checkpoints that no step names and that an agent may stop at. */
export function optionalCheckpoints(
  state: Pick<SessionState, 'answered'>,
  place: ActivityPlan,
  account: StepAccount,
): readonly SessionCheckpoint[] {
  return unnamedCheckpoints(place)
    .filter(({ id }) => !account.checkpoints.has(id))
    .filter(isOpen(state, place, account));
}

/** A step that is done because its checkpoint was answered. */
export interface AnsweredStep {
  /** In a loop `loop-id@0::step-id`. */
  readonly id: string;
  readonly option: string;
  readonly answer: AnsweredCheckpoint;
}

/**
 * Returns the required steps whose checkpoint was answered in this visit, with the last option. A step whose answer sent
 * the work back is not among them, nor is one whose checkpoint was only dismissed: it is asked once its condition is true.
 */
export function answeredSteps(
  { answered }: Pick<SessionState, 'answered'>,
  { checkpoints }: ActivityPlan,
  { required }: StepAccount,
): readonly AnsweredStep[] {
  return required.flatMap(({ id, step, group }) => {
    const declared = checkpoints.find((one) => one.id === step.checkpoint);
    if (declared === undefined || isSentBack(declared, answered)) return [];
    const last = answered.findLast(
      ({ checkpoint, iteration = '', answer }) =>
        checkpoint === declared.id && iteration === group && answer.kind !== 'dismissed',
    );
    return last === undefined || last.answer.kind === 'dismissed'
      ? []
      : [{ id, option: last.answer.option, answer: last }];
  });
}

function isOpen(
  { answered }: Pick<SessionState, 'answered'>,
  { context }: ActivityPlan,
  { values, checkpoints }: StepAccount,
): (checkpoint: SessionCheckpoint) => boolean {
  const seen: Context = { ...context, ...values };
  return (checkpoint) => {
    const asked = reachedNodes(checkpoint, checkpoints.get(checkpoint.id) ?? [{ group: '', item: {} }], seen);
    const isHeld = asked.length > 0 || !isDismissed(checkpoint, answered);
    return unanswered(checkpoint, asked, answered).length > 0 || (isHeld && isSentBack(checkpoint, answered));
  };
}

function reachedNodes(
  { condition }: SessionCheckpoint,
  stops: readonly CheckpointGroup[],
  seen: Context,
): readonly CheckpointGroup[] {
  return condition === undefined
    ? stops
    : stops.filter(({ item }) => evaluate(condition, withItem(seen, item)));
}

/**
 * Returns the stops that no answer is about. An answer without an iteration counts for the first stop that is left. A
 * dismissal is no answer: it only says that the condition was false then.
 */
function unanswered(
  { id }: SessionCheckpoint,
  stops: readonly CheckpointGroup[],
  answered: SessionState['answered'],
): readonly CheckpointGroup[] {
  const own = answered.filter(({ checkpoint, answer }) => checkpoint === id && answer.kind !== 'dismissed');
  const done = new Set(own.map(({ iteration }) => iteration));
  const left = stops.filter(({ group }) => !done.has(group));
  return left.slice(own.filter(({ iteration }) => iteration === undefined).length);
}

/**
 * Returns the iteration that the next question of a checkpoint is about: the first one that stops at it without an
 * answer. If all have one, the last is asked again. `''` means a step outside of loops.
 *
 * @returns `undefined` if the checkpoint is asked in loops only and no iteration stops at it
 */
export function iterationToAsk(
  { answered }: Pick<SessionState, 'answered'>,
  place: ActivityPlan,
  declared: SessionCheckpoint,
): string | undefined {
  const account = accountForSteps(place);
  const stops = stopsAt(account, declared);
  const open = reachedNodes(declared, stops, { ...place.context, ...account.values });
  const [first] = unanswered(declared, open, answered);
  if (first !== undefined) return first.group;
  if (place.steps.some(({ checkpoint }) => checkpoint === declared.id)) return '';
  const last = answered.findLast(({ checkpoint }) => checkpoint === declared.id)?.iteration;
  // An agent may do more iterations of a loop without a list than its variables show now.
  return oneMore(place, declared, answered) ?? last ?? stops[0]?.group;
}

/** Returns whether steps in a loop stop at a checkpoint, so that each answer is about one iteration. */
export function isAskedInLoop({ loops }: ActivityPlan, { id }: SessionCheckpoint): boolean {
  return loops.some(({ steps }) => steps.some(({ checkpoint }) => checkpoint === id));
}

/** All stops of a checkpoint, also those of steps that a manifest may leave out. */
function stopsAt({ open }: StepAccount, { id }: SessionCheckpoint): readonly CheckpointGroup[] {
  const own = open.filter(({ step }) => step.checkpoint === id);
  return [...new Map(own.map(({ group, item }) => [group, { group, item }])).values()];
}

/** The next iteration of a loop that has no list to count by. */
function oneMore(
  { loops }: ActivityPlan,
  { id }: SessionCheckpoint,
  answered: SessionState['answered'],
): string | undefined {
  const loop = loops.find(
    ({ type, over, steps }) =>
      (type !== 'forEach' || over === undefined) && steps.some(({ checkpoint }) => checkpoint === id),
  );
  if (loop === undefined) return undefined;
  const length = Math.min(loop.maxIterations, answered.length + 1);
  return Array.from({ length }, (_, at) => `${loop.id}@${at}`).find(
    (one) => !answered.some(({ checkpoint, iteration }) => checkpoint === id && iteration === one),
  );
}

/** An activity as the question of a checkpoint sees it: in a loop, with the item of the iteration it is about. */
export function placeOfQuestion(
  state: Asking,
  place: ActivityPlan,
  checkpoint: SessionCheckpoint,
): ActivityPlan {
  const { item } = stopOfQuestion(state, place, checkpoint);
  return { ...place, context: withItem(place.context, item) };
}

/** Returns whether the condition of a checkpoint is true now, or once the required steps are done. */
export function isAsked(state: Asking, place: ActivityPlan, checkpoint: SessionCheckpoint): boolean {
  const { due, ...stop } = stopOfQuestion(state, place, checkpoint);
  return [place.context, due].some((seen) => reachedNodes(checkpoint, [stop], seen).length > 0);
}

type Asking = Pick<SessionState, 'answered'> & {
  readonly gate?: Pick<OpenCheckpoint, 'checkpoint' | 'iteration'>;
};

/** Returns the stop that a question is about, with the variables as they are once the required steps are done. */
function stopOfQuestion(
  { answered, gate: open }: Asking,
  place: ActivityPlan,
  checkpoint: SessionCheckpoint,
): CheckpointGroup & { readonly due: Context } {
  const account = accountForSteps(place);
  const due = { ...place.context, ...account.values };
  const asked = open?.checkpoint === checkpoint.id ? open.iteration : undefined;
  // Older versions asked about the iterations one after the other.
  const stop =
    asked === undefined
      ? reachedNodes(checkpoint, account.checkpoints.get(checkpoint.id) ?? [], due)[
          answersTo(checkpoint, answered)
        ]
      : stopsAt(account, checkpoint).find(({ group }) => group === asked);
  return { group: '', item: {}, ...stop, due };
}

/** Returns the item that the answer to the open question is about, or `undefined` outside of loops. */
export function itemOfQuestion(
  { since, loops = [], loopsSince, gate: open }: SessionState,
  { isRepeated }: ActivityPlan,
): AnsweredItem | undefined {
  const iteration = open?.iteration;
  if (isRepeated !== true)
    return iteration === undefined ? undefined : { entry: since, visit: since, iteration };
  const iterations = loops.map((one) => `${one.activity}/${one.loop}@${one.rounds}`);
  return defined({ entry: loopsSince ?? since, visit: since, round: iterations.join(' '), iteration });
}

/** How often a checkpoint was answered in this visit. One answer covers all steps of an activity, or of one iteration. */
export function answersTo({ id }: SessionCheckpoint, answered: SessionState['answered']): number {
  return answered.filter(({ checkpoint }) => checkpoint === id).length;
}

/** Returns whether the last answer to a checkpoint sent the work back. */
export function isSentBack({ id, revision }: SessionCheckpoint, answered: SessionState['answered']): boolean {
  const last = answered.findLast(
    ({ checkpoint, answer }) => checkpoint === id && answer.kind !== 'dismissed',
  );
  return revision !== undefined && last?.answer.kind === 'option' && last.answer.option === revision;
}

/** Returns whether a checkpoint was last dismissed, which counts while its condition is false. */
function isDismissed({ id }: SessionCheckpoint, answered: SessionState['answered']): boolean {
  return answered.findLast(({ checkpoint }) => checkpoint === id)?.answer.kind === 'dismissed';
}

/** A checkpoint that waits, as it was put; `place` is the activity as the checkpoint sees it. */
interface AskedQuestion extends AskedHere {
  readonly workflow: Pick<Navigator['workflow'], 'id' | 'digest'>;
  /** The evidence that the session has. */
  readonly evidence: SessionState['evidence'];
}

/**
 * Returns the question that an answer decides. The digest covers everything the person saw and the checkpoint read: the
 * texts and options with the variables filled in, the effects of each option, the values, the definition, and the
 * revision of the question.
 */
export function questionDecided({
  open,
  checkpoint,
  place,
  workflow,
  evidence,
}: AskedQuestion): DecidedQuestion {
  const { context } = place;
  const { revision = 0 } = open;
  const fill = (text: string): string => fillVariables(text, context);
  const names = namesShown(checkpoint);
  const shown = withListsOf(
    place,
    names.filter((name) => isKnown(lookUp(context, name))),
  );
  const unset = names.filter((name) => !shown.includes(name));
  const read = checkpoint.condition === undefined ? [] : [...variablesOf(checkpoint.condition)];
  const digest = digestOf({
    checkpoint: checkpoint.id,
    activity: open.activity,
    name: fill(checkpoint.name),
    message: fill(checkpoint.message),
    options: checkpoint.options.map(({ id, label, description = '', effect = {} }) => ({
      id,
      label: fill(label),
      description: fill(description),
      effect,
    })),
    values: [...new Set([...shown, ...unset, ...read])].map((name) => [name, lookUp(context, name) ?? null]),
    definition: workflow.digest,
    revision,
    ...defined({ evidence: evidence?.map(factsOf) }),
  });
  return defined({ digest, revision, shown, unset: unlessEmpty(unset) });
}

function factsOf({ activity, id, demand, revision, result }: RecordedEvidence): readonly Json[] {
  return [activity, id, demand, revision, result.outcome, result.level, result.tree ?? null];
}

/**
 * Returns whether an answer still belongs to its question: the digest in its event equals that of the question as the
 * definition and the variables before the answer produce it. Returns `undefined` for answers without a digest.
 */
export function isAnswerTo(
  event: SessionEventOf<'checkpoint-answered'>,
  before: SessionState,
  navigator: Navigator,
): boolean | undefined {
  const { decided, checkpoint, activity } = event;
  if (decided === undefined) return undefined;
  const found = askedHere(navigator, before);
  if (found?.open.checkpoint !== checkpoint || found.open.activity !== activity) return false;
  const place = placeOfQuestion(before, found.place, found.checkpoint);
  const question = { ...found, place, workflow: navigator.workflow, evidence: before.evidence };
  const now = questionDecided(question);
  const namesOf = ({ shown, unset = [] }: DecidedQuestion): string => canonicalJson([shown, unset]);
  return now.digest === decided.digest && namesOf(now) === namesOf(decided);
}

/** The variables that the texts of a checkpoint and of its options show. */
export function namesShown({ name, message, options }: SessionCheckpoint): readonly string[] {
  const texts = [name, message, ...options.flatMap(({ label, description = '' }) => [label, description])];
  return [...new Set(texts.flatMap(namesInText))];
}

/** The item of a loop is not a variable of the session. An agent could only change the list that it comes from. */
function withListsOf({ loops, around = [] }: ActivityPlan, shown: readonly string[]): readonly string[] {
  const names = new Set(shown);
  for (const name of names) {
    for (const { variable, over } of [...loops, ...around]) {
      if (over !== undefined && variable !== undefined && variable === rootOf(name)) names.add(rootOf(over));
    }
  }
  return [...names];
}

function isKnown(value: unknown): boolean {
  return value !== undefined && value !== null;
}
