import type { Context } from '@workflowlookup/conditions';
import { evaluate } from '@workflowlookup/conditions';
import type { Account, Stop } from './account-for.ts';
import { accountFor, unnamedGates } from './account-for.ts';
import type { Circumstances } from './command.ts';
import { wayGivenBy } from './evolve.ts';
import { withItem } from './loop-iterations.ts';
import type { Gate, Place } from './navigator.ts';
import { needsHuman } from './policy.ts';
import type { AnsweredItem, VariableOwner } from './session-event.ts';
import type { AskedGate, OpenGate, SessionState } from './session-state.ts';

/** What decides which checkpoints need a person. */
export type Judging = Pick<Circumstances, 'navigator' | 'gates'>;

/** Whether a checkpoint of an activity is one that only a person may answer. */
export function isPersons(state: SessionState, { checkpoint, activity }: AskedGate, at: Judging): boolean {
  return at.navigator
    .place(activity, state)
    .gates.some((one) => one.id === checkpoint && needsHuman(one, at));
}

/** The next activity that the answer to a checkpoint named which needs a person. */
export function namedByPerson(state: SessionState, at: Judging): string | undefined {
  const { expected } = state;
  const asked = expected === undefined ? undefined : wayGivenBy(state);
  return asked !== undefined && isPersons(state, asked, at) ? expected : undefined;
}

/** The variables that the answers to a checkpoint set. */
export function namesSetByAnswers({ options }: Gate): readonly string[] {
  return options.flatMap(({ effect }) => Object.keys(effect?.setVariable ?? {}));
}

/** Whether only a person decided a variable. */
export function isDecidedByPerson(state: SessionState, owner: VariableOwner, at: Judging): boolean {
  return owner.sid === undefined ? isPersons(state, owner, at) : owner.approver !== 'any';
}

/** Whether only a person may answer the checkpoint a session waits at. */
export function waitsForHuman(open: OpenGate, gate: Gate, at: Pick<Circumstances, 'gates'>): boolean {
  return open.approver === 'human' || needsHuman(gate, at);
}

/** Whether a credential started, moved or stopped a session, or its parent before it: then it speaks for the agents of the session. */
export function hasDriven(
  { drivers }: Pick<SessionState, 'drivers'>,
  credential: string | undefined,
): boolean {
  return credential !== undefined && drivers.includes(credential);
}

/**
 * Checkpoints that the work of an activity stops at, whose condition holds, and that were not answered in this visit: in a
 * loop once for each iteration.
 */
export function openCheckpoints(
  state: Pick<SessionState, 'answered'>,
  place: Place,
  account: Account,
): readonly Gate[] {
  return place.gates.filter(({ id }) => account.checkpoints.has(id)).filter(isOpen(state, place, account));
}

/** The checkpoints that are open, then those that no step names and an agent may stop at as well. */
export function offeredCheckpoints(
  state: Pick<SessionState, 'answered'>,
  place: Place,
  account: Account,
): readonly Gate[] {
  const more = unnamedGates(place).filter(({ id }) => !account.checkpoints.has(id));
  return [...openCheckpoints(state, place, account), ...more.filter(isOpen(state, place, account))];
}

function isOpen(
  { answered }: Pick<SessionState, 'answered'>,
  { context }: Place,
  { values, checkpoints }: Account,
): (gate: Gate) => boolean {
  const seen: Context = { ...context, ...values };
  return (gate) => {
    const asked = stopsOf(gate, checkpoints.get(gate.id) ?? [{ group: '', item: {} }], seen);
    return unanswered(gate, asked, answered).length > 0 || (asked.length > 0 && isSentBack(gate, answered));
  };
}

/** The stops of a checkpoint at which its condition holds. */
function stopsOf({ condition }: Gate, stops: readonly Stop[], seen: Context): readonly Stop[] {
  return condition === undefined
    ? stops
    : stops.filter(({ item }) => evaluate(condition, withItem(seen, item)));
}

/** The stops that no answer is about. An answer that does not say its iteration counts for the first that is left. */
function unanswered(
  { id }: Gate,
  stops: readonly Stop[],
  answered: SessionState['answered'],
): readonly Stop[] {
  const own = answered.filter(({ checkpoint }) => checkpoint === id);
  const done = new Set(own.map(({ iteration }) => iteration));
  const left = stops.filter(({ group }) => !done.has(group));
  return left.slice(own.filter(({ iteration }) => iteration === undefined).length);
}

