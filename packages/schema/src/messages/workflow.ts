import type { Finding } from '../findings/finding.ts';
import { longPromptLength, maxDepth, maxIssues, maxReadingSteps } from '../limits.ts';

// Every message about the content of a workflow: ids, references, transitions, variables, decisions. A message states
// the problem with the value found; the suggestion says what to do next. Both go without a full stop.

export type Message = Required<Pick<Finding, 'message' | 'suggestion'>>;

/** Returns a suggestion to use the word that was probably meant. */
export function didYouMeanThis(word: string): string {
  return `Did you mean '${word}'?`;
}

// Ids

export function duplicateId(kind: string, id: string, first: string): Message {
  return {
    message: `Duplicate ${kind} id '${id}': ${first} has the same id`,
    suggestion: `Give every ${kind} its own id`,
  };
}

/** @param found the kinds of evidence in the entry: none, or several */
export function evidenceKindMissing(id: string, found: readonly string[]): Message {
  const names = found.length === 0 ? 'none of them' : found.join(' and ');
  return {
    message: `Evidence '${id}' must have exactly one of check, git, changes and file, found ${names}`,
    suggestion: 'Name one of them, and split evidence of several kinds into several entries',
  };
}

/** @param counts the options that need test results, which GitHub check runs do not report */
export function notFromGitHub(id: string, counts: readonly string[]): Message {
  return {
    message: `Evidence '${id}' has ${counts.map((one) => `'${one}'`).join(' and ')}, and check runs of GitHub count no tests, so it always fails`,
    suggestion: `Remove ${counts.map((one) => `'${one}'`).join(' and ')}, or remove 'github' and let CI sign a statement`,
  };
}

export function githubWithoutCi(id: string): Message {
  return {
    message: `Evidence '${id}' has 'github', which has no effect without 'level: ci'`,
    suggestion: "Add 'level: ci', or remove 'github'",
  };
}

export function ciOnlyForChecks(id: string): Message {
  return {
    message: `Evidence '${id}' asks for 'level: ci', which only evidence with 'check' can reach`,
    suggestion: "Use 'level: rerun', or name a check that CI runs",
  };
}

export function filledTooLate(id: string, name: string, by: string): Message {
  return {
    message: `Evidence '${id}' names the variable '${name}', and step '${by}' of the same activity sets it by its output. An agent collects evidence before it submits the outputs, so the evidence can't be collected, or is stale when the agent moves on`,
    suggestion: `Move the evidence to a step of a later activity`,
  };
}

export function lastItemOnly(id: string, variable: string, loop: string): Message {
  return {
    message: `Evidence '${id}' names '${variable}', the item of the loop '${loop}'. Evidence is collected once for all iterations of the steps, and is about the last item only`,
    suggestion: `Move the steps to an activity of its own, and name that under 'activities' of the loop`,
  };
}

export function onlyForChecks(id: string, option: string): Message {
  return {
    message: `Evidence '${id}' has '${option}', which only evidence with 'check' can have`,
    suggestion: `Remove '${option}', or name a check`,
  };
}

export function duplicateStepId(id: string, first: string): Message {
  return {
    message: `Duplicate step id '${id}': ${first} has the same id`,
    suggestion: 'Give every step its own id, also across loops and their bodies',
  };
}

export function duplicateEntry(key: 'id' | 'name', name: string, first: string): Message {
  return {
    message: `Duplicate ${key} '${name}': ${first} has the same ${key}`,
    suggestion: 'Remove or rename one of the two',
  };
}

export function stepIdInTwoLists(id: string, first: string, second: string): Message {
  return {
    message: `Step id '${id}' is used by ${first} and by ${second}`,
    suggestion: 'Give every step of the activity its own id',
  };
}

// Checkpoints

export function unknownCheckpoint(step: string, checkpoint: string, activity: string): string {
  return `Step '${step}' names checkpoint '${checkpoint}', but activity '${activity}' has no such checkpoint`;
}

