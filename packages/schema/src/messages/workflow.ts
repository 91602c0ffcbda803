import type { Finding, FindingCode } from '../findings/finding.ts';
import { longPromptLength, maxDepth, maxIssues, maxReadingSteps } from '../limits.ts';

// Every problem in the content of a workflow: ids, references, transitions, variables, decisions. A message states the
// problem with the value found; the suggestion says what to do next. Both go without a full stop.

/** What a finding says, wherever it is: its kind, its severity and its texts. */
export type Problem = Omit<Finding, 'pointer'>;

/** Returns a problem that prevents a definition, or the part that has it, from being served. */
export function error(code: FindingCode, message: string, suggestion: string): Problem {
  return { severity: 'error', code, message, suggestion };
}

/** Returns a problem that is an error although the definition is served. */
export function servedError(code: FindingCode, message: string, suggestion: string): Problem {
  return { ...error(code, message, suggestion), served: true };
}

export function warning(code: FindingCode, message: string, suggestion: string): Problem {
  return { severity: 'warning', code, message, suggestion };
}

/** Returns a suggestion to use the word that was probably meant, or another suggestion if there is no such word. */
export function correction(meant: string | undefined, otherwise: string): string {
  return meant === undefined ? otherwise : `Did you mean '${meant}'?`;
}

