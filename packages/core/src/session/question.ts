import { lookUp, variablesOf } from '@workflowlookup/conditions';
import { canonicalJson, digestOf } from '@workflowlookup/schema';
import { fillVariables, namesInText } from '../library/fill-variables.ts';
import { rootOf } from '../root-of.ts';
import type { SessionEventOf } from './evolve.ts';
import type { Gate, Navigator, Place } from './navigator.ts';
import { placeOfQuestion } from './open-checkpoints.ts';
import type { DecidedQuestion } from './session-event.ts';
import type { OpenGate, SessionState } from './session-state.ts';

/** A checkpoint that waits, as it was put. */
export interface AskedQuestion {
  readonly open: OpenGate;
  readonly gate: Gate;
  /** The activity as the checkpoint sees it. */
  readonly place: Place;
  readonly workflow: Pick<Navigator['workflow'], 'id' | 'digest'>;
}

/**
 * What an answer decides. The digest covers everything the person saw and the checkpoint read: the texts and options with
 * the variables filled in, what each option does, the values, the definition, and the revision that asked.
 */
export function questionDecided(question: AskedQuestion): DecidedQuestion {
  return decidedBy(question, { hasUnset: true });
}

/** Older versions recorded only the variables that had a value. */
function decidedBy(
  { open, gate, place, workflow }: AskedQuestion,
  { hasUnset }: { readonly hasUnset: boolean },
): DecidedQuestion {
  const { context } = place;
  const { revision = 0 } = open;
  const fill = (text: string): string => fillVariables(text, context);
  const names = namesShown(gate);
  const shown = withListsOf(
    place,
    names.filter((name) => isKnown(lookUp(context, name))),
  );
  const unset = hasUnset ? names.filter((name) => !shown.includes(name)) : [];
  const read = gate.condition === undefined ? [] : [...variablesOf(gate.condition)];
  const digest = digestOf({
    checkpoint: gate.id,
    activity: open.activity,
    name: fill(gate.name),
    message: fill(gate.message),
    options: gate.options.map(({ id, label, description = '', effect = {} }) => ({
      id,
      label: fill(label),
      description: fill(description),
      effect,
    })),
    values: [...new Set([...shown, ...unset, ...read])].map((name) => [name, lookUp(context, name) ?? null]),
    definition: workflow.digest,
    revision,
  });
  return { digest, revision, shown, ...(unset.length === 0 ? {} : { unset }) };
}

/**
 * Whether an answer still belongs to the question it was given to: the digest in its event is that of the question as the
 * definition and the variables before the answer make it. `undefined` for answers that recorded none.
 */
export function isAnswerTo(
  event: SessionEventOf<'checkpoint-answered'>,
  before: SessionState,
  navigator: Navigator,
): boolean | undefined {
  const { decided, checkpoint, activity } = event;
  if (decided === undefined) return undefined;
  const { gate: open } = before;
  if (open?.checkpoint !== checkpoint || open.activity !== activity) return false;
  const place = navigator.place(activity, before);
  const gate = place.gates.find(({ id }) => id === checkpoint);
  if (gate === undefined) return false;
  const asked = placeOfQuestion(before, place, gate);
  const question = { open, gate, place: asked, workflow: navigator.workflow };
  const now = decidedBy(question, { hasUnset: decided.unset !== undefined });
  const namesOf = ({ shown, unset = [] }: DecidedQuestion): string => canonicalJson([shown, unset]);
  return now.digest === decided.digest && namesOf(now) === namesOf(decided);
}

/** The variables that the texts of a checkpoint and of its options show. */
export function namesShown({ name, message, options }: Gate): readonly string[] {
  const texts = [name, message, ...options.flatMap(({ label, description = '' }) => [label, description])];
  return [...new Set(texts.flatMap(namesInText))];
}

/** The item of a loop is not a variable of the session: what an agent could change is the list that it comes from. */
function withListsOf({ loops, around = [] }: Place, shown: readonly string[]): readonly string[] {
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