export const addCheckpoint = "Add it under 'checkpoints'";

export function unfitDefault(checkpoint: string, option: string, reason: 'note' | 'irreversible'): string {
  return reason === 'note'
    ? `Option '${option}' of checkpoint '${checkpoint}' requires a note, so the timer can't choose it. Make another option the default`
    : `Option '${option}' of checkpoint '${checkpoint}' can't be undone, but the timer chooses it without asking anybody. Make another option the default`;
}

export function unknownOption(checkpoint: string, option: string): string {
  return `Default option '${option}' is not an option of checkpoint '${checkpoint}'`;
}

export const nameAnOption = 'Name one of its options';

// Activities and transitions

/** `by` names the element with a verb, such as `A transition leads to`. */
export function unknownActivity(by: string, id: string): string {
  return `${by} activity '${id}', but the workflow has no such activity`;
}

export function addActivity(id: string, mayEnd: boolean): string {
  const orEnd = mayEnd ? ", or write 'end' to complete the session" : '';
  return `Add a file 'activities/NN-${id}', or correct the name${orEnd}`;
}

export function unreachableActivity(id: string, initial: string): Message {
  return {
    message: `Activity '${id}' can't be reached from '${initial}'`,
    suggestion: 'Name it in a transition, a decision or an effect, or remove it',
  };
}

export const noActivity: Message = {
  message: 'The workflow has no activities',
  suggestion: "Add a file 'activities/01-…', or list activities here",
};

export const onlyBrokenActivities: Message = {
  message: 'Every activity of the workflow has errors',
  suggestion: 'Correct at least one of them',
};

export function inBorrowedActivity(id: string, message: string): string {
  return `Borrowed activity '${id}': ${message}`;
}

// Loops

export function unknownBody(loop: string, body: string): string {
  return `Loop '${loop}' names step '${body}' as its body, but there is no such step in the same list`;
}

export const nameAStep = 'Name a step of the same list, or write the steps in its body';

export function bodyLeadsBack(loop: string, chain: readonly string[]): Message {
  return {
    message: `The body of loop '${loop}' leads back to the loop: '${[loop, ...chain].join("', '")}'`,
    suggestion: 'Name a step that is not a loop, or write the steps in its body',
  };
}

export function tooManyNamedBodies(loop: string): Message {
  return {
    message: `Loop '${loop}' nests more than ${maxDepth} loops by naming them as bodies`,
    suggestion: 'Name a step that is not a loop, or write the steps in its body',
  };
}

/** `what` is the kind of name: `item`, or the property of the loop that chooses it. */
export function hidingLoopName(what: string, name: string, loop: string, hidden: string): Message {
  return {
    message: `The ${what} '${name}' of loop '${loop}' hides ${hidden}`,
    suggestion: 'Choose a name that is not used elsewhere',
  };
}

// Fields of outputs

export function unknownFieldOf(step: string, field: string): string {
  return `Step '${step}' has no field '${field}'`;
}

export function nameAField(known: readonly string[]): string {
  return known.length === 0
    ? "Add it under 'fields' of the step"
    : `Name one of its fields: ${known.join(', ')}`;
}

export function fieldsMissing(step: string): Message {
  return {
    message: `Step '${step}' sets variables from fields, but has no fields`,
    suggestion: "Add 'fields', each with an id",
  };
}

export function unusableProperty(
  property: string,
  field: string,
  type: string,
  types: readonly string[],
): Message {
  return {
    message: `Field '${field}' of type ${type} can't have '${property}'`,
    suggestion: `Remove it, or write type: ${types.join(' or type: ')}`,
  };
}

export function noOptions(field: string): Message {
  return {
    message: `Field '${field}' of type choice has no 'options'`,
    suggestion: "Add 'options' with the values to choose from",
  };
}

