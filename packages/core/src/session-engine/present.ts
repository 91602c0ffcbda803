import type { Context } from '@workflowlookup/conditions';
import { lookUp } from '@workflowlookup/conditions';
import type { Checkpoint, Json } from '@workflowlookup/schema';
import { WorkflowError, canonicalJson, defined, unlessEmpty, writeOutHidden } from '@workflowlookup/schema';
import type { TextPart } from '../library/texts.ts';
import { fillParts, fillTitleParts, presentCheckpoint } from '../library/texts.ts';
import { policyFor } from '../session/decide.ts';
import type { AskedHere } from '../session/open-checkpoints.ts';
import { askedHere, hasDriven, placeOfQuestion, waitsForHuman } from '../session/open-checkpoints.ts';
import type { SessionState, VariableOrigin } from '../session/session-state.ts';
import { ownValue, rootOf } from '../session/session-state.ts';
import type { Runnable, RunnableSession } from './open-session.ts';
import { readEvidence } from '../evidence/outside-evidence.ts';
import type { SessionParts, Presented } from './sessions.ts';
import { activityPart } from './open-session.ts';
import { messages } from '../messages/sessions.ts';

/**
 * Returns the open checkpoint of a session as it is presented to a person.
 *
 * @throws WorkflowError INVALID_STATE if none is open
 */
function present(
  { policy: ours, caller }: Pick<SessionParts, 'policy'> & Partial<Pick<SessionParts, 'caller'>>,
  session: RunnableSession,
): Presented {
  const waiting = waitingCheckpoint(session);
  if (waiting === undefined) throw new WorkflowError('INVALID_STATE', messages.nothingToPresent());
  const { open, checkpoint: declared, place } = waiting;
  const policy = policyFor(session.state, ours);
  const isPerson = caller?.mayRespond === true && !hasDriven(session.state, caller.credential);
  const isForHumans = !isPerson && waitsForHuman(open, declared, policy);
  const checkpoint = written(session.runnable, waiting);
  const { notDone, taken } = session.state;
  return {
    checkpoint: presentCheckpoint(checkpoint, place.context),
    ...questionParts(checkpoint, place.context, session.state),
    activity: open.activity,
    revision: session.state.revision,
    definition: definitionOf(session.state),
    yieldedAt: open.yieldedAt,
    answeredBy: isForHumans ? 'person' : declared.approver === 'agent' ? 'agent' : 'user',
    ...(isForHumans && { humanAnswersWith: ours.humanAnswersWith(session.state.sid) }),
    ...defined({ taken: unlessEmpty(taken), notDone: unlessEmpty(notDone) }),
    // The form of a client has no field for a note.
    mayElicit:
      (!isForHumans || policy.trustElicitation) && declared.options.every(({ note }) => note === undefined),
  };
}

/** Returns the open checkpoint of a session with the variables filled in, or `undefined` if none is open. */
export function openQuestion(session: {
  readonly state: SessionState;
  readonly runnable: Runnable;
}): Checkpoint | undefined {
  const waiting = waitingCheckpoint(session);
  return waiting && presentCheckpoint(written(session.runnable, waiting), waiting.place.context);
}

/** The same with the evidence of the session, as it stands at this moment. */
export async function presentWithEvidence(
  parts: Pick<SessionParts, 'policy' | 'evidence'> & Partial<Pick<SessionParts, 'caller'>>,
  session: RunnableSession,
): Promise<Presented> {
  const presented = present(parts, session);
  return { ...presented, ...defined({ evidence: unlessEmpty(await readEvidence(parts, session)) }) };
}

export function definitionOf({ digest, source }: RunnableSession['state']): Presented['definition'] {
  return defined({ digest, source });
}

/** Returns a checkpoint as its author wrote it. The checkpoint of a `requireConfirmation` has no author. */
function written(runnable: Runnable, { open, checkpoint }: AskedHere): Checkpoint {
  if (runnable.kind === 'activities') {
    const { checkpoints = [] } = activityPart(runnable.workflow, open.activity).definition;
    const found = checkpoints.find(({ id }) => id === checkpoint.id);
    if (found !== undefined) return found;
  }
  const { id, name, message, options, approver } = checkpoint;
  return { id, name, message, options, approver };
}

