import type { FileFinding } from '../findings/collect-findings.ts';
import type { Json } from '../json.ts';
import { escapePointer } from '../json.ts';
import { messages } from '../messages/workflow.ts';
import type {
  Activity,
  ActivityPart,
  ActivityStep,
  ActivityWorkflow,
  Checkpoint,
} from '../workflow/activity-workflow.ts';
import type { Field } from '../workflow/outputs.ts';
import { walkActions, walkActivitySteps } from '../workflow/walk.ts';
import { namesSetByOptions } from './variable-uses.ts';

/** The answer to a checkpoint, which sets a variable. */
interface Answer {
  readonly variable: string;
  readonly checkpoint: string;
  /** The activity that asks. */
  readonly asking: string;
  /** The values that the variable can have after it. */
  readonly values: readonly Json[];
}

/**
 * Warns about fields that set a variable after an answer has set it. Agents can't change the variable then, so the
 * server refuses the output and the session is stuck. Reports only steps that every session does after the answer.
 */
export function* checkProtectedVariables(workflow: ActivityWorkflow): Generator<FileFinding> {
  const reported = new Set<string>();
  for (const { answer, part } of stepsAfterAnswers(workflow)) {
    for (const [at, step] of (part.definition.steps ?? []).entries()) {
      if (!changes(step, answer)) continue;
      const pointer = `/steps/${at}/sets/${escapePointer(answer.variable)}`;
      const place = `${part.id}${pointer}`;
      if (reported.has(place)) continue;
      reported.add(place);
      const { variable, checkpoint, asking } = answer;
      const problem = messages.setAfterAnswer(variable, step.id, checkpoint, asking);
      yield { ...problem, file: part.file, pointer: part.pointer + pointer };
    }
  }
}

interface After {
  readonly answer: Answer;
  /** The activity that the session is in after the answer, or one that it always enters later. */
  readonly part: ActivityPart;
}

function* stepsAfterAnswers(workflow: ActivityWorkflow): Generator<After> {
  const parts = new Map(workflow.activities.map((part) => [part.id, part]));
  for (const part of workflow.activities) {
    for (const asked of part.definition.checkpoints ?? []) {
      for (const variable of new Set(namesSetByOptions(asked))) {
        if (!isOpen(workflow, variable)) continue;
        const about = { variable, checkpoint: asked.id, asking: part.id };
        const setting = asked.options.flatMap(({ effect: { setVariable, ...effect } = {} }) => {
          const value = setVariable?.[variable];
          return value === undefined ? [] : [{ value, ...effect }];
        });
        const values = setting.map(({ value }) => value);
        // The outputs of an activity are submitted after its questions.
        if (setting.length === asked.options.length && isCertain(part.definition, asked))
          yield { answer: { ...about, values }, part };
        for (const { value, transitionTo = onlyNext(part.definition), skipActivities = [] } of setting) {
          const skipped = new Set([part.id, ...skipActivities]);
          for (const later of certainlyAfter(transitionTo, parts, skipped))
            yield { answer: { ...about, values: [value] }, part: later };
        }
      }
    }
  }
}

/** Returns whether a variable has no `set_by` and no action that sets it, so that only the answer restricts it. */
function isOpen({ definition: { variables = [] }, activities }: ActivityWorkflow, name: string): boolean {
  if (variables.find((one) => one.name === name)?.set_by !== undefined) return false;
  return !activities.some(({ definition }) =>
    [...walkActions(definition)].some(({ action }) => action.action === 'set' && action.target === name),
  );
}

/** Returns whether a session must answer a checkpoint before it can leave the activity. */
function isCertain(activity: Activity, { id, condition, approver }: Checkpoint): boolean {
  if (condition !== undefined) return false;
  const asking = [...walkActivitySteps(activity)].filter(({ step }) => step.checkpoint === id);
  if (asking.length === 0) return approver === 'human';
  return asking.some(({ step, loop }) => loop === undefined && isDone(step));
}

/** Returns whether a step is done in every visit of its activity. */
function isDone({ required, may_be_missing: mayBeMissing, when, condition }: ActivityStep): boolean {
  return required !== false && mayBeMissing !== true && when === undefined && condition === undefined;
}

/** Returns whether a step sets the variable of an answer with a field that is not meant to repeat the answer. */
function changes(step: ActivityStep, { variable, values }: Answer): boolean {
  const field = step.fields?.find(({ id }) => id === step.sets?.[variable]);
  if (field === undefined || field.required === false || !isDone(step)) return false;
  return !mayRepeat(field, values);
}

/** Returns whether a field can repeat the answer: a boolean, or a choice that includes a value of the answer. */
function mayRepeat({ type = 'text', options = [] }: Field, values: readonly Json[]): boolean {
  if (type === 'boolean') return true;
  return type === 'choice' && values.some((value) => options.some((option) => option === value));
}

/** Returns the activities that every session enters one after the other, up to the first fork. */
function certainlyAfter(
  first: string | undefined,
  parts: ReadonlyMap<string, ActivityPart>,
  skipped: ReadonlySet<string>,
): readonly ActivityPart[] {
  const passed = new Set<string>();
  const found: ActivityPart[] = [];
  for (let id = first; id !== undefined && !passed.has(id) && !skipped.has(id);) {
    const part = parts.get(id);
    if (part === undefined) break;
    passed.add(id);
    found.push(part);
    id = onlyNext(part.definition);
  }
  return found;
}

/** Returns the activity that always comes after another one, if there is only one. */
function onlyNext({
  transitions = [],
  decisions = [],
  loops = [],
  checkpoints = [],
}: Activity): string | undefined {
  const isFree =
    decisions.length > 0 ||
    loops.some(({ activities = [] }) => activities.length > 0) ||
    checkpoints.some(({ options }) => options.some(({ effect }) => effect?.transitionTo !== undefined));
  const [only, ...others] = transitions;
  return isFree || others.length > 0 || only?.condition !== undefined ? undefined : only?.to;
}
