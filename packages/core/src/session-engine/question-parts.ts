import type { Context } from '@workflowlookup/conditions';
import { lookUp } from '@workflowlookup/conditions';
import type { Checkpoint, Json } from '@workflowlookup/schema';
import { canonicalJson, writeOutHidden } from '@workflowlookup/schema';
import type { TextPart } from '../library/fill-variables.ts';
import { fillParts } from '../library/fill-variables.ts';
import type { SessionState, VariableOrigin } from '../session/session-state.ts';
import { rootOf } from '../root-of.ts';

/** A variable whose value stands in the texts of a question. */
export interface ShownValue extends Partial<Omit<VariableOrigin, 'by'>> {
  readonly name: string;
  readonly value: Json;
  readonly by: VariableOrigin['by'];
  /** Whether the value is text of the definition. Any other may be what an agent wrote, and is marked as such. */
  readonly isFromWorkflow: boolean;
}

/** The texts of a question in parts, so that values can be told from what the workflow says. */
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

/** The texts of a checkpoint with the variables in them, in parts, and the values that stand in them. */
export function questionParts(
  { name, message, options }: Pick<Checkpoint, 'name' | 'message' | 'options'>,
  context: Context,
  state: Pick<SessionState, 'variables' | 'origins'>,
): { readonly parts: QuestionParts; readonly values: readonly ShownValue[] } {
  const fill = (text: string): readonly TextPart[] => fillParts(text, context);
  const parts: QuestionParts = {
    name: fill(name),
    message: fill(message),
    options: options.map(({ id, label, description }) => ({
      id,
      label: fill(label),
      ...(description === undefined ? {} : { description: fill(description) }),
    })),
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
  // The item of an iteration hides the variable of its name, and nobody recorded who wrote it.
  const isKept = kept !== undefined && canonicalJson(kept) === canonicalJson(value);
  const origin = isKept && Object.hasOwn(origins, key) ? origins[key] : undefined;
  const { by = 'unknown', ...more } = origin ?? {};
  return { name, value, by, isFromWorkflow: workflowSetters.has(by), ...more };
}

/**
 * A checkpoint with «…» around each value that is not text of the workflow, so that an agent can't write what looks like
 * a part of its question. Such a value stands on one line, with its hidden characters written out.
 */
export function markedCheckpoint({
  checkpoint,
  parts,
  values,
}: {
  readonly checkpoint: Omit<Checkpoint, 'condition'>;
  readonly parts: QuestionParts;
  readonly values: readonly ShownValue[];
}): Omit<Checkpoint, 'condition'> {
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
        ...(label === undefined ? {} : { label: marked(label) }),
        ...(description === undefined ? {} : { description: marked(description) }),
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