/** A variable whose value appears in the texts of a question. */
export interface ShownValue extends Partial<Omit<VariableOrigin, 'by'>> {
  readonly name: string;
  readonly value: Json;
  readonly by: VariableOrigin['by'];
  /** Whether the value comes from the definition. Any other value may have been written by an agent and is marked. */
  readonly isFromWorkflow: boolean;
}

/** The texts of a question in parts, so that values can be told apart from the workflow's own text. */
export interface QuestionParts {
  readonly name: readonly TextPart[];
  readonly message: readonly TextPart[];
  readonly options: readonly {
    readonly id: string;
    readonly label: readonly TextPart[];
    readonly description?: readonly TextPart[];
  }[];
}

// A loop over a list that an agent wrote sets its items as an action does, so an action vouches for nothing.
const workflowSetters: ReadonlySet<string> = new Set<VariableOrigin['by']>(['default', 'mode', 'checkpoint']);

/** Returns the texts of a checkpoint with the variables filled in, in parts, and the values used. */
function questionParts(
  { name, message, options }: Pick<Checkpoint, 'name' | 'message' | 'options'>,
  context: Context,
  state: Pick<SessionState, 'variables' | 'origins'>,
): { readonly parts: QuestionParts; readonly values: readonly ShownValue[] } {
  const fill = (text: string): readonly TextPart[] => fillParts(text, context);
  const title = (text: string): readonly TextPart[] => fillTitleParts(text, context);
  const parts: QuestionParts = {
    name: title(name),
    message: fill(message),
    options: options.map(({ id, label, description }) =>
      defined({
        id,
        label: title(label),
        description: description === undefined ? undefined : fill(description),
      }),
    ),
  };
  const texts = [
    parts.name,
    parts.message,
    ...parts.options.flatMap(({ label, description = [] }) => [label, description]),
  ].flat();
  const names = new Set(texts.flatMap((part) => (typeof part === 'string' ? [] : [part.variable])));
  return { parts, values: [...names].map((one) => shownValue(one, context, state)) };
}

function shownValue(
  name: string,
  context: Context,
  { variables, origins }: Pick<SessionState, 'variables' | 'origins'>,
): ShownValue {
  const value = lookUp(context, name) as Json;
  const key = Object.hasOwn(context, name) ? name : rootOf(name);
  const kept = lookUp(variables, name) as Json | undefined;
  // The item of an iteration hides the variable of its name, and its writer was not recorded.
  const isKept = kept !== undefined && canonicalJson(kept) === canonicalJson(value);
  const { by = 'unknown', ...more } = (isKept ? ownValue(origins, key) : undefined) ?? {};
  return { name, value, by, isFromWorkflow: workflowSetters.has(by), ...more };
}

/**
 * Returns a checkpoint with «…» around each value that is not text of the workflow, so that an agent can't write text
 * that looks like part of the question. Such a value is put on one line, with its hidden characters written out.
 */
export function markedCheckpoint({
  checkpoint,
  parts,
  values,
}: Pick<Presented, 'checkpoint' | 'parts' | 'values'>): Presented['checkpoint'] {
  const ours = new Set(values.flatMap(({ name, isFromWorkflow }) => (isFromWorkflow ? [name] : [])));
  const textOf = (part: TextPart): string => {
    if (typeof part === 'string') return part;
    return ours.has(part.variable) ? part.text : `«${oneLine(part.text)}»`;
  };
  const marked = (text: readonly TextPart[]): string => text.map(textOf).join('');
  return {
    ...checkpoint,
    name: marked(parts.name),
    message: marked(parts.message),
    options: checkpoint.options.map((option, at) => {
      const { label, description } = parts.options[at] ?? {};
      return {
        ...option,
        ...(label && { label: marked(label) }),
        ...(description && { description: marked(description) }),
      };
    }),
  };
}

/** A value that can't end its own mark, nor begin a line of the question. */
function oneLine(text: string): string {
  return writeOutHidden(text)
    .replaceAll(/[\r\n\t]/g, ' ')
    .replaceAll('«', '\\u{ab}')
    .replaceAll('»', '\\u{bb}');
}

/** Returns the open checkpoint, with the activity as its question sees it. */
function waitingCheckpoint({
  state,
  runnable: { navigator },
}: Pick<RunnableSession, 'state' | 'runnable'>): AskedHere | undefined {
  const asked = askedHere(navigator, state);
  return asked && { ...asked, place: placeOfQuestion(state, asked.place, asked.checkpoint) };
}