/**
 * The iteration that the next question of a checkpoint is about: the first that stops at it and has no answer. If all
 * have one, the last is asked again. `''` stands for a step outside of loops.
 *
 * @returns `undefined` if the checkpoint is asked in loops only and no iteration stops at it
 */
export function iterationToAsk(
  { answered }: Pick<SessionState, 'answered'>,
  place: Place,
  gate: Gate,
): string | undefined {
  const account = accountFor(place);
  const stops = stopsAt(account, gate);
  const open = stopsOf(gate, stops, { ...place.context, ...account.values });
  const [first] = unanswered(gate, open, answered);
  if (first !== undefined) return first.group;
  if (place.steps.some(({ checkpoint }) => checkpoint === gate.id)) return '';
  const last = answered.findLast(({ checkpoint }) => checkpoint === gate.id)?.iteration;
  // An agent may do more iterations of a loop without a list than its variables say now.
  return oneMore(place, gate, answered) ?? last ?? stops[0]?.group;
}

/** Whether steps in a loop stop at a checkpoint: then each answer is about one iteration. */
export function isAskedInLoop({ loops }: Place, { id }: Gate): boolean {
  return loops.some(({ steps }) => steps.some(({ checkpoint }) => checkpoint === id));
}

/** All stops of a checkpoint, also those of steps that a manifest may leave out. */
function stopsAt({ open }: Account, { id }: Gate): readonly Stop[] {
  const own = open.filter(({ step }) => step.checkpoint === id);
  return [...new Map(own.map(({ group, item }) => [group, { group, item }])).values()];
}

/** The next iteration of a loop that has no list to count by. */
function oneMore({ loops }: Place, { id }: Gate, answered: SessionState['answered']): string | undefined {
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
export function placeOfQuestion(state: Asking, place: Place, gate: Gate): Place {
  const { item } = stopOfQuestion(state, place, gate);
  return { ...place, context: withItem(place.context, item) };
}

/** Whether the condition of a checkpoint holds now, or once the steps that are due are done. */
export function isAsked(state: Asking, place: Place, gate: Gate): boolean {
  const { due, ...stop } = stopOfQuestion(state, place, gate);
  return [place.context, due].some((seen) => stopsOf(gate, [stop], seen).length > 0);
}

type Asking = Pick<SessionState, 'answered'> & {
  readonly gate?: Pick<OpenGate, 'checkpoint' | 'iteration'>;
};

/** The stop that a question is about, and the variables as they are once the steps that are due are done. */
function stopOfQuestion(
  { answered, gate: open }: Asking,
  place: Place,
  gate: Gate,
): Stop & { readonly due: Context } {
  const account = accountFor(place);
  const due = { ...place.context, ...account.values };
  const asked = open?.checkpoint === gate.id ? open.iteration : undefined;
  // Older versions asked about the iterations one after the other.
  const stop =
    asked === undefined
      ? stopsOf(gate, account.checkpoints.get(gate.id) ?? [], due)[answersTo(gate, answered)]
      : stopsAt(account, gate).find(({ group }) => group === asked);
  return { group: '', item: {}, ...stop, due };
}

/** What the answer to the open question is about; `undefined` outside of loops. */
export function itemOfQuestion(
  { since, loops, loopsSince, gate: open }: SessionState,
  { isRepeated }: Place,
): AnsweredItem | undefined {
  const iteration = open?.iteration === undefined ? {} : { iteration: open.iteration };
  if (isRepeated !== true)
    return open?.iteration === undefined ? undefined : { entry: since, visit: since, ...iteration };
  // A journal of an older version has no rounds: there each visit is one.
  const rounds = loops?.map((one) => `${one.activity}/${one.loop}@${one.rounds}`) ?? [`@${since}`];
  const entry = loops === undefined ? 0 : (loopsSince ?? since);
  return { entry, visit: since, round: rounds.join(' '), ...iteration };
}

/** How often a checkpoint was answered in this visit. One answer covers all steps of an activity, or of one iteration. */
export function answersTo({ id }: Gate, answered: SessionState['answered']): number {
  return answered.filter(({ checkpoint }) => checkpoint === id).length;
}

/** Whether the last answer to a checkpoint sent the work back. */
export function isSentBack({ id, revision }: Gate, answered: SessionState['answered']): boolean {
  const last = answered.findLast(({ checkpoint }) => checkpoint === id);
  return revision !== undefined && last?.answer.kind === 'option' && last.answer.option === revision;
}