export function impossibleBounds(field: string, least: string, most: string): Message {
  return {
    message: `No value of field '${field}' meets both ${least} and ${most}`,
    suggestion: 'Correct one of the two',
  };
}

export function fieldOfOtherType(variable: string, declared: string, field: string, type: string): Message {
  return {
    message: `Variable '${variable}' is of type ${declared}, but field '${field}' gives it a value of type ${type}`,
    suggestion: `Declare the variable with type: ${type}, or change the type of the field`,
  };
}

export function setByOthers(variable: string, place: string, setters: readonly string[]): Message {
  return {
    message: `A field in '${place}' sets '${variable}', but its set_by allows only ${setters.join(', ')}`,
    suggestion: `Add '${place}' to set_by, or remove the variable from 'sets'`,
  };
}

// References to skills, operations and resources

export function unknownReference(
  kind: 'operation' | 'resource' | 'skill',
  name: string,
  elsewhere: string | undefined,
): Message {
  const folder = kind === 'resource' ? 'resources' : 'skills';
  return {
    message: `No ${kind} '${name}' was found`,
    suggestion:
      elsewhere === undefined
        ? `Correct the name, or add it under '${folder}', here or in 'meta'`
        : `Write '${elsewhere}/${name}': that workflow has it`,
  };
}

// Variables

export function undeclaredVariable(name: string): string {
  return `Variable '${name}' is used but not declared`;
}

export function unknownVariable(name: string, place: string): string {
  return `Unknown variable '${name}' in ${place}`;
}

export function declareVariable(name: string): string {
  return `Declare '${name}' under 'variables'`;
}

export function variableDeclaredTwice(name: string): Message {
  return { message: `Variable '${name}' is declared twice`, suggestion: 'Remove or rename one of the two' };
}

export function unusedVariable(name: string, isSet: boolean): Message {
  return {
    message: `Variable '${name}' is ${isSet ? 'set' : 'declared'} but never used`,
    suggestion: 'Remove it, or use it in a condition or a text',
  };
}

export function unsetVariable(name: string, place: string): Message {
  return {
    message: `Nothing sets '${name}', which is shown in ${place}`,
    suggestion: `Name '${name}' in an earlier step as a variable to set, give it a default, or declare it with required: true`,
  };
}

export function unknownSetter(variable: string, id: string): string {
  return `'set_by' of variable '${variable}' names '${id}', which is neither an activity nor a checkpoint of the workflow`;
}

export const nameASetter = 'Name an activity, a checkpoint, checkpoint or agent';

export function ambiguousSetter(variable: string, id: string): Message {
  return {
    message: `'set_by' of variable '${variable}' names '${id}', which is both an activity and a checkpoint: only the checkpoint may set it`,
    suggestion: 'Give the checkpoint another id',
  };
}

export function unknownStepSetter(variable: string, id: string): string {
  return `'set_by' of variable '${variable}' names '${id}', which is not a step that sets variables`;
}

export const nameASetterStep = 'Name a step that is not a loop, or agent';

// Decisions that belong to a person

export function agentDecidesCheckpoint(variable: string, checkpoint: string, activity: string): Message {
  return {
    message: `Variable '${variable}' decides whether a person must answer checkpoint '${checkpoint}' of activity '${activity}', but agents may set it anywhere`,
    suggestion: `Declare '${variable}' with the only ones who may set it, such as set_by: checkpoint, or set_by: [id-of-an-activity]`,
  };
}

export function changeableValue(
  variable: string,
  {
    checkpoint,
    activity,
    setter,
  }: { readonly checkpoint: string; readonly activity: string; readonly setter: string },
): Message {
  return {
    message: `Checkpoint '${checkpoint}' of activity '${activity}' shows a person the variable '${variable}', but set_by lets agents change it in '${setter}', and the session can then repeat what the person approved without asking again`,
    suggestion: `Lead from '${setter}' to '${activity}' before the approved work is repeated, let the question be asked there each time, or take '${setter}' out of the set_by of '${variable}'`,
  };
}