export const messages = {
  // Ids

  duplicateId: (kind: string, id: string, first: string) =>
    error(
      'duplicate-id',
      `Duplicate ${kind} id '${id}': ${first} has the same id`,
      `Give every ${kind} its own id`,
    ),
  duplicateStepId: (id: string, first: string) =>
    error(
      'duplicate-id',
      `Duplicate step id '${id}': ${first} has the same id`,
      'Give every step its own id, also across loops and their bodies',
    ),
  duplicateEntry: (key: 'id' | 'name', name: string, first: string) =>
    error(
      'duplicate-id',
      `Duplicate ${key} '${name}': ${first} has the same ${key}`,
      'Remove or rename one of the two',
    ),
  /** @param first the loop whose list has the id, undefined for the list of the activity; `second` likewise */
  stepIdInTwoLists: (id: string, first: string | undefined, second: string | undefined) => {
    const by = [first, second].map(
      (loop) => `by ${loop === undefined ? 'the activity itself' : `loop '${loop}'`}`,
    );
    const message = `Step id '${id}' is used ${by.join(' and ')}`;
    return warning('duplicate-id', message, 'Give every step of the activity its own id');
  },

  // Evidence

  /** @param found the kinds of evidence in the entry: none, or several */
  evidenceKindMissing: (id: string, found: readonly string[]) =>
    error(
      'wrong-value',
      `Evidence '${id}' must have exactly one of check, git, changes and file, found ${found.length === 0 ? 'none of them' : found.join(' and ')}`,
      'Name one of them, and split evidence of several kinds into several entries',
    ),
  /** @param counts the options that need test results, which GitHub check runs do not report */
  notFromGitHub: (id: string, counts: readonly string[]) => {
    const names = counts.map((one) => `'${one}'`).join(' and ');
    return error(
      'wrong-value',
      `Evidence '${id}' has ${names}, and check runs of GitHub count no tests, so it always fails`,
      `Remove ${names}, or remove 'github' and let CI sign a statement`,
    );
  },
  githubWithoutCi: (id: string) =>
    error(
      'wrong-value',
      `Evidence '${id}' has 'github', which has no effect without 'level: ci'`,
      "Add 'level: ci', or remove 'github'",
    ),
  ciOnlyForChecks: (id: string) =>
    error(
      'wrong-value',
      `Evidence '${id}' asks for 'level: ci', which only evidence with 'check' can reach`,
      "Use 'level: rerun', or name a check that CI runs",
    ),
  onlyForChecks: (id: string, option: string) =>
    error(
      'wrong-value',
      `Evidence '${id}' has '${option}', which only evidence with 'check' can have`,
      `Remove '${option}', or name a check`,
    ),
  filledTooLate: (id: string, name: string, by: string) =>
    warning(
      'stuck',
      `Evidence '${id}' names the variable '${name}', and step '${by}' of the same activity sets it by its output. An agent collects evidence before it submits the outputs, so the evidence can't be collected, or is stale when the agent moves on`,
      `Move the evidence to a step of a later activity`,
    ),
  lastItemOnly: (id: string, variable: string, loop: string) =>
    warning(
      'no-effect',
      `Evidence '${id}' names '${variable}', the item of the loop '${loop}'. Evidence is collected once for all iterations of the steps, and is about the last item only`,
      `Move the steps to an activity of its own, and name that under 'activities' of the loop`,
    ),

  // Checkpoints

  unknownCheckpoint: (
    { step, checkpoint, activity }: Record<'step' | 'checkpoint' | 'activity', string>,
    meant: string | undefined,
  ) =>
    servedError(
      'unknown-checkpoint',
      `Step '${step}' names checkpoint '${checkpoint}', but activity '${activity}' has no such checkpoint`,
      correction(meant, "Add it under 'checkpoints'"),
    ),
  unknownOption: (checkpoint: string, option: string, meant: string | undefined) =>
    servedError(
      'unknown-option',
      `Default option '${option}' is not an option of checkpoint '${checkpoint}'`,
      correction(meant, 'Name one of its options'),
    ),
  unfitDefault: (checkpoint: string, option: string, reason: 'note' | 'irreversible') =>
    warning(
      'unfit-default',
      reason === 'note'
        ? `Option '${option}' of checkpoint '${checkpoint}' requires a note, so the timer can't choose it`
        : `Option '${option}' of checkpoint '${checkpoint}' can't be undone, but the timer chooses it without asking anybody`,
      'Make another option the default',
    ),

  // Activities and transitions

  startsWith: 'The workflow starts with',
  modeSkips: (mode: string) => `Mode '${mode}' skips`,
  transitionLeadsTo: 'A transition leads to',
  decisionLeadsTo: (decision: string) => `Decision '${decision}' leads to`,
  loopRepeats: (loop: string) => `Loop '${loop}' repeats`,
  answerLeadsTo: (checkpoint: string) => `Checkpoint '${checkpoint}' leads to`,
  answerSkips: (checkpoint: string) => `Checkpoint '${checkpoint}' skips`,
  /** @param by one of those above */
  unknownActivity: (
    { by, id, mayEnd }: { readonly by: string; readonly id: string; readonly mayEnd: boolean },
    meant: string | undefined,
  ) =>
    error(
      'unknown-activity',
      `${by} activity '${id}', but the workflow has no such activity`,
      correction(
        meant,
        `Add a file 'activities/NN-${id}', or correct the name${mayEnd ? ", or write 'end' to complete the session" : ''}`,
      ),
    ),
  unreachableActivity: (id: string, initial: string) =>
    warning(
      'unreachable',
      `Activity '${id}' can't be reached from '${initial}'`,
      'Name it in a transition, a decision or an effect, or remove it',
    ),
  noActivity: () =>
    error(
      'no-activity',
      'The workflow has no activities',
      "Add a file 'activities/01-…', or list activities here",
    ),
  onlyBrokenActivities: () =>
    error('no-activity', 'Every activity of the workflow has errors', 'Correct at least one of them'),
  inBorrowedActivity: (id: string, message: string) => `Borrowed activity '${id}': ${message}`,

  // Loops

  unknownBody: (loop: string, body: string, meant: string | undefined) =>
    error(
      'unknown-step',
      `Loop '${loop}' names step '${body}' as its body, but there is no such step in the same list`,
      correction(meant, 'Name a step of the same list, or write the steps in its body'),
    ),
  bodyLeadsBack: (loop: string, chain: readonly string[]) =>
    error(
      'unknown-step',
      `The body of loop '${loop}' leads back to the loop: '${[loop, ...chain].join("', '")}'`,
      'Name a step that is not a loop, or write the steps in its body',
    ),
  tooManyNamedBodies: (loop: string) =>
    error(
      'unknown-step',
      `Loop '${loop}' nests more than ${maxDepth} loops by naming them as bodies`,
      'Name a step that is not a loop, or write the steps in its body',
    ),
  hiddenVariable: (name: string) => `the variable '${name}'`,
  hiddenList: 'its own list',
  hiddenLoopName: (name: string, loop: string) => `the '${name}' of loop '${loop}' around it`,
  hiddenField: (field: string) => `its own ${field}`,
  /** @param what the kind of name: `item`, or the property of the loop that chooses it. `hidden`: one of those above. */
  hidingLoopName: (what: string, name: string, loop: string, hidden: string) =>
    warning(
      'shadowed-name',
      `The ${what} '${name}' of loop '${loop}' hides ${hidden}`,
      'Choose a name that is not used elsewhere',
    ),

  // Fields of outputs

  unknownField: (step: string, field: string, known: readonly string[], meant: string | undefined) =>
    error(
      'unknown-field',
      `Step '${step}' has no field '${field}'`,
      correction(
        meant,
        known.length === 0
          ? "Add it under 'fields' of the step"
          : `Name one of its fields: ${known.join(', ')}`,
      ),
    ),
  fieldsMissing: (step: string) =>
    error(
      'unknown-field',
      `Step '${step}' sets variables from fields, but has no fields`,
      "Add 'fields', each with an id",
    ),
  unusableProperty: (property: string, field: string, type: string, types: readonly string[]) =>
    error(
      'wrong-value',
      `Field '${field}' of type ${type} can't have '${property}'`,
      `Remove it, or write type: ${types.join(' or type: ')}`,
    ),
  noOptions: (field: string) =>
    error(
      'missing-property',
      `Field '${field}' of type choice has no 'options'`,
      "Add 'options' with the values to choose from",
    ),
  impossibleBounds: (field: string, least: string, most: string) =>
    error(
      'wrong-value',
      `No value of field '${field}' meets both ${least} and ${most}`,
      'Correct one of the two',
    ),
  fieldOfOtherType: (variable: string, declared: string, field: string, type: string) =>
    error(
      'wrong-value',
      `Variable '${variable}' is of type ${declared}, but field '${field}' gives it a value of type ${type}`,
      `Declare the variable with type: ${type}, or change the type of the field`,
    ),
  setByOthers: (variable: string, place: string, setters: readonly string[]) =>
    error(
      'unknown-setter',
      `A field in '${place}' sets '${variable}', but its set_by allows only ${setters.join(', ')}`,
      `Add '${place}' to set_by, or remove the variable from 'sets'`,
    ),

  // References to skills, operations and resources

  /** @param elsewhere another workflow that has it */
  unknownReference: (kind: 'operation' | 'resource' | 'skill', name: string, elsewhere: string | undefined) =>
    warning(
      'unknown-reference',
      `No ${kind} '${name}' was found`,
      elsewhere === undefined
        ? `Correct the name, or add it under '${kind === 'resource' ? 'resources' : 'skills'}', here or in 'meta'`
        : `Write '${elsewhere}/${name}': that workflow has it`,
    ),

  // Variables

  undeclaredVariable: (name: string, meant: string | undefined) =>
    warning(
      'unknown-variable',
      `Variable '${name}' is used but not declared`,
      correction(meant, `Declare '${name}' under 'variables'`),
    ),
  unknownVariable: (name: string, place: string, meant: string | undefined) =>
    warning(
      'unknown-variable',
      `Unknown variable '${name}' in ${place}`,
      correction(meant, `Declare '${name}' under 'variables'`),
    ),
  variableDeclaredTwice: (name: string) =>
    warning('duplicate-id', `Variable '${name}' is declared twice`, 'Remove or rename one of the two'),
  unusedVariable: (name: string, isSet: boolean) =>
    warning(
      'unused-variable',
      `Variable '${name}' is ${isSet ? 'set' : 'declared'} but never used`,
      'Remove it, or use it in a condition or a text',
    ),
  pathOfArtifacts: 'a path of artifacts',
  textOfActivity: (activity: string) => `a text of activity '${activity}'`,
  unsetVariable: (name: string, place: string) =>
    warning(
      'unset-variable',
      `Nothing sets '${name}', which is shown in ${place}`,
      `Name '${name}' in an earlier step as a variable to set, give it a default, or declare it with required: true`,
    ),
  unknownSetter: (variable: string, id: string, meant: string | undefined) =>
    warning(
      'unknown-setter',
      `'set_by' of variable '${variable}' names '${id}', which is neither an activity nor a checkpoint of the workflow`,
      correction(meant, 'Name an activity, a checkpoint, checkpoint or agent'),
    ),
  unknownStepSetter: (variable: string, id: string, meant: string | undefined) =>
    warning(
      'unknown-setter',
      `'set_by' of variable '${variable}' names '${id}', which is not a step that sets variables`,
      correction(meant, 'Name a step that is not a loop, or agent'),
    ),
  ambiguousSetter: (variable: string, id: string) =>
    warning(
      'shadowed-name',
      `'set_by' of variable '${variable}' names '${id}', which is both an activity and a checkpoint: only the checkpoint may set it`,
      'Give the checkpoint another id',
    ),
  hidingPath: (path: string, root: string, checkpoint: string) =>
    warning(
      'shadowed-name',
      `An answer to checkpoint '${checkpoint}' sets '${path}', which hides the field of '${root}' that another answer sets`,
      `Set '${root}' as a whole in each option, or use a name without a dot`,
    ),

  // Decisions that belong to a person

  agentDecidesCheckpoint: (variable: string, checkpoint: string, activity: string) =>
    warning(
      'open-decision',
      `Variable '${variable}' decides whether a person must answer checkpoint '${checkpoint}' of activity '${activity}', but agents may set it anywhere`,
      `Declare '${variable}' with the only ones who may set it, such as set_by: checkpoint, or set_by: [id-of-an-activity]`,
    ),
  agentDecidesConfirmation: (variable: string, step: string) =>
    warning(
      'open-decision',
      `Variable '${variable}' decides whether a person must confirm step '${step}', but agents may set it anywhere`,
      `Declare '${variable}' with the steps that may set it, such as set_by: [id-of-a-step]`,
    ),
  changeableValue: (
    variable: string,
    { checkpoint, activity, setter }: Record<'checkpoint' | 'activity' | 'setter', string>,
  ) =>
    warning(
      'open-decision',
      `Checkpoint '${checkpoint}' of activity '${activity}' shows a person the variable '${variable}', but set_by lets agents change it in '${setter}', and the session can then repeat what the person approved without asking again`,
      `Lead from '${setter}' to '${activity}' before the approved work is repeated, let the question be asked there each time, or take '${setter}' out of the set_by of '${variable}'`,
    ),
  /** @param other a checkpoint whose answer by an agent may set the variable; without it any agent may */
  undecidedOption: (
    {
      variable,
      option,
      checkpoint,
      activity,
    }: Record<'variable' | 'option' | 'checkpoint' | 'activity', string>,
    other: string | undefined,
  ) => {
    const [earlier, remedy] =
      other === undefined
        ? ['agents may set it earlier', 'declare it with set_by, such as set_by: checkpoint']
        : [
            `an agent's answer to checkpoint '${other}' may set it earlier`,
            `let only a person answer '${other}', with approver: human`,
          ];
    return warning(
      'open-decision',
      `A person decides '${variable}' at checkpoint '${checkpoint}' of activity '${activity}', but option '${option}' does not set it, and ${earlier}`,
      `Set '${variable}' in each option, or ${remedy}`,
    );
  },
  stepBehindQuestion: (step: string, checkpoint: string, activity: string) =>
    warning(
      'open-decision',
      `An agent may do step '${step}' before a person has answered checkpoint '${checkpoint}', because it gets all steps of activity '${activity}' at once`,
      `Move '${step}' to an activity that comes after '${activity}', or give it a condition that reads the answer`,
    ),
  setAfterAnswer: (variable: string, step: string, checkpoint: string, activity: string) =>
    warning(
      'stuck',
      `Step '${step}' sets '${variable}', but the answer to checkpoint '${checkpoint}' of activity '${activity}' has set it by then, and agents can't change it. The server refuses the output of the step unless it gives the same value`,
      `Let the step set another variable, or name its activity in the set_by of '${variable}' if agents may change what was decided`,
    ),

  // Settings without the effect that they seem to have

  neverReversed: (checkpoint: string, why: 'no default' | 'needs a person' | 'not asked') => {
    const reasons = {
      'no default': ['it has no defaultOption', 'Add a defaultOption'],
      'needs a person': ['only a person may answer it', "Remove 'reversible', or 'approver: human'"],
      'not asked': ['it has no requireConfirmation', "Remove 'reversible', or add requireConfirmation"],
    } as const;
    const [reason, suggestion] = reasons[why];
    return warning(
      'no-effect',
      `'reversible' has no effect in '${checkpoint}', because ${reason}`,
      suggestion,
    );
  },
  setsWhenMissing: (step: string) =>
    warning(
      'no-effect',
      `Step '${step}' may be missing, but its 'set' actions take effect even if it is reported as not done`,
      "Move the actions to another step, or remove 'may_be_missing'",
    ),

  // Advice and limits

  missingVersion: () =>
    warning(
      'missing-version',
      "No 'version': the workflow is listed as 0.0.0",
      "Add a 'version' such as 1.0.0",
    ),
  longPrompt: (length: number, place: string) =>
    warning(
      'long-prompt',
      `${length} characters in ${place}: more than ${longPromptLength} are hard to follow`,
      'Split the step, or move details to its guidance',
    ),
  tooExpensive: () =>
    error(
      'beyond-limits',
      `Checking the workflow takes more than ${maxReadingSteps} steps`,
      'Use fewer patterns and JSON Schemas, or split the workflow',
    ),
  moreProblems: () => `More than ${maxIssues} problems: the others are not listed`,
} as const;