export function hidingPath(path: string, root: string, checkpoint: string): Message {
  return {
    message: `An answer to checkpoint '${checkpoint}' sets '${path}', which hides the field of '${root}' that another answer sets`,
    suggestion: `Set '${root}' as a whole in each option, or use a name without a dot`,
  };
}

export function agentDecidesConfirmation(variable: string, step: string): Message {
  return {
    message: `Variable '${variable}' decides whether a person must confirm step '${step}', but agents may set it anywhere`,
    suggestion: `Declare '${variable}' with the steps that may set it, such as set_by: [id-of-a-step]`,
  };
}

/** `other` is a checkpoint whose answer by an agent may set the variable; without it any agent may. */
export function undecidedOption(
  decision: {
    readonly variable: string;
    readonly option: string;
    readonly checkpoint: string;
    readonly activity: string;
  },
  other: string | undefined,
): Message {
  const { variable, option, checkpoint, activity } = decision;
  const [earlier, remedy] =
    other === undefined
      ? ['agents may set it earlier', 'declare it with set_by, such as set_by: checkpoint']
      : [
          `an agent's answer to checkpoint '${other}' may set it earlier`,
          `let only a person answer '${other}', with approver: human`,
        ];
  return {
    message: `A person decides '${variable}' at checkpoint '${checkpoint}' of activity '${activity}', but option '${option}' does not set it, and ${earlier}`,
    suggestion: `Set '${variable}' in each option, or ${remedy}`,
  };
}

export function stepBehindQuestion(step: string, checkpoint: string, activity: string): Message {
  return {
    message: `An agent may do step '${step}' before a person has answered checkpoint '${checkpoint}', because it gets all steps of activity '${activity}' at once`,
    suggestion: `Move '${step}' to an activity that comes after '${activity}', or give it a condition that reads the answer`,
  };
}

export function setAfterAnswer(
  variable: string,
  step: string,
  checkpoint: string,
  activity: string,
): Message {
  return {
    message: `Step '${step}' sets '${variable}', but the answer to checkpoint '${checkpoint}' of activity '${activity}' has set it by then, and agents can't change it. The server refuses the output of the step unless it gives the same value`,
    suggestion: `Let the step set another variable, or name its activity in the set_by of '${variable}' if agents may change what was decided`,
  };
}

// Settings without the effect that they seem to have

export function neverReversed(
  checkpoint: string,
  why: 'no default' | 'needs a person' | 'not asked',
): Message {
  const reasons = {
    'no default': ['it has no defaultOption', 'Add a defaultOption'],
    'needs a person': ['only a person may answer it', "Remove 'reversible', or 'approver: human'"],
    'not asked': ['it has no requireConfirmation', "Remove 'reversible', or add requireConfirmation"],
  } as const;
  const [reason, suggestion] = reasons[why];
  return { message: `'reversible' has no effect in '${checkpoint}', because ${reason}`, suggestion };
}

export function setsWhenMissing(step: string): Message {
  return {
    message: `Step '${step}' may be missing, but its 'set' actions take effect even if it is reported as not done`,
    suggestion: "Move the actions to another step, or remove 'may_be_missing'",
  };
}

// Advice and limits

export const missingVersion: Message = {
  message: "No 'version': the workflow is listed as 0.0.0",
  suggestion: "Add a 'version' such as 1.0.0",
};

export function longPrompt(length: number, place: string): Message {
  return {
    message: `${length} characters in ${place}: more than ${longPromptLength} are hard to follow`,
    suggestion: 'Split the step, or move details to its guidance',
  };
}

export const tooExpensive: Message = {
  message: `Checking the workflow takes more than ${maxReadingSteps} steps`,
  suggestion: 'Use fewer patterns and JSON Schemas, or split the workflow',
};

export const moreProblems = `More than ${maxIssues} problems: the others are not listed`;
